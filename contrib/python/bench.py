"""A column of messages to a pyarrow table and back, beside protarrow and ptars: `python bench.py [ROWS]`.

Each contender in turns, the least of seven runs; `x` is how many times as long it takes as tablepb with the same number of threads. Needs grpcio-tools,
for the generated code that protarrow wants, and both packages; what is not installed is left out.
"""

import importlib
import pathlib
import random
import sys
import tempfile
import time

import pyarrow
import tablepb

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
SOURCE = """
syntax = "proto3";
package bench;
message Flat { int64 id = 1; string name = 2; double a = 3; double b = 4; uint32 c = 5; bool d = 6; string e = 7; sint32 f = 8; }
message Point { double x = 1; double y = 2; }
message Nested { int64 id = 1; Point at = 2; repeated Point path = 3; map<string, string> tags = 4; repeated int32 codes = 5; }
message Sparse { %s }
""" % " ".join(f"optional int64 f{n} = {n};" for n in range(1, 41))


def generated():
    """The classes that protoc makes."""
    from grpc_tools import protoc

    directory = tempfile.mkdtemp()
    pathlib.Path(directory, "bench_schema.proto").write_text(SOURCE)
    assert protoc.main(["protoc", f"-I{directory}", f"--python_out={directory}", "bench_schema.proto"]) == 0
    sys.path.insert(0, directory)
    return importlib.import_module("bench_schema_pb2")


def fill(classes, name, pick):
    made = getattr(classes, name)()
    if name == "Flat":
        made.id, made.name, made.a, made.b = pick.randrange(10**9), "n" * pick.randrange(30), pick.random(), pick.random()
        made.c, made.d, made.e, made.f = pick.randrange(10**6), pick.random() < 0.5, "e" * pick.randrange(10), pick.randrange(-99, 99)
    elif name == "Nested":
        made.id, made.at.x = pick.randrange(10**9), pick.random()
        for _ in range(pick.randrange(5)):
            made.path.add(x=pick.random(), y=pick.random())
        made.codes.extend(pick.randrange(1000) for _ in range(pick.randrange(8)))
        for key in pick.sample("abcdef", pick.randrange(4)):
            made.tags[key] = "value"
    else:
        for number in pick.sample(range(1, 41), 3):
            setattr(made, f"f{number}", pick.randrange(10**6))
    return made


def best(contenders):
    least = {name: float("inf") for name in contenders}
    for _ in range(7):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def main():
    classes = generated()
    pool = tablepb.Pool.from_proto(SOURCE)
    try:
        import protarrow
    except ImportError:
        protarrow = None
    try:
        import ptars
    except ImportError:
        ptars = None
    for name in ("Flat", "Nested", "Sparse"):
        pick = random.Random(1)
        kind, message = getattr(classes, name), pool.message(f"bench.{name}")
        values = [fill(classes, name, pick).SerializeToString() for _ in range(ROWS)]
        column = pyarrow.array(values, pyarrow.binary())
        reading = {
            "tablepb": lambda: pyarrow.table(message.decode(column, threads=1)),
            "tablepb, all threads": lambda: pyarrow.table(message.decode(column)),
        }
        table = reading["tablepb"]()
        writing = {"tablepb": lambda: pyarrow.chunked_array(message.encode(table))}
        if protarrow:
            reading["protarrow"] = lambda: protarrow.messages_to_table([kind.FromString(value) for value in values], kind)
            theirs = reading["protarrow"]()
            writing["protarrow"] = lambda: [made.SerializeToString() for made in protarrow.table_to_messages(theirs, kind)]
        if ptars:
            handler = ptars.HandlerPool([classes.DESCRIPTOR]).get_for_message(kind.DESCRIPTOR)
            reading["ptars"] = lambda: handler.array_to_record_batch(column)
            batch = reading["ptars"]()
            writing["ptars"] = lambda: handler.record_batch_to_array(batch)
        for what, contenders in (("decode", reading), ("encode", writing)):
            least = best(contenders)
            shown = ", ".join(f"{who} {seconds * 1e9 / ROWS:.0f} ns ({seconds / least['tablepb']:.2f} x)" for who, seconds in least.items())
            print(f"{name:7} {what}: {shown}")


main()
