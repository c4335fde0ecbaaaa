//! The example as a program: what it writes and prints, and what it says about mistakes.

use crate::common::data::Data;
use crate::common::example;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

fn run(arguments: &[&str]) -> Output {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| example::build("flows"));
    Command::new(program).args(arguments).output().expect("the program starts")
}

#[track_caller]
fn prints(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn complains(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

/// A directory that is deleted in the end.
struct Out(PathBuf);

impl Out {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("tablepb-flows-{}-{name}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn len(&self) -> u64 {
        std::fs::metadata(self.0.join("flows.binpb")).unwrap().len()
    }

    fn proto(&self) -> String {
        std::fs::read_to_string(self.0.join("flows.proto")).unwrap()
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn made_up_traffic_is_written_and_read_back() {
    let (all, few) = (Out::new("all"), Out::new("few"));
    let text = prints(&["--out", all.path(), "--flows", "3000", "--rows", "3", "--wide"]);
    assert!(text.contains("SrcAddr") && text.contains("SrcMAC") && text.contains("read back 30"), "{text}");
    let rows = text.lines().skip_while(|line| !line.is_empty()).count();
    assert_eq!(rows, 1 + 1 + 3, "{text}");
    let only = "SrcAddr,DstAddr,SrcPort,DstPort,Bytes";
    let text = prints(&["--out", few.path(), "--flows", "3000", "--only", only]);
    assert!(!text.contains("TimeReceived") && text.contains("SrcAddr"), "{text}");
    assert!(few.len() * 2 < all.len());
    assert!(all.proto().contains("uint64 SrcMAC = 23;") && !few.proto().contains("SrcMAC"));
    let text = prints(&["--out", few.path(), "--flows", "100", "--disable", "L2, NAT", "--disable", "TTL"]);
    assert!(
        text.contains("Packets") && !few.proto().contains("NAT") && !few.proto().contains("TTL"),
        "{text}"
    );
}

#[test]
fn captures_are_read_in_turn() {
    let out = Out::new("captures");
    let path = |name: &str| Data::Made.path(name).to_str().unwrap().to_string();
    let (data, templates) = (path("flows/data.pcap"), path("flows/templates.pcap"));
    for captures in [[&*templates, &*data], [&*data, &*templates]] {
        let text = prints(&[&["--out", out.path()][..], &captures].concat());
        assert!(text.contains("to 48 flows"), "{text}");
    }
    let text = prints(&["--out", out.path(), &data]);
    assert!(
        text.contains("to 0 flows") && text.contains("3 sets of records whose template is missing"),
        "{text}"
    );
}

#[test]
fn mistakes_are_explained() {
    assert!(prints(&["--help"]).starts_with("usage: flows"));
    let columns = prints(&["--columns", "--disable", "L2"]);
    assert!(
        columns.contains("23 SrcMAC           L2 (left out)\n") && columns.contains("10 SrcPort"),
        "{columns}"
    );
    let out = Out::new("mistakes");
    let out = ["--out", out.path()];
    let complaint = complains(&[&out[..], &["--disable", "Sorce"]].concat());
    assert!(
        complaint.contains("no such field or group: Sorce") && complaint.contains("--columns"),
        "{complaint}"
    );
    assert!(complains(&[&out[..], &["no-such-file.pcap"]].concat()).contains("no-such-file.pcap: "));
    let complaint = complains(&[&out[..], &[concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]].concat());
    assert!(complaint.contains("no capture in the format pcap or pcapng"), "{complaint}");
    assert!(complains(&["--flow", "5"]).contains("there is no option --flow\n"));
    assert!(complains(&["--flows", "many"]).contains("--flows needs a number, not many"));
    assert!(complains(&["--out"]).contains("--out needs a value"));
}
