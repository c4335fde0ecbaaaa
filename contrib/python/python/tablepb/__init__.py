"""Protocol Buffers as Arrow tables, for schemas that are known at run time."""

from ._tablepb import Message, Pool, TablepbError

__all__ = ["Message", "Pool", "TablepbError"]
