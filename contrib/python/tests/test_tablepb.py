"""Columns there and back, beside Google's protobuf, read by pyarrow, polars and DuckDB."""

import pathlib
import random
import re

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
import tablepb
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

SOURCE = """
syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
enum State { NEW = 0; PAID = 1; SENT = 2; }
message Item { string name = 1; uint32 count = 2; optional double price = 3; }
message Order {
  int64 id = 1; string customer = 2; State state = 3; repeated Item items = 4; map<string, int32> tags = 5;
  google.protobuf.Timestamp at = 6; bytes raw = 7; oneof paid { string card = 8; bool cash = 9; } repeated sint64 deltas = 10;
}
"""


def field(name, number, kind, label=1, type_name=None, oneof=None, optional=False):
    made = descriptor_pb2.FieldDescriptorProto(name=name, number=number, type=kind, label=label)
    if type_name:
        made.type_name = type_name
    if oneof is not None:
        made.oneof_index = oneof
    made.proto3_optional = optional
    return made


@pytest.fixture(scope="module")
def google():
    """The same type in Google's library, made from a descriptor written out here."""
    file = descriptor_pb2.FileDescriptorProto(name="shop.proto", package="shop", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    state = file.enum_type.add(name="State")
    for number, name in enumerate(["NEW", "PAID", "SENT"]):
        state.value.add(name=name, number=number)
    item = file.message_type.add(name="Item")
    item.field.extend([field("name", 1, 9), field("count", 2, 13), field("price", 3, 1, oneof=0, optional=True)])
    item.oneof_decl.add(name="_price")
    order = file.message_type.add(name="Order")
    entry = order.nested_type.add(name="TagsEntry")
    entry.field.extend([field("key", 1, 9), field("value", 2, 5)])
    entry.options.map_entry = True
    order.oneof_decl.add(name="paid")
    order.field.extend([
        field("id", 1, 3), field("customer", 2, 9), field("state", 3, 14, type_name=".shop.State"),
        field("items", 4, 11, 3, ".shop.Item"), field("tags", 5, 11, 3, ".shop.Order.TagsEntry"),
        field("at", 6, 11, type_name=".google.protobuf.Timestamp"), field("raw", 7, 12),
        field("card", 8, 9, oneof=0), field("cash", 9, 8, oneof=0), field("deltas", 10, 18, 3),
    ])
    from google.protobuf import timestamp_pb2

    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))


@pytest.fixture(scope="module")
def order():
    return tablepb.Pool.from_proto(SOURCE).message("shop.Order")


def make(google, seed):
    pick = random.Random(seed)
    made = google(id=pick.randrange(-2**50, 2**50), customer="c" * pick.randrange(30), state=pick.randrange(3))
    for _ in range(pick.randrange(4)):
        item = made.items.add(name=pick.choice(["tea", "coffee", "a name of more than twelve bytes"]), count=pick.randrange(9))
        if pick.random() < 0.5:
            item.price = pick.random()
    for key in pick.sample("abcdef", pick.randrange(3)):
        made.tags[key] = pick.randrange(-5, 5)
    if pick.random() < 0.7:
        made.at.seconds = pick.randrange(-10**9, 2 * 10**9)
        made.at.nanos = pick.randrange(10**6) * 1000
    match pick.randrange(3):
        case 1: made.card = "1234"
        case 2: made.cash = False
    made.raw = pick.randbytes(pick.randrange(20))
    made.deltas.extend(pick.randrange(-100, 100) for _ in range(pick.randrange(5)))
    return made


@pytest.fixture(scope="module")
def messages(google):
    return [make(google, seed) for seed in range(3000)]


@pytest.fixture(scope="module")
def column(messages):
    values = [message.SerializeToString() for message in messages]
    values[5] = None
    return pyarrow.array(values, pyarrow.binary())


def test_rows_are_those_of_googles_library(order, messages, column):
    rows = pyarrow.table(order.decode(column)).to_pylist()
    assert len(rows) == len(messages)
    assert all(value is None for value in rows[5].values())
    for at, (row, message) in enumerate(zip(rows, messages)):
        if at == 5:
            continue
        assert row["id"] == message.id and row["customer"] == message.customer and row["raw"] == message.raw
        assert row["state"] == ["NEW", "PAID", "SENT"][message.state]
        assert [item["name"] for item in row["items"]] == [item.name for item in message.items]
        prices = [item.price if item.HasField("price") else None for item in message.items]
        assert [item["price"] for item in row["items"]] == prices
        assert dict(row["tags"]) == dict(message.tags)
        assert row["deltas"] == list(message.deltas)
        paid = message.WhichOneof("paid")
        assert (row["card"], row["cash"]) == (message.card if paid == "card" else None, message.cash if paid == "cash" else None)
        if message.HasField("at"):
            assert row["at"].timestamp() == pytest.approx(message.at.seconds + message.at.nanos / 1e9)
        else:
            assert row["at"] is None


