//! [`Judge`]: another implementation, in a process of its own.

use std::io::{BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What a judge says.
#[derive(Clone, Debug)]
pub enum Answer {
    Done(Vec<u8>),
    /// Its error.
    Refused(String),
    /// It has no such form, JSON or text, or not this schema.
    Cannot,
}

/// A process that answers questions: a byte and a body with its length as four bytes, little endian, there and back.
pub struct Judge {
    pub name: String,
    /// Whether it has taken the schema.
    pub sits: bool,
    process: Child,
    questions: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Judge {
    /// Starts `NAME=COMMAND ARGUMENT ..`.
    pub fn start(judge: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let (name, command) = judge.split_once('=').ok_or("a judge is NAME=COMMAND")?;
        let mut words = command.split_whitespace();
        let mut process = Command::new(words.next().ok_or("a judge without a command")?)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name}: {error}"))?;
        let stdin = process.stdin.take().ok_or("no standard input")?;
        let stdout = process.stdout.take().ok_or("no standard output")?;
        let (questions, answers) = (BufWriter::new(stdin), BufReader::new(stdout));
        Ok(Self { name: name.to_owned(), sits: true, process, questions, answers })
    }

    fn put(&mut self, question: u8, body: &[u8]) -> std::io::Result<()> {
        self.questions.write_all(&[question])?;
        self.questions.write_all(&(body.len() as u32).to_le_bytes())?;
        self.questions.write_all(body)?;
        self.questions.flush()
    }

    fn take(&mut self) -> std::io::Result<Answer> {
        let mut head = [0; 5];
        self.answers.read_exact(&mut head)?;
        let [status, len @ ..] = head;
        let mut answer = vec![0; u32::from_le_bytes(len) as usize];
        self.answers.read_exact(&mut answer)?;
        Ok(match status {
            b'k' => Answer::Done(answer),
            b'n' => Answer::Cannot,
            _ => Answer::Refused(String::from_utf8_lossy(&answer).into_owned()),
        })
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All judges. Those that sit answer, at the same time.
pub struct Court(pub Vec<Judge>);

impl Court {
    /// An answer of each judge. Question and body are in the error of one that ends.
    pub fn ask(&mut self, question: u8, body: &[u8]) -> Result<Vec<Answer>, Box<dyn std::error::Error>> {
        let lost = |judge: &Judge, error: std::io::Error| {
            format!("{} ends at {}: {error}: {body:02x?}", judge.name, question as char)
        };
        for judge in self.0.iter_mut().filter(|judge| judge.sits) {
            judge.put(question, body).map_err(|error| lost(judge, error))?;
        }
        let mut answers = Vec::new();
        for judge in &mut self.0 {
            answers.push(match judge.sits {
                true => judge.take().map_err(|error| lost(judge, error))?,
                false => Answer::Cannot,
            });
        }
        Ok(answers)
    }
}
