//! The checks of the fuzz targets that make their own inputs, run from seeds: operations that fail at every step, and
//! what holds afterwards; things used again, and what they remember; ways that must agree.
//!
//! Without optimisation an eighth of the rounds is made. `TABLEPB_SWEEP=N` runs N rounds of each instead of a sample.

use crate::agree::{
    budgets, descriptor_sets, differential, edits, full_store, json, long_run, packed, projected, raw_fields,
    records, reuse, streams, text, typed, visited,
};
use crate::common::choices::Choices;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// Runs a check on seeds; says which seeds fail, and when. Long runs go on after a failure.
fn sweep<T>(name: &str, rounds: u64, mut check: impl FnMut(&mut Choices) -> T, mut done: impl FnMut(T)) {
    let from_env = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (long, first) = (from_env("TABLEPB_SWEEP"), from_env("TABLEPB_SEED").unwrap_or(0));
    let rounds = long.unwrap_or(if cfg!(debug_assertions) { rounds / 8 } else { rounds });
    let start = Instant::now();
    let mut failed = 0;
    for seed in first..first + rounds {
        match catch_unwind(AssertUnwindSafe(|| check(&mut Choices::seeded(seed)))) {
            Ok(tried) => done(tried),
            Err(panic) => {
                println!("{name}: seed {seed} fails after {:.1?}", start.elapsed());
                failed += 1;
                if long.is_none() || failed == 50 {
                    resume_unwind(panic);
                }
            }
        }
    }
    println!("{name}: {rounds} rounds in {:.1?}, {failed} failed", start.elapsed());
    assert_eq!(failed, 0, "{name}");
}

#[test]
fn messages_are_valid_after_every_failed_merge() {
    let mut all = budgets::Tried::default();
    sweep("budgets", 60, budgets::run, |tried| {
        all.merges += tried.merges;
        all.failed += tried.failed;
    });
    println!("{all:?}");
    assert!(all.failed > all.merges / 4, "{all:?}");
}

#[test]
#[cfg_attr(target_pointer_width = "32", ignore = "needs messages of 2 GB")]
fn setters_that_find_no_room_change_nothing() {
    let mut all = full_store::Tried::default();
    sweep("full_store", 60, full_store::run, |tried| {
        all.failed += tried.failed;
        all.done += tried.done;
    });
    println!("{all:?}");
    assert!(all.failed > 12 && all.done > 12, "{all:?}");
}

#[test]
fn decoders_are_as_good_as_new_after_large_inputs() {
    sweep("decoders", 60, reuse::decoders, drop);
}

#[test]
fn merging_piece_by_piece_takes_no_more_than_one_decode() {
    sweep("merges", 40, reuse::merges, drop);
}

#[test]
fn any_schema_and_payload_is_read_as_by_a_plain_codec() {
    let mut accepted = 0;
    sweep("differential", 150, differential::run, |all| accepted += usize::from(all));
    assert!(accepted > 5);
}

#[test]
fn what_is_visited_is_what_is_decoded() {
    let (mut in_order, mut out_of_order) = (0, 0);
    sweep("visited", 300, visited::run, |(whole, stopped)| {
        in_order += whole;
        out_of_order += stopped;
    });
    assert!(in_order > 1 && out_of_order > 5, "{in_order} and {out_of_order}");
}

#[test]
fn edits_do_to_messages_what_they_do_to_a_model() {
    let mut steps = 0;
    sweep("edits", 300, edits::run, |made| steps += made);
    assert!(steps > 250, "{steps}");
}

#[test]
fn projected_messages_are_edited_like_full_ones() {
    sweep("projected", 200, projected::run, drop);
}

#[test]
fn records_are_what_setters_build() {
    let mut written = 0;
    sweep("records", 200, records::run, |records| written += records);
    assert!(written > 25, "{written}");
}

#[test]
fn raw_fields_are_walked_and_edited() {
    sweep("raw_fields", 300, raw_fields::run, drop);
}

#[test]
fn descriptor_sets_load_again_from_what_pools_keep() {
    let mut accepted = 0;
    sweep("descriptor_sets", 300, descriptor_sets::run, |loaded| accepted += usize::from(loaded));
    assert!(accepted > 6, "{accepted}");
}

#[test]
fn streams_come_in_any_pieces() {
    sweep("streams", 2_000, streams::run, drop);
}

#[test]
fn messages_come_back_from_json_and_broken_json_does_no_harm() {
    sweep("json", 300, json::run, drop);
}

#[test]
fn messages_come_back_from_text_and_broken_text_does_no_harm() {
    let mut accepted = 0;
    sweep("text", 300, text::run, |all| accepted += usize::from(all));
    assert!(accepted > 5, "{accepted}");
}

#[test]
fn structs_are_dynamic_messages() {
    // Without optimisation structs take much stack per level.
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let run = || sweep("typed", 1_000, typed::run, drop);
    thread.spawn(run).expect("a thread").join().unwrap_or_else(|panic| resume_unwind(panic));
}

