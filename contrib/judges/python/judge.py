"""A judge: Google's protobuf for Python, which is upb in C. ../README.md has the protocol."""

import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, text_format

pool, kind = None, None


def answer(question, body):
    global pool, kind
    if question == b"S":
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(body).file:
            pool.AddSerializedFile(file.SerializeToString())
        return b""
    if question == b"T":
        kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(body.decode()))
        return b""
    message = kind()
    if question in b"Bjx":
        message.ParseFromString(body)
        if not message.IsInitialized():
            raise ValueError("a required field is missing")
    elif question == b"J":
        json_format.Parse(body.decode("utf-8"), message, descriptor_pool=pool)
    elif question == b"X":
        text_format.Parse(body.decode("utf-8"), message, descriptor_pool=pool)
    if question == b"j":
        return json_format.MessageToJson(message, indent=None, descriptor_pool=pool).encode()
    if question == b"x":
        return text_format.MessageToString(message, descriptor_pool=pool).encode()
    return message.SerializeToString(deterministic=True)


def main():
    read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
    while head := read(5):
        body = read(struct.unpack("<I", head[1:])[0])
        try:
            status, text = b"k", answer(head[:1], body)
        except Exception as error:  # whatever it is, it is a refusal
            status, text = b"e", str(error).encode("utf-8", "replace")
        write(status + struct.pack("<I", len(text)) + text)
        sys.stdout.buffer.flush()


main()
