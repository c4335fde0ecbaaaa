//! [`Consumer`]: a member of a consumer group that moves a topic into a sink.
//!
//! ```text
//! until stopped:
//!     what the sink or the topic of bad records did not take is given again, after a while
//!     poll a record, push it into the pipeline; if the registry does not answer, hold it, and try again after a while
//!     what is due: bad records to their topic, rows to the sink, then commit
//! partitions are taken away: the same for what waits of them, before others get them
//! ```
//!
//! While something is tried again, partitions are paused and polling goes on, so that the group does not take the consumer for dead, and memory stays bounded.

use crate::dead::{DeadLetter, DeadLetters};
use crate::metrics::Metrics;
use crate::pipeline::{Pipeline, Pushed, Record, Roll};
use crate::sink::Sink;
use rdkafka::client::ClientContext;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _, ConsumerContext, Rebalance};
use rdkafka::error::KafkaError;
use rdkafka::message::{Message, OwnedMessage};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use std::collections::{BTreeSet, VecDeque};
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(100);
/// How long a question to the broker may take.
const ANSWER: Duration = Duration::from_secs(10);
/// How long rows may take to the sink when the program is to end.
const GRACE: Duration = Duration::from_secs(30);

/// Which topic is read, and by whom.
#[derive(Clone, Debug)]
pub struct Config {
    /// `HOST:PORT`, or several with commas between them.
    pub brokers: String,
    pub topic: String,
    /// The members of a group share the partitions of the topic.
    pub group: String,
    /// Options of librdkafka beside those, such as `security.protocol`.
    pub options: Vec<(String, String)>,
    /// Whether to stop at the end of all partitions.
    pub until_end: bool,
}

impl Config {
    /// The options that consumers and producers share.
    #[must_use]
    pub fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.brokers);
        self.options.iter().for_each(|(name, value)| _ = config.set(name, value));
        config
    }
}

/// A member of a consumer group.
pub struct Consumer {
    consumer: BaseConsumer<Group>,
    until_end: bool,
}

/// What librdkafka calls back when partitions move.
struct Group {
    state: Mutex<State>,
}

struct State {
    topic: String,
    pipeline: Pipeline,
    sink: Box<dyn Sink + Send>,
    dead: Option<DeadLetters>,
    metrics: Metrics,
    /// What was not taken so far. Nothing is pushed until it is, so that there is at most one of a partition.
    unfinished: Vec<Roll>,
    /// Records that were polled and not pushed.
    held: VecDeque<OwnedMessage>,
    /// Partitions whose end was reached.
    ended: BTreeSet<i32>,
    /// What went wrong in a call back and cannot be mended.
    broken: Option<String>,
}

impl ClientContext for Group {}

impl ConsumerContext for Group {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let mut state = self.state();
        state.metrics.rebalances.inc();
        if let Rebalance::Revoke(partitions) = rebalance {
            // The group has given them to others already: these read again what was not committed.
            let lost = consumer.assignment_lost();
            for element in partitions.elements_for_topic(&state.topic.clone()) {
                state.give_up(consumer, element.partition(), lost);
            }
        }
    }
}

impl Group {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When something is tried again.
#[derive(Default)]
struct Retry {
    at: Option<Instant>,
    wait: Duration,
}

impl Retry {
    /// Waits, longer each time.
    fn fail(&mut self) {
        self.wait = (2 * self.wait).clamp(Duration::from_millis(100), Duration::from_secs(10));
        self.at = Some(Instant::now() + self.wait);
    }

    fn waits(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() < at)
    }
}

impl Consumer {
    /// Joins the group, with the records that it has committed as the beginning, or the first ones.
    ///
    /// # Errors
    /// A configuration that cannot be used.
    pub fn new(
        config: &Config,
        pipeline: Pipeline,
        sink: Box<dyn Sink + Send>,
        dead: Option<DeadLetters>,
        metrics: Metrics,
    ) -> Result<Self, KafkaError> {
        let state = State {
            topic: config.topic.clone(),
            pipeline,
            sink,
            dead,
            metrics,
            unfinished: Vec::new(),
            held: VecDeque::new(),
            ended: BTreeSet::new(),
            broken: None,
        };
        let mut client = ClientConfig::new();
        client.set("auto.offset.reset", "earliest").set("isolation.level", "read_committed");
        // What is fetched ahead, for all partitions.
        client.set("queued.max.messages.kbytes", "65536");
        for (name, value) in config.client().config_map() {
            client.set(name, value);
        }
        client
            .set("group.id", &config.group)
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true");
        let consumer: BaseConsumer<Group> = client.create_with_context(Group { state: Mutex::new(state) })?;
        consumer.subscribe(&[&config.topic])?;
        Ok(Self { consumer, until_end: config.until_end })
    }

