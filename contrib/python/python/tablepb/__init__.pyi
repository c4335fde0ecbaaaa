from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, TypedDict, final

from typing_extensions import Unpack

__all__ = ["Message", "Pool", "TablepbError"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowSchema(Protocol):
    def __arrow_c_schema__(self) -> object: ...

_Column = _ArrowArray | _ArrowStream

class _Columns(TypedDict, total=False):
    """How fields become columns; `None` is the choice of the preset."""

    fields: Iterable[str] | None
    preset: Literal["portable", "arrow"]
    enums: Literal["number", "name", "dictionary"] | None
    oneofs: Literal["columns", "union", "named"] | None
    maps: Literal["map", "entries", "lists"] | None
    presence: Literal["null", "default"] | None
    well_known: bool | None
    time_unit: Literal["s", "ms", "us", "ns"] | None
    views: bool | None
    unknown_fields: bool
    extensions: bool
    recursion: int
    recursive: Literal["bytes", "json", "error"] | None
    json: Iterable[str]
    bytes: Iterable[str]

class _Decoding(_Columns, total=False):
    bad_rows: Literal["fail", "null", "error"]
    threads: int

class TablepbError(ValueError):
    """What is wrong with a schema, a message or a column."""

@final
class Pool:
    """The types of some schemas."""

    @staticmethod
    def from_proto(source: str | Mapping[str, str]) -> Pool:
        """Compiles .proto sources: one, or several by the names that they import each other by."""
    @staticmethod
    def from_files(files: Iterable[str], includes: Iterable[str] = ...) -> Pool:
        """Compiles .proto files and what they import, which is looked for in these directories."""
    @staticmethod
    def from_descriptor_set(data: bytes) -> Pool:
        """Loads an encoded google.protobuf.FileDescriptorSet, as protoc writes it with --include_imports."""
    def message(self, full_name: str) -> Message:
        """A message type. KeyError if there is none of this name."""
    def messages(self) -> list[str]:
        """The full names of all message types."""

@final
class Message:
    """A message type."""

    @property
    def full_name(self) -> str: ...
    def schema(self, **options: Unpack[_Columns]) -> _ArrowSchema:
        """The columns of decode with the same options."""
    def decode(self, column: _Column, **options: Unpack[_Decoding]) -> _ArrowStream:
        """A column of messages as a table of their fields, a row for each; a row of nulls for null.

        A row that is no message fails the call, is a row of nulls, or one with its error in a last column `_error`. 0 threads are as many as there are
        processors.
        """
    def rejected(self, column: _Column) -> _ArrowStream:
        """The rows of a column that are no messages: `row`, `message` and `error`."""
    def encode(self, table: _ArrowArray | _ArrowStream) -> _ArrowStream:
        """The rows of a table as messages, a column of bytes. Columns find their fields by name."""
    def to_json(self, column: _Column) -> _ArrowStream:
        """A column of messages as a column of ProtoJSON."""
    def from_json(self, column: _Column) -> _ArrowStream:
        """A column of ProtoJSON as a column of messages."""
    def to_dict(self, message: bytes) -> dict[str, Any]:
        """One message as ProtoJSON has it: 64-bit integers are strings, bytes are base64, enums are names."""
    def from_dict(self, message: Mapping[str, Any]) -> bytes:
        """The message of what to_dict returns."""