def test_every_kind_of_column_and_thread_gives_the_same(order, column):
    expected = pyarrow.table(order.decode(column, threads=1))
    kinds = [
        column.cast(pyarrow.large_binary()), column.cast(pyarrow.binary_view()), column.dictionary_encode(),
        pyarrow.chunked_array([column[:7], column[7:7], column[7:]]), polars.Series(column.to_pylist(), dtype=polars.Binary),
    ]
    for kind in kinds:
        for threads in (0, 1, 2):
            assert pyarrow.table(order.decode(kind, threads=threads)).combine_chunks() == expected.combine_chunks()
    assert pyarrow.schema(order.schema()) == expected.schema


def test_polars_and_duckdb_read_the_table(order, messages, column):
    frame = polars.DataFrame(order.decode(column))
    total = sum(message.id for at, message in enumerate(messages) if at != 5 and message.state == 1)
    assert frame.filter(polars.col("state") == "PAID")["id"].sum() == total
    orders = pyarrow.table(order.decode(column))
    found = duckdb.sql("""SELECT sum(id), count(*), count("at") FROM orders WHERE state = 'PAID'""").fetchall()
    assert found[0] == (
        total,
        sum(message.state == 1 for at, message in enumerate(messages) if at != 5),
        sum(message.state == 1 and message.HasField("at") for at, message in enumerate(messages) if at != 5),
    )
    assert orders.schema.field("raw").type == pyarrow.binary()


PORTABLE = [
    {}, {"maps": "entries"}, {"maps": "lists"}, {"oneofs": "named"}, {"presence": "default"}, {"json": ["items"]}, {"enums": "number"},
    {"well_known": False}, {"maps": "lists", "presence": "default", "oneofs": "named"},
]


@pytest.mark.parametrize("options", PORTABLE)
def test_parquet_of_each_choice_is_read_by_all(order, column, tmp_path, options):
    """pyarrow, polars, DuckDB and ClickHouse agree on Parquet files of portable columns."""
    import chdb

    table = pyarrow.table(order.decode(column.drop_null(), **options))
    path = str(tmp_path / "orders.parquet")
    pyarrow.parquet.write_table(table, path)
    assert pyarrow.parquet.read_table(path) == table
    ids, items = pyarrow.compute.sum(table["id"]).as_py(), pyarrow.compute.sum(pyarrow.compute.list_value_length(table["items"])).as_py()
    expected = (table.num_rows, ids, items, len(set(table["customer"].to_pylist())))
    frame = polars.read_parquet(path)
    assert (frame.height, frame["id"].sum(), frame["items"].list.len().sum(), frame["customer"].n_unique()) == expected
    query = "SELECT count(*), sum(id), sum(length(items)), count(DISTINCT customer) FROM"
    assert duckdb.sql(f"{query} '{path}'").fetchall()[0] == expected
    assert str(chdb.query(f"{query} file('{path}', Parquet)", "TSV")).split() == [str(value) for value in expected]
    # Each column can be read alone.
    for name in table.column_names:
        assert str(chdb.query(f"SELECT count(`{name}`) FROM file('{path}', Parquet)", "TSV")).strip().isdigit(), name
        assert duckdb.sql(f'SELECT count("{name}") FROM \'{path}\'').fetchall()[0][0] == table.num_rows - table[name].null_count


def test_tables_go_back(order, google, messages, column):
    for options in [{"preset": "portable"}, {"preset": "arrow"}, *({"preset": "arrow", **options} for options in PORTABLE[1:4])]:
        table = order.decode(column.drop_null(), **options)
        back = pyarrow.chunked_array(order.encode(table)).to_pylist()
        kept = [message for at, message in enumerate(messages) if at != 5]
        for bytes_, message in zip(back, kept, strict=True):
            assert google.FromString(bytes_) == message


