#!/usr/bin/env python3
"""The tool beside protoc, buf, protoscope and jq, job by job: writes docs/tools.md.

    cargo build --release --package tablepb-cli
    python3 benches/tools.py PROTOS [COUNT]

PROTOS is a directory of `.proto` sources, such as those of googleapis; it is not written to. COUNT records (200 000 without it) are made up for the
jobs on data. A tool that is not on the PATH has an empty cell. Each command runs three times; the least time counts, with the most memory that it took.
Output goes to /dev/null. Ends with 1 if a command fails that should not.
"""
import json
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLEPB = str(ROOT / "target/release/tablepb")
RUNS = 3
SCHEMA = """syntax = "proto3";
package shop;
enum Level { LEVEL_LOW = 0; LEVEL_HIGH = 1; }
message Item { uint64 id = 1; string name = 2; double price = 3; repeated string tags = 4; Level level = 5; Place place = 6; }
message Place { string city = 1; sint32 floor = 2; }
message Items { repeated Item items = 1; }
"""

# Job, what it is measured on, and the commands: `{in}` are inputs by name. A command may end with 1 if its job is to say that something differs.
JOBS = [
    ("compile a directory", "all of PROTOS", {
        "tablepb": "tablepb compile -I {protos} -o /dev/null {protos}",
        "protoc": "protoc -I{protos} -o/dev/null @{files}",
        "buf": "buf build {protos} -o /dev/null",
    }),
    ("compile one file", "the first file with ten imports", {
        "tablepb": "tablepb compile -I {protos} -o /dev/null {one}",
        "protoc": "protoc -I{protos} -o/dev/null {one}",
    }),
    ("find breaking changes", "all of PROTOS, and PROTOS with a field less", {
        "tablepb": "tablepb check {protos} {changed}",
        "buf": "buf breaking {changed} --against {protos} --config {breaking}",
    }),
    ("check the layout", "all of PROTOS", {
        "tablepb": "tablepb fmt --check {protos}",
        "buf": "buf format --exit-code --diff {protos}",
    }),
    ("binary to JSON", "one message of COUNT items", {
        "tablepb": "tablepb decode --proto {schema} --type shop.Items {binary}",
        "buf": "buf convert {schema} --type shop.Items --from {binary} --to -#format=json",
    }),
    ("JSON to binary", "the same", {
        "tablepb": "tablepb encode --proto {schema} --type shop.Items {json}",
        "buf": "buf convert {schema} --type shop.Items --from {json} --to -#format=binpb",
    }),
    ("binary to text format", "the same", {
        "tablepb": "tablepb decode --proto {schema} --type shop.Items --to text {binary}",
        "protoc": "protoc -I{work} --decode=shop.Items {schema} < {binary}",
    }),
    ("text format to binary", "the same", {
        "tablepb": "tablepb encode --proto {schema} --type shop.Items --from text {text}",
        "protoc": "protoc -I{work} --encode=shop.Items {schema} < {text}",
    }),
    ("pick fields on a condition", "COUNT records; jq on NDJSON", {
        "tablepb": "tablepb query --proto {schema} --type shop.Item --from delimited --select id,place.city --where 'price > 90' {stream}",
        "tablepb on NDJSON": "tablepb query --proto {schema} --type shop.Item --from ndjson --select id,place.city --where 'price > 90' {ndjson}",
        "jq": "jq -c 'select(.price > 90) | {{id, city: .place.city}}' {ndjson}",
    }),
    ("count by group", "the same", {
        "tablepb": "tablepb query --proto {schema} --type shop.Item --from delimited --group-by level --select 'level,count(),avg(price)' {stream}",
        "tablepb on NDJSON": "tablepb query --proto {schema} --type shop.Item --from ndjson --group-by level --select 'level,count(),avg(price)' {ndjson}",
        "jq": "jq -sc 'group_by(.level) | map({{level: .[0].level, n: length, avg: (map(.price) | add / length)}})' {ndjson}",
    }),
    ("look at bytes without a schema", "one message of COUNT items", {
        "tablepb": "tablepb inspect --full {binary}",
        "protoc": "protoc --decode_raw < {binary}",
        "protoscope": "protoscope {binary}",
    }),
    ("compare two messages", "COUNT items, one of which differs; jq -S and diff", {
        "tablepb": "tablepb diff --proto {schema} --type shop.Items {binary} {other}",
        "jq": "bash -c 'diff <(jq -S . {json}) <(jq -S . {other_json})'",
    }),
]
TOOLS = ["tablepb", "tablepb on NDJSON", "protoc", "buf", "protoscope", "jq"]

