#!/usr/bin/env python3
"""The queries of the example `spans`, in ClickHouse, which reads the same file with the same number of threads.

    pip install chdb
    python3 contrib/datafusion/examples/spans/chdb_query.py target/spans [THREADS]
"""
import sys
import time

from chdb.session import Session

# ClickHouse reads the columns that it is told of, and skips the other fields.
QUERIES = [
    (
        "name String, kind Int32, start_time_unix_nano UInt64, end_time_unix_nano UInt64",
        "SELECT name, kind, count() AS spans, sum(end_time_unix_nano - start_time_unix_nano) AS total, "
        "max(end_time_unix_nano - start_time_unix_nano) AS longest FROM {} GROUP BY name, kind ORDER BY name, kind",
    ),
    (
        "start_time_unix_nano UInt64, end_time_unix_nano UInt64",
        "SELECT count() AS spans FROM {} WHERE end_time_unix_nano - start_time_unix_nano > 20000000000",
    ),
    (
        "trace_id String, `attributes.key` Array(String)",
        "SELECT count(DISTINCT trace_id) AS traces, sum(length(attributes.key)) AS attributes FROM {}",
    ),
    ("kind Int32", "SELECT count() AS spans FROM {}"),
]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    directory = sys.argv[1].rstrip("/")
    threads = int(sys.argv[2]) if len(sys.argv) == 3 else 2
    store = Session()
    for columns, sql in QUERIES:
        table = f"file('{directory}/spans.binpb', 'Protobuf', '{columns}')"
        settings = f" SETTINGS format_schema = '{directory}/spans.proto:Span', max_threads = {threads}"
        best = None
        for _ in range(3):
            began = time.monotonic()
            result = store.query(sql.format(table) + settings, "PrettyCompactMonoBlock")
            seconds = time.monotonic() - began
            best = seconds if best is None else min(best, seconds)
        print(f"\n{sql.format('spans')}\nbest of 3: {best:.3f} s\n{result}")


if __name__ == "__main__":
    main()
