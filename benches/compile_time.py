#!/usr/bin/env python3
"""How long generated code takes to compile: structs of tablepb-build beside those of prost-build, from one schema of random messages.

    python3 benches/compile_time.py [MESSAGES] [SEED]

Makes two packages in a temporary directory, builds what they depend on, and then times the package alone: processor time of `cargo build`
(development profile, without debug information, no incremental compilation) and the time after a change of one line with it. Needs cargo and the
registry; schemas are compiled by protox for prost, so no protoc is needed.
"""
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 200
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
SCALARS = ["int32", "int64", "uint32", "uint64", "sint32", "bool", "double", "float", "string", "bytes", "fixed64"]


def schema():
    """Messages of 1 to 20 fields: scalars, lists, maps, oneofs, enums, messages."""
    pick = random.Random(SEED)
    lines = ['syntax = "proto3";', "package bench;", "enum Level { NONE = 0; LOW = 1; HIGH = 2; }"]
    for index in range(COUNT):
        fields, number = [], 1
        for _ in range(pick.randint(1, 20)):
            kind = pick.random()
            name = f"field_{number}"
            if kind < 0.6:
                fields.append(f"  {pick.choice(['', '', 'optional ', 'repeated '])}{pick.choice(SCALARS)} {name} = {number};")
            elif kind < 0.75 and index > 0:
                fields.append(f"  {pick.choice(['', 'repeated '])}Message{pick.randrange(index)} {name} = {number};")
            elif kind < 0.85:
                fields.append(f"  {pick.choice(['', 'repeated '])}Level {name} = {number};")
            elif kind < 0.92:
                fields.append(f"  map<string, {pick.choice(['int32', 'string', 'Level'])}> {name} = {number};")
            else:
                fields.append(f"  oneof {name} {{ int32 {name}_a = {number}; string {name}_b = {number + 1}; }}")
                number += 1
            number += 1
        lines += [f"message Message{index} {{", *fields, "}"]
    return "\n".join(lines)


PACKAGES = {
    "tablepb": (
        f'tablepb = {{ path = "{ROOT}" }}',
        f'tablepb-build = {{ path = "{ROOT / "crates/build"}" }}',
        'fn main() { tablepb_build::compile(&["../bench.proto"], &[".."]).unwrap() }',
        'tablepb::include_proto!("bench");',
    ),
    "prost": (
        'prost = "0.14"',
        'prost-build = "0.14"\nprotox = "0.9"',
        'fn main() { prost_build::compile_fds(protox::compile(["../bench.proto"], [".."]).unwrap()).unwrap() }',
        'include!(concat!(env!("OUT_DIR"), "/bench.rs"));',
    ),
}


def timed(directory, incremental):
    """Seconds of wall time and of the processor for the package alone."""
    environment = dict(os.environ, CARGO_PROFILE_DEV_DEBUG="0", CARGO_INCREMENTAL="1" if incremental else "0", CARGO_TARGET_DIR=str(directory / "target"))
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run(["cargo", "build", "--quiet"], cwd=directory, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.time() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    results = {}
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "bench.proto").write_text(schema())
        for package, (dependency, build, script, source) in PACKAGES.items():
            directory = root / package
            (directory / "src").mkdir(parents=True)
            (directory / "Cargo.toml").write_text(
                f'[package]\nname = "bench-{package}"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n{dependency}\n'
                f"[build-dependencies]\n{build}\n[workspace]\n"
            )
            (directory / "build.rs").write_text(script)
            library = directory / "src/lib.rs"
            library.write_text("")
            timed(directory, False)
            timed(directory, True)
            times = []
            for incremental in (False, True):
                library.write_text(source)
                first = timed(directory, incremental)
                library.write_text(source + "\npub fn changed() {}\n")
                second = timed(directory, incremental)
                times.append(second if incremental else min(first, second))
            results[package] = times
    print(f"{COUNT} messages, seed {SEED}: seconds of processor time, and of wall time\n")
    print("| | tablepb-build | prost-build | ratio |\n|---|--:|--:|--:|")
    for row, label in enumerate(["whole", "after a change, incremental"]):
        ours, theirs = results["tablepb"][row], results["prost"][row]
        print(f"| {label} | {ours[1]:.1f} ({ours[0]:.1f}) | {theirs[1]:.1f} ({theirs[0]:.1f}) | {ours[1] / theirs[1]:.2f} |")


main()