LACKS = """| | |
|---|---|
| protoc | plugins and code for other languages (`tablepb generate` writes Rust; `tablepb compile` writes the set that plugins read) |
| buf | a registry and its modules, `buf.yaml`, the linter, an editor server, gRPC calls by Connect's protocol |
| jq | a language: `query` picks, filters, groups and sorts, and does not compute |
"""


def versions():
    """What each tool says of itself."""
    asked = {"protoc": "--version", "buf": "--version", "jq": "--version"}
    found = []
    for tool, flag in asked.items():
        if shutil.which(tool):
            out = subprocess.run([tool, flag], capture_output=True, text=True)
            said = (out.stdout or out.stderr).split("\n")[0]
            found.append(said if tool in said else f"{tool} {said}")
    if shutil.which("protoscope"):
        found.append("protoscope")
    return ", ".join(found)


def measured(command):
    """Least seconds, and most memory in MB; None if the tool is not there."""
    program = command.split()[0]
    if program == "tablepb":
        command = TABLEPB + command[len("tablepb"):]
    elif not shutil.which("jq" if program == "bash" else program):
        return None
    best, memory = float("inf"), 0
    for _ in range(RUNS):
        with tempfile.TemporaryFile() as errors:
            start = time.monotonic()
            child = subprocess.Popen(["bash", "-c", f"exec {command} > /dev/null"] if "<(" not in command else ["bash", "-c", f"{command} > /dev/null"],
                                     stderr=errors, cwd=os.environ["TOOLS_WORK"])
            _, status, usage = os.wait4(child.pid, 0)
            best = min(best, time.monotonic() - start)
            memory = max(memory, usage.ru_maxrss / 1024)
            code = os.waitstatus_to_exitcode(status)
            # 1 is a difference that was found; buf says 100.
            if code not in (0, 1, 100):
                errors.seek(0)
                sys.exit(f"{command}\nended with {code}: {errors.read()[:2000].decode(errors='replace')}")
    return best, memory


def records(count):
    pick = random.Random(1)
    cities = ["Oslo", "Lima", "Kyoto", "Łódź", "Accra"]
    for at in range(count):
        yield {
            "id": str(pick.randrange(1 << 40)), "name": f"item number {at}", "price": round(pick.random() * 100, 2),
            "tags": [f"tag-{pick.randrange(9)}" for _ in range(pick.randrange(4))], "level": pick.choice(["LEVEL_LOW", "LEVEL_HIGH"]),
            "place": {"city": pick.choice(cities), "floor": pick.randrange(-3, 9)},
        }


