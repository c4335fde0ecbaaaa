"""Batches of tablepb-arrow in pyarrow, beside the messages of the Python protobuf package.

    compare.py LIBRARY [ROUNDS]

LIBRARY is the built cdylib of this package. In each round random messages go from protobuf to a batch, which pyarrow imports through the C Data
Interface and checks in full; each value must be that of the message. Then pyarrow exports the batch, and the messages that are written from it must be those that
were read. The messages have all scalar kinds, singular, optional and repeated, enums, messages in themselves, maps, a oneof and well-known types.
"""

import ctypes
import math
import random
import struct
import sys

import pyarrow
from google.protobuf import descriptor_pb2, descriptor_pool, duration_pb2, message_factory, timestamp_pb2, wrappers_pb2
from google.protobuf.internal import decoder, encoder

KINDS = ["double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "bytes",
         "uint32", "sfixed32", "sfixed64", "sint32", "sint64"]
COPIES, DICTIONARY, NAMES, UNION, WELL_KNOWN, UNKNOWN = 1, 2, 4, 8, 16, 32
Field = descriptor_pb2.FieldDescriptorProto


def schema():
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    file.dependency.extend(["google/protobuf/timestamp.proto", "google/protobuf/duration.proto", "google/protobuf/wrappers.proto"])
    enum = file.enum_type.add(name="Color")
    for name, number in [("NONE", 0), ("RED", 1), ("BLUE", -7)]:
        enum.value.add(name=name, number=number)
    row = file.message_type.add(name="Row")
    numbers = iter(range(1, 1000))

    def field(name, kind, label=Field.LABEL_OPTIONAL, type_name=None, **more):
        return row.field.add(name=name, number=next(numbers), type=getattr(Field, "TYPE_" + kind.upper()), label=label,
                             type_name=type_name, **more)

    for kind in KINDS:
        field("s_" + kind, kind)
        field("r_" + kind, kind, Field.LABEL_REPEATED)
    row.oneof_decl.add(name="either")
    for kind in ["int32", "string"]:
        field("either_" + kind, kind, oneof_index=0)
    field("either_row", "message", type_name=".t.Row", oneof_index=0)
    for i, kind in enumerate(KINDS):
        row.oneof_decl.add(name="_o_" + kind)
        field("o_" + kind, kind, oneof_index=1 + i, proto3_optional=True)
    field("color", "enum", type_name=".t.Color")
    field("colors", "enum", Field.LABEL_REPEATED, type_name=".t.Color")
    field("row", "message", type_name=".t.Row")
    field("rows", "message", Field.LABEL_REPEATED, type_name=".t.Row")
    for name in ["Timestamp", "Duration", "Int32Value", "StringValue", "BytesValue"]:
        field("w_" + name, "message", type_name=".google.protobuf." + name)
    for key, value in [("string", "sint64"), ("int32", "string"), ("bool", "message"), ("fixed64", "enum")]:
        entry = row.nested_type.add(name="M" + key.capitalize() + "Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=getattr(Field, "TYPE_" + key.upper()), label=Field.LABEL_OPTIONAL)
        types = {"message": ".t.Row", "enum": ".t.Color"}
        entry.field.add(name="value", number=2, type=getattr(Field, "TYPE_" + value.upper()), label=Field.LABEL_OPTIONAL,
                        type_name=types.get(value))
        field("m_" + key, "message", Field.LABEL_REPEATED, type_name=".t.Row." + entry.name)
    files = [descriptor_pb2.FileDescriptorProto() for _ in range(3)]
    for proto, module in zip(files, [timestamp_pb2, duration_pb2, wrappers_pb2]):
        module.DESCRIPTOR.CopyToProto(proto)
    files.append(file)
    pool = descriptor_pool.DescriptorPool()
    for proto in files:
        pool.Add(proto)
    message = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.Row"))
    return descriptor_pb2.FileDescriptorSet(file=files).SerializeToString(), message


def number(kind):
    bits = random.getrandbits(random.choice([1, 7, 8, 31, 32, 63, 64]))
    if kind == "bool":
        return bool(bits & 1)
    if kind == "string":
        return "".join(random.choice("ab zé\u0800\U0010ffff\0") for _ in range(random.randrange(20)))
    if kind == "bytes":
        return random.randbytes(random.randrange(20))
    if kind == "double":
        return random.choice([0.0, -0.0, math.inf, 0.1, struct.unpack("d", struct.pack("Q", bits))[0]])
    if kind == "float":
        return random.choice([0.0, -0.0, -math.inf, 0.5, struct.unpack("f", struct.pack("I", bits & 0x7F7FFFFF))[0]])
    size = 64 if "64" in kind else 32
    bits &= (1 << size) - 1
    signed = not ("uint" in kind or kind.startswith("fixed"))
    return bits - (1 << size) if signed and bits >> (size - 1) else bits


def fill(message, depth):
    for field in message.DESCRIPTOR.fields:
        if random.random() < 0.6:
            continue
        name, kind = field.name, field.name.split("_", 1)[-1]
        if name == "color":
            message.color = random.choice([0, 1, -7, 99])
        elif name == "colors":
            message.colors.extend(random.choice([0, 1, -7, 99]) for _ in range(random.randrange(4)))
        elif name in ("row", "either_row"):
            if depth:
                fill(getattr(message, name), depth - 1)
                getattr(message, name).SetInParent()
        elif name == "rows":
            for _ in range(random.randrange(3) if depth else 0):
                fill(message.rows.add(), depth - 1)
        elif name == "m_string":
            message.m_string.update({number("string"): number("sint64") for _ in range(3)})
        elif name == "m_int32":
            message.m_int32.update({number("int32"): number("string") for _ in range(3)})
        elif name == "m_fixed64":
            message.m_fixed64.update({number("fixed64"): random.choice([0, 1, -7, 99]) for _ in range(3)})
        elif name == "m_bool":
            if depth:
                fill(message.m_bool[number("bool")], depth - 1)
        elif name in ("w_Timestamp", "w_Duration"):
            part = getattr(message, name)
            part.seconds, part.nanos = random.randrange(-9_000_000_000, 9_000_000_000), random.randrange(1_000_000_000)
            if name == "w_Duration" and part.seconds < 0:
                part.nanos = -part.nanos
        elif name.startswith("w_"):
            part = getattr(message, name)
            part.SetInParent()
            part.value = number({"Int32Value": "int32", "StringValue": "string", "BytesValue": "bytes"}[kind])
        elif name.startswith("r_"):
            getattr(message, name).extend(number(kind) for _ in range(random.randrange(4)))
        else:
            setattr(message, name, number(kind))


def same(left, right):
    """Values of Python; NaN is NaN, and zeros have a sign."""
    if isinstance(left, float) and isinstance(right, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right) or left != left and right != right
    return type(left) is type(right) and left == right


class Check:
    def __init__(self, bits):
        self.bits = bits

    def expect(self, path, arrow, value):
        assert same(arrow, value), f"{path}: pyarrow {arrow!r}, protobuf {value!r}, options {self.bits}"

    def enum(self, path, arrow, value):
        names = {0: "NONE", 1: "RED", -7: "BLUE"}
        self.expect(path, arrow, names.get(value, str(value)) if self.bits & (DICTIONARY | NAMES) else value)

    def one(self, path, field, arrow, value):
        """One value of a field; of a message that is not absent."""
        if field.message_type is None:
            return self.enum(path, arrow, value) if field.enum_type else self.expect(path, arrow, value)
        if isinstance(arrow, bytes) and not field.message_type.full_name.startswith("google"):
            return self.expect(path, type(value).FromString(arrow), value)
        if self.bits & WELL_KNOWN and field.name.startswith("w_"):
            if field.name[2:] in ("Timestamp", "Duration"):
                arrow = arrow.value if hasattr(arrow, "value") else arrow
                return self.expect(path, arrow, value.seconds * 10**9 + value.nanos)
            return self.expect(path, arrow, value.value)
        self.message(path, arrow, value)

    def message(self, path, arrow, message):
        arrow = dict(arrow)
        if self.bits & UNKNOWN:
            self.expect(path + "._unknown", arrow.pop("_unknown", None), None)
        if self.bits & UNION and message.DESCRIPTOR.oneofs and "either" in message.DESCRIPTOR.oneofs_by_name:
            value, name = arrow.pop("either"), message.WhichOneof("either")
            if name is None:
                self.expect(path + ".either", value, None)
            else:
                self.one(f"{path}.{name}", message.DESCRIPTOR.fields_by_name[name], value, getattr(message, name))
        for field in message.DESCRIPTOR.fields:
            here, value = f"{path}.{field.name}", getattr(message, field.name)
            if self.bits & UNION and field.name.startswith("either_"):
                continue
            column = arrow.pop(field.name)
            if field.message_type and field.message_type.GetOptions().map_entry:
                self.map(here, field, column, value)
            elif field.name in ("colors", "rows") or field.name.startswith("r_"):
                self.expect(here + " length", len(column), len(value))
                for left, right in zip(column, value):
                    self.one(here, field, left, right)
            elif field.has_presence and not message.HasField(field.name):
                self.expect(here, column, None)
            else:
                self.one(here, field, column, value)
        self.expect(path + " columns", list(arrow), [])

    def map(self, path, field, column, value):
        self.expect(path + " length", len(column), len(value))
        part = field.message_type.fields_by_name["value"]
        for key, left in column:
            assert key in value, f"{path}: no key {key!r}"
            self.one(path, part, left, value[key])


class Bytes(ctypes.Structure):
    _fields_ = [("start", ctypes.c_char_p), ("len", ctypes.c_size_t)]

    def __init__(self, data):
        super().__init__(data, len(data))


ANSWER = ctypes.CFUNCTYPE(None, ctypes.c_uint8, ctypes.c_void_p, ctypes.c_size_t)


class Library:
    def __init__(self, path, descriptors):
        self.library, self.descriptors = ctypes.CDLL(path), descriptors

    def call(self, name, arguments):
        """Calls a function with the room for an array and its schema; gives its bytes."""
        answers = []
        answer = ANSWER(lambda failed, start, length: answers.append((failed, ctypes.string_at(start, length) if length else b"")))
        getattr(self.library, name)(ctypes.byref(Bytes(self.descriptors)), ctypes.byref(Bytes(b"t.Row")), *arguments, answer)
        [(failed, data)] = answers
        assert not failed, data.decode()
        return data

    def read(self, stream, bits):
        array, schema = ctypes.create_string_buffer(80), ctypes.create_string_buffer(72)
        pointers = [ctypes.c_void_p(ctypes.addressof(room)) for room in (array, schema)]
        self.call("read", [ctypes.byref(Bytes(stream)), ctypes.c_uint32(bits), *pointers])
        return pyarrow.RecordBatch._import_from_c(pointers[0].value, pointers[1].value)

    def write(self, batch):
        array, schema = ctypes.create_string_buffer(80), ctypes.create_string_buffer(72)
        pointers = [ctypes.c_void_p(ctypes.addressof(room)) for room in (array, schema)]
        batch._export_to_c(pointers[0].value, pointers[1].value)
        return self.call("write", pointers)


def frames(stream):
    position = 0
    while position < len(stream):
        length, position = decoder._DecodeVarint(stream, position)
        yield stream[position:position + length]
        position += length


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    descriptors, row = schema()
    library = Library(sys.argv[1], descriptors)
    values = 0
    for seed in range(rounds):
        random.seed(seed)
        messages = [row() for _ in range(random.randrange(20))]
        for message in messages:
            fill(message, 3)
        bits = random.randrange(64)
        stream = b"".join(encoder._VarintBytes(m.ByteSize()) + m.SerializeToString() for m in messages)
        batch = library.read(stream, bits)
        batch.validate(full=True)
        columns = batch.schema.names
        check = Check(bits)
        assert batch.num_rows == len(messages)
        for i, message in enumerate(messages):
            arrow = {name: python(batch.column(name)[i]) for name in columns}
            check.message(f"seed {seed} row {i}", arrow, message)
            values += len(columns)
        back = [row.FromString(frame) for frame in frames(library.write(batch))]
        # Bytes, since a NaN equals no other; maps have no order, so both are written sorted.
        plain = [[m.SerializeToString(deterministic=True) for m in side] for side in (messages, back)]
        assert plain[0] == plain[1], f"seed {seed}"
        # Arrow 59 counts the offset of a struct in a struct twice, which is mended in 60 (arrow-rs, issue 7595).
        sliced = batch.slice(len(messages) // 2).select([field.name for field in batch.schema if levels(field.type) < 2])
        assert len(list(frames(library.write(sliced)))) == sliced.num_rows
    print(f"pyarrow {pyarrow.__version__}: {rounds} batches equal, {values} values of rows")


def levels(kind):
    """How many structs are in each other, without lists between them, which have offsets of their own."""
    if not pyarrow.types.is_struct(kind):
        return 0
    return 1 + max((levels(field.type) for field in kind), default=0)


def python(scalar):
    """A value of Arrow as a value of Python; times as nanoseconds."""
    kind = scalar.type
    if not scalar.is_valid and not pyarrow.types.is_union(kind):
        return None
    if pyarrow.types.is_timestamp(kind) or pyarrow.types.is_duration(kind):
        return scalar.value
    if pyarrow.types.is_struct(kind):
        return {name: python(scalar[name]) for name in kind.names} if kind.num_fields else {}
    if pyarrow.types.is_map(kind):
        return [(python(entry["key"]), python(entry["value"])) for entry in scalar.values] if scalar.values is not None else []
    if pyarrow.types.is_list(kind):
        return [python(item) for item in scalar.values]
    if pyarrow.types.is_union(kind):
        return python(scalar.value) if scalar.value is not None else None
    return scalar.as_py()


main()