#[test]
fn runs_of_numbers_are_read_and_written_as_by_a_plain_loop() {
    let mut accepted = 0;
    let run = |choices: &mut Choices| {
        let most = *choices.pick(&[0, 3, 9, 40, 200, 2_000]);
        let mut input = choices.bytes(most + 2);
        // Half of them of short varints, which are accepted more often.
        if choices.below(2) == 0 {
            input.iter_mut().skip(2).for_each(|byte| *byte &= *choices.pick(&[0x7f, 0x7f, 0xff]));
        }
        packed::check(&input)
    };
    sweep("packed", 4_000, run, |all| accepted += usize::from(all));
    assert!(accepted > 125, "{accepted}");
}

#[test]
fn decoders_and_messages_live_on_through_long_runs() {
    let rich = crate::common::samples::rich_payload();
    let run = |choices: &mut Choices| {
        let mut input = vec![choices.next() as u8];
        let cut = choices.below(rich.len());
        input.extend(&rich[..if choices.below(3) == 0 { cut } else { rich.len() }]);
        for _ in 0..choices.below(4) {
            crate::common::payload::mutate(&mut input, choices);
        }
        long_run::check(&input);
    };
    sweep("long_run", 400, run, drop);
}

/// Not a test of anything: writes the seeds where `cargo fuzz` finds them.
#[test]
#[ignore = "writes fuzz/seeds"]
fn write_seeds() {
    let rich = crate::common::samples::rich_payload();
    let set = crate::common::samples::t().descriptor_set();
    let led = |first: &[u8], rest: &[u8]| [first, rest].concat();
    let mut choices = Choices::seeded(1);
    let mut decided = |most| -> Vec<u8> { (0..most).map(|_| choices.next() as u8).collect() };
    let mut write = |target: &str, seeds: Vec<Vec<u8>>| {
        let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        std::fs::create_dir_all(&folder).expect("a folder");
        let decisions = [decided(12), decided(80), decided(400)];
        for (at, seed) in seeds.iter().chain(&decisions).enumerate() {
            std::fs::write(folder.join(format!("{at:02}")), seed).expect("a file");
        }
    };
    for target in ["budgets", "edits", "full_store", "projected", "records", "reuse", "streams", "visited"] {
        write(target, vec![]);
    }
    write("differential", vec![led(&[1, 7, 7, 7, 7], &rich[..5])]);
    write(
        "typed",
        vec![led(&[0], &rich), led(&[1], b"\x08\x01\x12\x02\x08\x02\x22\x06\x08\x01\x12\x02\x08\x03")],
    );
    write("packed", (0..17).map(|kind| led(&[kind, 0x23], &[1; 40])).collect());
    write("long_run", vec![led(&[2], &rich), led(&[0xe2], b"\x22\x04\x01\x01\x01\x01"), led(&[0], &rich)]);
    write("raw_fields", vec![led(&[1, 0, 1, 2, 3], &rich)]);
    write("descriptor_sets", vec![led(&[0], &set), led(&[1], &[7; 60])]);
    let json = [
        r#"{"int":1,"huge":"7","single":1.5,"double":"NaN","text":"\u00e9\n","data":"aGk=","color":"GREEN","children":[{},{"ints":[1e2]}]}"#,
        r#"{"byName":{"a":{"maybe":0}},"byId":{"-1":"x"},"byFlag":{"true":1},"oneNull":null,"boxed":"5","datas":["AA",""]}"#,
        r#"{"any":{"value":"1.5s","@type":"a/google.protobuf.Duration"},"time":"1970-01-01T00:00:00.5+01:00","mask":"a.bC,d"}"#,
        r#"{"object":{"k":[null,1.5,"s",true,{}]},"value":{"any":[]},"values":[null],"list":[[1]]}"#,
    ];
    write("json", json.iter().map(|text| led(&[1], text.as_bytes())).collect());
    let text = [
        "\x01i32:-0x1F i64:017 u32:1;flag:t,single:.5f double:-inf text:'a' \"\\u00e9\\377\" color:BLUE # c\nchild<ints:[1,2]>",
        "\x01children [{} , <i32:1>] by_name{value{} key:'k'} by_id{key:1 value:inf} by_id{key:1} one_child{} MyGroup{x:1} Groups{}",
        "\x01[t.ext]:5 [t . exts]:['a'] any{[a/b%2f/t.All]{set{[t.Item]{x:1}}}} gone:[1,{a:2}] Left{} open{color:77}",
        "\x07GroupLike{x:1} other{x:2} outside{} plain<>",
    ];
    write("text", text.iter().map(|text| text.as_bytes().to_vec()).collect());
    let packed =
        b"\x83\xa3int\x05\xa4huge\xa17\xa3any\x82\xa5value\xa21s\xa5@type\xbaa/google.protobuf.Duration";
    let json = json.iter().map(|text| led(&[1], text.as_bytes()));
    write("serde", json.chain([led(&[2], packed)]).collect());
}
