#!/usr/bin/env python3
"""Loads what the example `flows` has written into a column store, and asks it something.

    cargo run --release --example flows -- --out target/flows
    pip install chdb
    python3 examples/flows/column_store.py target/flows
    python3 examples/flows/column_store.py target/flows "SELECT count() FROM flows"

chdb is ClickHouse inside of Python; docs/column-store.md has the same for a server.
"""
import pathlib
import re
import sys

from chdb.session import Session

# Columns have the names of the fields; `bytes` of 16 are IPv6. A value that does not fit its column would fail the
# whole load, so that numbers are as wide as in the schema, whatever exporters send.
TABLE = """
CREATE TABLE flows (
    TimeReceived DateTime('UTC'), SamplingRate UInt64, ExporterAddress IPv6, InIf UInt32, OutIf UInt32,
    SrcAddr IPv6, DstAddr IPv6, EType UInt32, Proto UInt32, SrcPort UInt32, DstPort UInt32, Bytes UInt64,
    Packets UInt64, SrcAS UInt32, DstAS UInt32, NextHop IPv6, SrcNetMask UInt32, DstNetMask UInt32,
    DstASPath Array(UInt32), DstCommunities Array(UInt32), SrcVlan UInt32, DstVlan UInt32, SrcMAC UInt64,
    DstMAC UInt64, TOS UInt32, TTL UInt32, TCPFlags UInt32, ICMPType UInt32, ICMPCode UInt32,
    FragmentID UInt32, FragmentOffset UInt32, IPv6FlowLabel UInt32, ForwardingStatus UInt32,
    SrcAddrNAT IPv6, DstAddrNAT IPv6, SrcPortNAT UInt32, DstPortNAT UInt32, MPLSLabels Array(UInt32),
    FlowDirection Enum8('UNDEFINED' = 0, 'INGRESS' = 1, 'EGRESS' = 2)
) ENGINE = MergeTree ORDER BY (TimeReceived, ExporterAddress)
"""

# Flows without a sampling rate, from other collectors, count once.
TOP = """
SELECT SrcAddr, SrcPort, sum(Bytes * greatest(SamplingRate, 1)) AS bytes, count() AS flows
FROM flows GROUP BY SrcAddr, SrcPort ORDER BY bytes DESC LIMIT 10
"""


def message(schema):
    """The name of the message in a .proto; `flows --hashed-name` adds its hash to it."""
    return re.search(r"^message (\w+) \{", pathlib.Path(schema).read_text(), re.MULTILINE)[1]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    directory = sys.argv[1].rstrip("/")
    schema = f"{directory}/flows.proto"
    store = Session()
    store.query("CREATE DATABASE net")
    store.query("USE net")
    store.query(TABLE)
    # The schema is a file and a message in it, without its package.
    store.query(
        f"INSERT INTO flows FROM INFILE '{directory}/flows.binpb' "
        f"SETTINGS format_schema = '{schema}:{message(schema)}' FORMAT Protobuf"
    )
    if len(sys.argv) == 3:
        print(store.query(sys.argv[2], "TSV"), end="")
    else:
        print("flows:", store.query("SELECT count() FROM flows", "TSV"))
        print(store.query(TOP, "PrettyCompactMonoBlock"), end="")


if __name__ == "__main__":
    main()
