// A judge: protobuf for Java (protobuf-java and protobuf-java-util: DynamicMessage, JsonFormat, TextFormat). ../README.md has the protocol.

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.TextFormat;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class Judge {
    /** No such form. */
    private static final class Cannot extends Exception {}

    private List<FileDescriptor> files;
    private ExtensionRegistry extensions;
    private TypeRegistry types;
    private Descriptor type;

    private byte[] answer(char question, byte[] body) throws Exception {
        switch (question) {
            case 'S':
                schema(body);
                return new byte[0];
            case 'T':
                type = types.find(new String(body, StandardCharsets.UTF_8));
                if (type == null) {
                    throw new IllegalArgumentException("no such type");
                }
                return new byte[0];
            default:
        }
        DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
        if ((question == 'j' || question == 'J') && hasExtensions()) {
            // JsonFormat knows none.
            throw new Cannot();
        }
        switch (question) {
            case 'J':
                JsonFormat.parser().usingTypeRegistry(types).merge(text(body), builder);
                break;
            case 'X':
                TextFormat.Parser.newBuilder().build().merge(text(body), extensions, builder);
                break;
            default:
                builder.mergeFrom(body, extensions);
        }
        DynamicMessage message = builder.build();
        switch (question) {
            case 'j':
                return JsonFormat.printer().usingTypeRegistry(types).print(message).getBytes(StandardCharsets.UTF_8);
            case 'x':
                return TextFormat.printer().printToString(message).getBytes(StandardCharsets.UTF_8);
            default:
                return message.toByteArray();
        }
    }

    private static String text(byte[] body) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    }

    private boolean hasExtensions() {
        for (FileDescriptor file : files) {
            if (!file.getExtensions().isEmpty()) {
                return true;
            }
            for (Descriptor message : file.getMessageTypes()) {
                if (!message.getExtensions().isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    private void schema(byte[] body) throws Exception {
        Map<String, FileDescriptor> known = new HashMap<>();
        files = new ArrayList<>();
        extensions = ExtensionRegistry.newInstance();
        TypeRegistry.Builder all = TypeRegistry.newBuilder();
        for (FileDescriptorProto proto : FileDescriptorSet.parseFrom(ByteString.copyFrom(body)).getFileList()) {
            FileDescriptor[] needs = new FileDescriptor[proto.getDependencyCount()];
            for (int i = 0; i < needs.length; i++) {
                needs[i] = known.get(proto.getDependency(i));
            }
            FileDescriptor file = FileDescriptor.buildFrom(proto, needs);
            known.put(file.getName(), file);
            files.add(file);
            all.add(file.getMessageTypes());
            file.getExtensions().forEach(this::extension);
            file.getMessageTypes().forEach(message -> message.getExtensions().forEach(this::extension));
        }
        types = all.build();
    }

    private void extension(FieldDescriptor field) {
        if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            extensions.add(field, DynamicMessage.getDefaultInstance(field.getMessageType()));
        } else {
            extensions.add(field);
        }
    }

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        Judge judge = new Judge();
        while (true) {
            int question = in.read();
            if (question < 0) {
                return;
            }
            byte[] body = new byte[Integer.reverseBytes(in.readInt())];
            in.readFully(body);
            char status = 'k';
            byte[] answer;
            try {
                answer = judge.answer((char) question, body);
            } catch (Cannot cannot) {
                status = 'n';
                answer = new byte[0];
            } catch (Exception | StackOverflowError error) {
                status = 'e';
                answer = String.valueOf(error.getMessage()).getBytes(StandardCharsets.UTF_8);
            }
            out.write(status);
            out.writeInt(Integer.reverseBytes(answer.length));
            out.write(answer);
            out.flush();
        }
    }
}
