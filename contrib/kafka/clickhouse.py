#!/usr/bin/env python3
"""Loads the files that `consume` has written into ClickHouse, and asks it something.

    pip install chdb
    python3 clickhouse.py DIRECTORY
    python3 clickhouse.py DIRECTORY "SELECT count() FROM orders"

chdb is ClickHouse inside of Python. Records that could not be read are rows with `_error`; they are counted apart.
"""
import sys

from chdb.session import Session

# Lists of messages are arrays of tuples. The place of a record in the topic makes a row unique.
TABLE = """
CREATE TABLE orders (
    id Int64, lines Array(Tuple(sku String, quantity UInt32, price Float64)), customer String, _error Nullable(String),
    partition Int32, offset Int64
) ENGINE = ReplacingMergeTree ORDER BY (partition, offset)
"""

LOAD = "INSERT INTO orders SELECT * FROM file('{}/orders-*.arrow', Arrow)"

TOP = """
SELECT line.sku AS sku, sum(line.quantity) AS quantity, round(sum(line.quantity * line.price), 2) AS turnover
FROM orders FINAL ARRAY JOIN lines AS line WHERE _error IS NULL GROUP BY sku ORDER BY quantity DESC, sku LIMIT 10
"""


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    store = Session()
    store.query("CREATE DATABASE shop")
    store.query("USE shop")
    store.query(TABLE)
    # Absent values are the defaults of their columns.
    store.query(LOAD.format(sys.argv[1].rstrip("/")) + " SETTINGS input_format_null_as_default = 1, insert_null_as_default = 1")
    if len(sys.argv) == 3:
        print(store.query(sys.argv[2], "TSV"), end="")
    else:
        print("orders and bad records:", store.query("SELECT countIf(_error IS NULL), countIf(_error IS NOT NULL) FROM orders FINAL", "TSV"))
        print(store.query(TOP, "PrettyCompactMonoBlock"), end="")


if __name__ == "__main__":
    main()