def test_json_and_dict_are_googles(order, google, messages, column):
    texts = pyarrow.chunked_array(order.to_json(column)).to_pylist()
    assert texts[5] is None
    for at, (text, message) in enumerate(zip(texts, messages)):
        if at != 5:
            assert json_format.Parse(text, google()) == message
    back = pyarrow.chunked_array(order.from_json(pyarrow.array(texts))).to_pylist()
    assert all(at == 5 or google.FromString(bytes_) == message for at, (bytes_, message) in enumerate(zip(back, messages)))
    for message in messages[:50]:
        as_dict = order.to_dict(message.SerializeToString())
        assert as_dict == json_format.MessageToDict(message)
        assert google.FromString(order.from_dict(as_dict)) == message


def test_bad_rows(order, column):
    values = column.to_pylist()
    values[9] = values[2000] = b"\x12\x05abc"
    bad = pyarrow.chunked_array([values[:100], values[100:]], pyarrow.binary())
    with pytest.raises(tablepb.TablepbError, match="row 9: .*customer"):
        order.decode(bad)
    nulls = pyarrow.table(order.decode(bad, bad_rows="null"))
    assert [row for row, id_ in enumerate(nulls["id"].to_pylist()) if id_ is None] == [5, 9, 2000]
    errors = pyarrow.table(order.decode(bad, bad_rows="error"))["_error"].to_pylist()
    assert [row for row, error in enumerate(errors) if error] == [9, 2000] and "customer" in errors[9]
    rejected = pyarrow.table(order.rejected(bad)).to_pylist()
    assert [(row["row"], row["message"]) for row in rejected] == [(9, b"\x12\x05abc"), (2000, b"\x12\x05abc")]
    with pytest.raises(tablepb.TablepbError, match="row 1"):
        order.from_json(pyarrow.array(["{}", "{"]))
    with pytest.raises(tablepb.TablepbError, match="^a column of type Int64"):
        order.decode(pyarrow.array([1]))


def test_options_and_schemas(order, column, tmp_path):
    table = pyarrow.table(order.decode(column, fields=["id", "items.name"], views=True, enums="number"))
    assert table.column_names == ["id", "items"]
    assert table.schema.field("items").type.value_type.num_fields == 1
    whole = pyarrow.table(order.decode(column, fields=["items"], json=["items"]))
    assert whole.schema.field("items").type.value_type == pyarrow.string()
    assert pyarrow.schema(order.schema(bytes=["at"])).field("at").type == pyarrow.binary()
    assert pyarrow.schema(order.schema(bytes=[".google.protobuf.Timestamp"])).field("at").type == pyarrow.binary()
    arrow = pyarrow.schema(order.schema(preset="arrow"))
    assert pyarrow.types.is_dictionary(arrow.field("state").type) and pyarrow.types.is_union(arrow.field("paid").type)
    for wrong in ({"enums": "x"}, {"fields": ["nope"]}, {"bad_rows": "skip"}, {"time_unit": "day"}):
        with pytest.raises(tablepb.TablepbError):
            order.decode(column, **wrong)
    with pytest.raises(TypeError, match="nope"):
        order.decode(column, nope=1)
    (tmp_path / "a.proto").write_text('syntax = "proto3"; import "b.proto"; message A { B b = 1; }')
    (tmp_path / "b.proto").write_text('syntax = "proto3"; message B { int32 x = 1; }')
    pool = tablepb.Pool.from_files(["a.proto"], [str(tmp_path)])
    assert sorted(pool.messages()) == ["A", "B"]
    sources = {name: (tmp_path / name).read_text() for name in ("a.proto", "b.proto")}
    assert tablepb.Pool.from_proto(sources).message("A").full_name == "A"
    with pytest.raises(KeyError):
        pool.message("C")
    with pytest.raises(tablepb.TablepbError, match="schema.proto"):
        tablepb.Pool.from_proto("message {")
    set_ = descriptor_pb2.FileDescriptorSet()
    set_.file.add(name="c.proto").message_type.add(name="C")
    assert tablepb.Pool.from_descriptor_set(set_.SerializeToString()).messages() == ["C"]
    with pytest.raises(tablepb.TablepbError):
        tablepb.Pool.from_descriptor_set(b"\xff")


def test_the_program_of_the_readme_runs():
    readme = pathlib.Path(__file__).parent.parent.joinpath("README.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(programs) == 1
    exec(programs[0], {})


def test_the_example_runs():
    """Its own assertions hold."""
    import runpy

    runpy.run_path(str(pathlib.Path(__file__).parent.parent / "examples" / "columns.py"))
