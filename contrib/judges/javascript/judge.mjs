// A judge: protobuf-es (@bufbuild/protobuf), which has no text format. ../README.md has the protocol.

import { readSync, writeSync } from "node:fs";
import { createFileRegistry, fromBinary, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

let registry, type;

// protoc sets the JSON names, on which protobuf-es relies; sets that are made at run time need not have them.
function nameFields(messages) {
  for (const message of messages) {
    for (const field of message.field) {
      if (field.jsonName === "") field.jsonName = field.name.replace(/_+(.?)/g, (_, letter) => letter.toUpperCase());
    }
    nameFields(message.nestedType);
  }
}

function answer(question, body) {
  switch (question) {
    case "S": {
      const set = fromBinary(FileDescriptorSetSchema, body);
      set.file.forEach((file) => nameFields(file.messageType));
      registry = createFileRegistry(set);
      return new Uint8Array();
    }
    case "T":
      type = registry.getMessage(new TextDecoder().decode(body));
      if (type === undefined) throw new Error("no such type");
      return new Uint8Array();
    case "x":
    case "X":
      return null;
  }
  const message =
    question === "J"
      ? fromJsonString(type, new TextDecoder("utf-8", { fatal: true }).decode(body), { registry })
      : fromBinary(type, body);
  return question === "j"
    ? new TextEncoder().encode(toJsonString(type, message, { registry }))
    : toBinary(type, message);
}

// So many bytes; undefined at the end.
function read(count) {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count; ) {
    const more = readSync(0, bytes, at, count - at, null);
    if (more === 0) return undefined;
    at += more;
  }
  return bytes;
}

for (let head; (head = read(5)) !== undefined; ) {
  const body = read(head.readUInt32LE(1));
  let status = "k";
  let found;
  try {
    found = answer(String.fromCharCode(head[0]), body);
    if (found === null) [status, found] = ["n", new Uint8Array()];
  } catch (error) {
    [status, found] = ["e", new TextEncoder().encode(String(error.message))];
  }
  const out = Buffer.alloc(5 + found.length);
  out.write(status, 0);
  out.writeUInt32LE(found.length, 1);
  out.set(found, 5);
  for (let at = 0; at < out.length; ) at += writeSync(1, out, at);
}
