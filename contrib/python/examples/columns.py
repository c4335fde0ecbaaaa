"""Columns of messages in Python, in cells as notebooks have them: `python examples/columns.py`, or open it in an editor that runs `# %%`.

    pip install pyarrow duckdb polars
"""

# %% A schema. `Pool.from_files` compiles files, `Pool.from_descriptor_set` loads what protoc writes.
import pathlib
import tempfile

import duckdb
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import tablepb

pool = tablepb.Pool.from_proto("""
    syntax = "proto3";
    package shop;
    import "google/protobuf/timestamp.proto";

    enum State { NEW = 0; PAID = 1; SENT = 2; }
    message Item { string name = 1; uint32 count = 2; double price = 3; }
    message Order {
      int64 id = 1; string customer = 2; State state = 3; repeated Item items = 4; map<string, string> tags = 5;
      google.protobuf.Timestamp at = 6; oneof paid { string card = 7; bool cash = 8; }
    }
""")
order = pool.message("shop.Order")

# %% A table with a column of messages, as topics and event logs leave them in Parquet.
directory = pathlib.Path(tempfile.mkdtemp())
messages = [
    order.from_dict({
        "id": str(number),
        "customer": f"c{number % 3}",
        "state": number % 3,
        "items": [{"name": name, "count": number % 5, "price": 2.5} for name in ["tea", "cup"][: 1 + number % 2]],
        "tags": {"day": str(number % 7)},
        "at": f"2026-01-01T00:00:{number % 60:02}Z",
        **({"cash": True} if number % 2 else {"card": f"card {number}"}),
    })
    for number in range(1000)
]
# One that is no message, and a row without one.
messages[10], messages[11] = b"\x0a\x7f", None
topic = pyarrow.table({"offset": range(1000), "value": pyarrow.array(messages, pyarrow.binary())})
pyarrow.parquet.write_table(topic, directory / "topic.parquet")

# %% One call makes a table of it, a row for each row. Bad rows are nulls here; `bad_rows="error"` has their errors in a column, and without it the call fails and says why.
column = pyarrow.parquet.read_table(directory / "topic.parquet")["value"]
orders = pyarrow.table(order.decode(column, bad_rows="null"))
print(orders.schema.remove_metadata().to_string(show_field_metadata=False))
assert orders.num_rows == 1000 and orders["id"].null_count == 2

bad = pyarrow.table(order.rejected(column))
print("row", bad["row"][0], "is", bad["message"][0].as_py(), "and", bad["error"][0].as_py())

# %% Only some fields, which is faster, and other columns: see the README for all choices.
some = pyarrow.table(order.decode(column, bad_rows="null", fields=["customer", "items.name"]))
assert some.column_names == ["customer", "items"]
choices = pyarrow.table(order.decode(column, bad_rows="null", enums="number", oneofs="named", maps="lists", json=["items"]))
print(choices.slice(0, 1).to_pylist()[0])

# %% DuckDB asks the table, and so does anything that reads Arrow.
answer = duckdb.sql("""
    SELECT item.name AS name, sum(item.count) AS count, count(*) FILTER (state = 'PAID') AS paid
    FROM (SELECT state, unnest(items) AS item FROM orders) GROUP BY name ORDER BY name
""").fetchall()
print(answer)
assert [name for name, *_ in answer] == ["cup", "tea"]

# %% Polars, without a copy.
frame = polars.DataFrame(order.decode(column, bad_rows="null", fields=["customer", "at"]))
print(frame.group_by("customer").agg(polars.col("at").max()).sort("customer"))

# %% And back: tables as messages. Columns find their fields by name.
again = pyarrow.chunked_array(order.encode(orders.filter(pyarrow.compute.is_valid(orders["id"]))))
kept = [message for number, message in enumerate(messages) if number not in (10, 11)]
assert again.to_pylist() == kept

# %% Columns of JSON, and one message as a dict.
texts = pyarrow.chunked_array(order.to_json(again))
print(texts[0].as_py())
assert pyarrow.chunked_array(order.from_json(texts)).to_pylist() == kept
assert order.to_dict(kept[0])["card"] == "card 0"
