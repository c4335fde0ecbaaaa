// A judge: Go's protobuf (google.golang.org/protobuf: dynamicpb, protojson, prototext). ../README.md has the protocol.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

type judge struct {
	types *dynamicpb.Types
	kind  protoreflect.MessageType
}

func (j *judge) answer(question byte, body []byte) (found []byte, err error) {
	// A panic is a refusal, and not the end of the run.
	defer func() {
		if panicked := recover(); panicked != nil {
			found, err = nil, fmt.Errorf("panic: %v", panicked)
		}
	}()
	switch question {
	case 'S':
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(body, &set); err != nil {
			return nil, err
		}
		files, err := protodesc.NewFiles(&set)
		if err != nil {
			return nil, err
		}
		j.types = dynamicpb.NewTypes(files)
		return nil, nil
	case 'T':
		kind, err := j.types.FindMessageByName(protoreflect.FullName(body))
		j.kind = kind
		return nil, err
	}
	message := j.kind.New().Interface()
	switch question {
	case 'B', 'j', 'x':
		if err := (proto.UnmarshalOptions{Resolver: j.types}).Unmarshal(body, message); err != nil {
			return nil, err
		}
	case 'J':
		if err := (protojson.UnmarshalOptions{Resolver: j.types}).Unmarshal(body, message); err != nil {
			return nil, err
		}
	case 'X':
		if err := (prototext.UnmarshalOptions{Resolver: j.types}).Unmarshal(body, message); err != nil {
			return nil, err
		}
	default:
		return nil, errors.New("no such question")
	}
	switch question {
	case 'j':
		return protojson.MarshalOptions{Resolver: j.types}.Marshal(message)
	case 'x':
		return prototext.MarshalOptions{Resolver: j.types}.Marshal(message)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(message)
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	var j judge
	var head [5]byte
	for {
		if in.Buffered() == 0 {
			out.Flush()
		}
		if _, err := io.ReadFull(in, head[:]); err != nil {
			out.Flush()
			return
		}
		body := make([]byte, binary.LittleEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		status, answer := byte('k'), []byte(nil)
		if found, err := j.answer(head[0], body); err != nil {
			status, answer = 'e', []byte(err.Error())
		} else {
			answer = found
		}
		out.WriteByte(status)
		binary.Write(out, binary.LittleEndian, uint32(len(answer)))
		out.Write(answer)
	}
}
