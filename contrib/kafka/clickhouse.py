#!/usr/bin/env python3
"""ClickHouse inside of Python (`pip install chdb`), with a table of orders, behind the part of its HTTP interface that the sink uses.

    python3 clickhouse.py [PORT]

It prints its address. A query is the body of a request, or what stands in `query`, with rows as the body.
"""

import http.server
import sys
import tempfile
import urllib.parse

from chdb.session import Session

# Lists of messages are arrays of tuples. The place of a record in the topic makes a row unique.
TABLE = """
CREATE TABLE orders (
    id Int64, lines Array(Tuple(sku String, quantity UInt32)), price Float64, customer String, at Nullable(DateTime64(6)),
    partition Int32, offset Int64
) ENGINE = ReplacingMergeTree ORDER BY (partition, offset)
"""

STORE = Session()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("query", [""])[0]
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            if " FORMAT " in query:
                insert, form = query.rsplit(" FORMAT ", 1)
                with tempfile.NamedTemporaryFile() as file:
                    file.write(body)
                    file.flush()
                    table, settings = insert.removeprefix("INSERT INTO ").split(" SETTINGS ")
                    STORE.query(
                        f"INSERT INTO {table} (id, lines, price, customer, at, partition, offset) SELECT id, lines, price, customer, at, partition, offset"
                        f" FROM file('{file.name}', {form}) SETTINGS {settings}"
                    )
                status, answer = 200, b""
            else:
                status, answer = 200, str(STORE.query(query or body.decode(), "TSV")).encode()
        except RuntimeError as error:
            status, answer = 500, str(error).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def main():
    for statement in ("CREATE DATABASE shop", "USE shop", TABLE):
        STORE.query(statement)
    server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8123), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