    /// Moves records until it is stopped, or at their end if the configuration says so. All that was read has gone to the sink then, and is committed.
    ///
    /// # Errors
    /// What trying again does not mend: a sink with files of another topic, a broker that refuses the consumer for good. What was not committed is read again by the next one.
    pub fn run(&self, stop: &AtomicBool) -> Result<(), Box<dyn Error>> {
        let mut retry = Retry::default();
        while !stop.load(Ordering::Relaxed) {
            if self.step(&mut retry)? && self.until_end {
                break;
            }
        }
        self.finish()
    }

    /// One record, or one attempt. Returns whether all partitions have ended.
    fn step(&self, retry: &mut Retry) -> Result<bool, Box<dyn Error>> {
        let waits = retry.waits();
        // No lock is held here, since partitions may move.
        let idle = waits || self.consumer.context().state().held.is_empty();
        let polled = if idle { self.consumer.poll(POLL) } else { None };
        let mut state = self.consumer.context().state();
        match polled {
            Some(Ok(message)) => state.held.push_back(message.detach()),
            Some(Err(KafkaError::PartitionEOF(partition))) => _ = state.ended.insert(partition),
            Some(Err(error @ KafkaError::MessageConsumptionFatal(_))) => return Err(error.into()),
            // Brokers come back, and topics come to be.
            Some(Err(_)) => state.metrics.failures.inc(),
            None => {}
        }
        if let Some(broken) = state.broken.take() {
            return Err(broken.into());
        }
        if waits {
            // Partitions that came meanwhile, too.
            self.pause(true)?;
            return Ok(false);
        }
        let done = state.give_all(&self.consumer)?
            && state.take_held(&self.consumer)?
            && state.give_due(&self.consumer)?;
        match (done, retry.at.is_some()) {
            (true, true) => {
                *retry = Retry::default();
                self.pause(false)?;
            }
            (true, false) => {}
            (false, _) => {
                retry.fail();
                self.pause(true)?;
            }
        }
        let assigned = self.consumer.assignment()?.count();
        Ok(done && state.held.is_empty() && assigned > 0 && state.ended.len() == assigned)
    }

    fn pause(&self, pause: bool) -> Result<(), KafkaError> {
        let partitions = self.consumer.assignment()?;
        if pause { self.consumer.pause(&partitions) } else { self.consumer.resume(&partitions) }
    }

    /// Gives all that waits to the sink, and leaves the group.
    fn finish(&self) -> Result<(), Box<dyn Error>> {
        let end = Instant::now() + GRACE;
        let mut state = self.consumer.context().state();
        // They were polled and not pushed: the next consumer has them.
        state.held.clear();
        for partition in state.pipeline.partitions() {
            let roll = state.pipeline.take(partition)?;
            state.unfinished.extend(roll);
        }
        while !state.give_all(&self.consumer)? {
            if Instant::now() > end {
                let rows: usize = state.unfinished.iter().map(Roll::rows).sum();
                return Err(format!("{rows} rows were not taken by the sink; they are not committed").into());
            }
            std::thread::sleep(POLL);
        }
        drop(state);
        self.consumer.unsubscribe();
        Ok(())
    }
}

impl State {
    /// Pushes the records that are held. False if the registry does not answer.
    fn take_held(&mut self, consumer: &BaseConsumer<Group>) -> Result<bool, Box<dyn Error>> {
        while let Some(message) = self.held.pop_front() {
            if !self.pipeline.has(message.partition()) && !self.begin(consumer, message.partition())? {
                self.held.push_front(message);
                return Ok(false);
            }
            self.ended.remove(&message.partition());
            let record =
                Record { partition: message.partition(), offset: message.offset(), value: message.payload() };
            match self.pipeline.push(record, |error| DeadLetter::new(&message, error))? {
                Pushed::Row => {}
                Pushed::Bad(_) => self.metrics.bad.inc(),
                Pushed::Known => self.metrics.known.inc(),
                Pushed::Wait(error) => {
                    self.failed(&error);
                    self.held.push_front(message);
                    return Ok(false);
                }
            }
            self.metrics.records.inc();
            self.metrics.bytes.inc_by(record.value.map_or(0, |value| value.len() as u64));
        }
        Ok(true)
    }