def inputs(work, protos, count):
    """Files by name."""
    made = {name: str(work / end) for name, end in [
        ("schema", "shop.proto"), ("binary", "items.binpb"), ("other", "other.binpb"), ("json", "items.json"), ("other_json", "other.json"),
        ("text", "items.txtpb"), ("stream", "items.bin"), ("ndjson", "items.ndjson"), ("files", "files"), ("breaking", "breaking.yaml"),
    ]}
    write = lambda name, text: pathlib.Path(made[name]).write_text(text)
    write("schema", SCHEMA)
    write("breaking", "version: v2\nbreaking:\n  use: [WIRE_JSON]\n")
    items = list(records(count))
    write("ndjson", "".join(json.dumps(item) + "\n" for item in items))
    write("json", json.dumps({"items": items}))
    items[count // 2]["price"] += 1
    write("other_json", json.dumps({"items": items}))
    run = lambda *arguments: subprocess.run([TABLEPB, *arguments], check=True)
    whole = ["--proto", made["schema"], "--type", "shop.Items"]
    run("encode", *whole, made["json"], "-o", made["binary"])
    run("encode", *whole, made["other_json"], "-o", made["other"])
    run("decode", *whole, "--to", "text", made["binary"], "-o", made["text"])
    run("encode", "--proto", made["schema"], "--type", "shop.Item", "--from", "ndjson", "--to", "delimited", made["ndjson"], "-o", made["stream"])
    sources = sorted(str(path.relative_to(protos)) for path in protos.rglob("*.proto"))
    write("files", "\n".join(sources))
    imports = lambda name: (protos / name).read_text().count("\nimport ")
    one = next((name for name in sources if imports(name) >= 10), sources[0])
    changed = work / "changed"
    shutil.copytree(protos, changed)
    for name in sources:
        lines = (changed / name).read_text().split("\n")
        field = next((at for at, line in enumerate(lines) if line.startswith("  string ") and line.endswith("= 1;")), None)
        if field is not None:
            del lines[field]
            (changed / name).write_text("\n".join(lines))
            break
    return made | {"protos": str(protos), "work": str(work), "one": one, "changed": str(changed)}, len(sources)


def cpu():
    for line in open("/proc/cpuinfo") if os.path.exists("/proc/cpuinfo") else []:
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def cell(result, own):
    if result is None:
        return ""
    seconds, memory = result
    times = "" if own is None else f" ({seconds / own[0]:.2g} x)"
    shown = f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    return f"{shown}{times}, {memory:.0f} MB"


def main():
    protos = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    with tempfile.TemporaryDirectory() as directory:
        # By a process of its own: the kernel counts the most memory of this one as that of the programs that it starts.
        made, sources = json.loads(subprocess.run(
            [sys.executable, __file__, "--inputs", directory, str(protos), str(count)], check=True, capture_output=True).stdout)
        # Names of files are relative to the sources for protoc.
        os.environ["TOOLS_WORK"] = str(protos)
        table, commands = [], []
        for job, data, by_tool in JOBS:
            print(job, flush=True)
            results = {tool: measured(command.format(**made)) for tool, command in by_tool.items()}
            own = results["tablepb"]
            cells = [cell(results.get(tool), None if tool == "tablepb" else own) for tool in TOOLS]
            table.append(f"| {job} | " + " | ".join(cells) + " |")
            commands.append(f"**{job}**: {data}.\n\n```sh\n" + "\n".join(shown(command) for command in by_tool.values()) + "\n```\n")
        page = PAGE.format(
            cpu=cpu(), cores=os.cpu_count(), versions=versions(), sources=sources, count=f"{count:,}".replace(",", " "),
            tools=" | ".join(TOOLS), rule="|".join(["--:"] * len(TOOLS)), rows="\n".join(table), lacks=LACKS, commands="\n".join(commands))
    (ROOT / "docs/tools.md").write_text(page)


def shown(command):
    names = {"protos": "PROTOS", "changed": "CHANGED", "one": "ONE.proto", "schema": "shop.proto", "binary": "items.binpb", "other": "other.binpb",
             "json": "items.json", "other_json": "other.json", "text": "items.txtpb", "stream": "items.bin", "ndjson": "items.ndjson", "files": "FILES",
             "work": ".", "breaking": "breaking.yaml"}
    return command.format(**names)


PAGE = """# The tool beside others

`benches/tools.py` measures and writes this page. {versions}; {cpu}, {cores} processors; {sources} sources, {count} records. Each cell is the least
wall-clock time of three runs, start of the program included, how many times that of tablepb it is, and the most memory of one process
(never less than the script takes that starts it).

| job | {tools} |
|---|{rule}|
{rows}

## What only the others have

{lacks}
## The commands

{commands}"""

if __name__ == "__main__":
    if sys.argv[1] == "--inputs":
        print(json.dumps(inputs(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4]))))
    else:
        main()
