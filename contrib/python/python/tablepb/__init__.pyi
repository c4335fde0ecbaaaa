from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, final

__all__ = ["Message", "Pool", "TablepbError"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowSchema(Protocol):
    def __arrow_c_schema__(self) -> object: ...

_Column = _ArrowArray | _ArrowStream

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
    def schema(
        self,
        *,
        fields: Iterable[str] | None = None,
        preset: Literal["portable", "arrow"] = "portable",
        enums: Literal["number", "name", "dictionary"] | None = None,
        oneofs: Literal["columns", "union"] | None = None,
        well_known: bool | None = None,
        time_unit: Literal["s", "ms", "us", "ns"] | None = None,
        views: bool | None = None,
        unknown_fields: bool = False,
        recursion: int = 0,
        json_fields: Iterable[str] = ...,
        bytes_fields: Iterable[str] = ...,
    ) -> _ArrowSchema:
        """The columns of decode with the same options."""
    def decode(
        self,
        column: _Column,
        *,
        fields: Iterable[str] | None = None,
        bad_rows: Literal["fail", "null", "error"] = "fail",
        threads: int = 0,
        preset: Literal["portable", "arrow"] = "portable",
        enums: Literal["number", "name", "dictionary"] | None = None,
        oneofs: Literal["columns", "union"] | None = None,
        well_known: bool | None = None,
        time_unit: Literal["s", "ms", "us", "ns"] | None = None,
        views: bool | None = None,
        unknown_fields: bool = False,
        recursion: int = 0,
        json_fields: Iterable[str] = ...,
        bytes_fields: Iterable[str] = ...,
    ) -> _ArrowStream:
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