    /// Begins a partition where the sink ends. False if the broker does not answer.
    fn begin(&mut self, consumer: &BaseConsumer<Group>, partition: i32) -> Result<bool, Box<dyn Error>> {
        let next = self.sink.next_offset(&self.topic, partition)?;
        let mut place = TopicPartitionList::new();
        place.add_partition(&self.topic, partition);
        let answers = consumer
            .fetch_watermarks(&self.topic, partition, ANSWER)
            .and_then(|marks| Ok((marks, consumer.committed_offsets(place, ANSWER)?)));
        let ((low, high), committed) = match answers {
            Ok(answers) => answers,
            Err(error) => {
                self.failed(&error);
                return Ok(false);
            }
        };
        // All records of the topic would be taken for known.
        if next > high {
            return Err(format!(
                "the sink goes on at offset {next}, but partition {partition} ends at {high}: it is of another topic or broker, so read into a new one"
            )
            .into());
        }
        let committed =
            committed.elements().first().and_then(|element| element.offset().to_raw()).unwrap_or(-1);
        let expected = next.max(committed);
        // The broker deletes what is old; what was never read before is no loss.
        if expected > 0 {
            self.metrics.lost.inc_by((low - expected).max(0) as u64);
        }
        self.pipeline.begin(partition, next)?;
        Ok(true)
    }

    /// Gives what is due to the sink. False if it was not taken.
    fn give_due(&mut self, consumer: &BaseConsumer<Group>) -> Result<bool, Box<dyn Error>> {
        while let Some(partition) = self.pipeline.due() {
            let roll = self.pipeline.take(partition)?;
            self.unfinished.extend(roll);
            if !self.give_all(consumer)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Gives what was not taken so far. False if it is not taken now.
    fn give_all(&mut self, consumer: &BaseConsumer<Group>) -> Result<bool, Box<dyn Error>> {
        while let Some(mut roll) = self.unfinished.pop() {
            if let Err(error) = self.give(consumer, &mut roll) {
                self.failed(&*error);
                self.unfinished.push(roll);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Gives rows to the sink and bad records to their topic, and commits them.
    fn give(&mut self, consumer: &BaseConsumer<Group>, roll: &mut Roll) -> Result<(), Box<dyn Error>> {
        if let Some(dead) = &self.dead
            && !roll.dead.is_empty()
        {
            dead.send(&roll.dead)?;
            // Once, also if the sink has to be asked again.
            roll.dead.clear();
        }
        self.sink.write(&self.topic, roll)?;
        self.metrics.rows.inc_by(roll.rows() as u64);
        self.metrics.bad.inc_by(roll.bad_rows() as u64);
        self.metrics.rolls.inc();
        let mut next = TopicPartitionList::new();
        next.add_partition_offset(&self.topic, roll.partition, Offset::Offset(roll.last + 1))?;
        match consumer.commit(&next, CommitMode::Sync) {
            Ok(()) => {
                let labels = [&*self.topic, &roll.partition.to_string()];
                self.metrics.committed.with_label_values(&labels).set(roll.last + 1);
            }
            // The sink has it. The next commit says so, or others read it again.
            Err(error) => self.failed(&error),
        }
        Ok(())
    }

    /// Ends a partition that others get.
    fn give_up(&mut self, consumer: &BaseConsumer<Group>, partition: i32, lost: bool) {
        match self.pipeline.take(partition) {
            Ok(roll) => self.unfinished.extend(roll),
            Err(error) => self.broken = Some(error.to_string()),
        }
        let (ours, others): (Vec<_>, Vec<_>) =
            self.unfinished.drain(..).partition(|roll| roll.partition == partition);
        self.unfinished = others;
        for mut roll in ours {
            if lost {
                continue;
            }
            // What is not taken now is not committed, so that the next owner has it.
            if let Err(error) = self.give(consumer, &mut roll) {
                self.failed(&*error);
                break;
            }
        }
        self.pipeline.end(partition);
        self.held.retain(|message| message.partition() != partition);
        self.ended.remove(&partition);
    }

    fn failed(&self, error: &dyn Error) {
        self.metrics.failures.inc();
        eprintln!("tried again later: {error}");
    }
}
