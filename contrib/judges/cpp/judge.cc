// A judge: protobuf for C++ (DynamicMessage, json_util, TextFormat), of the version that the system has. ../README.md has the protocol.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace pb = google::protobuf;

// No such form.
struct Cannot {};

// The input is refused; the text says why.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Keeps the first error of many.
struct FirstError : pb::io::ErrorCollector, pb::DescriptorPool::ErrorCollector {
  std::string text;
  void AddError(int line, int column, const std::string& message) override {
    keep(std::to_string(line) + ":" + std::to_string(column) + ": " + message);
  }
  void AddError(const std::string&, const std::string& element, const pb::Message*, ErrorLocation,
                const std::string& message) override {
    keep(element + ": " + message);
  }
  void keep(const std::string& message) {
    if (text.empty()) text = message;
  }
};

class Judge {
 public:
  std::string answer(char question, const std::string& body) {
    if (question == 'S') return schema(body), "";
    if (question == 'T') return type_ = pool_->FindMessageTypeByName(body), "";
    if (type_ == nullptr) throw Refused("no such type");
    // Its JSON knows neither extensions nor groups, its text calls each group by its type.
    const bool json = question == 'j' || question == 'J', text = question == 'x' || question == 'X';
    if ((json && (extensions_ || groups_)) || (text && groups_)) throw Cannot();
    std::unique_ptr<pb::Message> message(factory_->GetPrototype(type_)->New());
    read(question, body, *message);
    if (!message->IsInitialized()) throw Refused(message->InitializationErrorString());
    std::string out;
    if (question == 'j') {
      check(pb::util::MessageToJsonString(*message, &out));
    } else if (question == 'x') {
      pb::TextFormat::PrintToString(*message, &out);
    } else {
      message->SerializeToString(&out);
    }
    return out;
  }

 private:
  void schema(const std::string& body) {
    type_ = nullptr;
    // Types refer to the pool, and the factory to both.
    factory_.reset();
    pool_ = std::make_unique<pb::DescriptorPool>();
    factory_ = std::make_unique<pb::DynamicMessageFactory>(pool_.get());
    extensions_ = groups_ = false;
    pb::FileDescriptorSet set;
    if (!set.ParseFromString(body)) throw Refused("no descriptor set");
    for (const auto& file : set.file()) {
      FirstError errors;
      if (pool_->BuildFileCollectingErrors(file, &errors) == nullptr) throw Refused(errors.text);
      look(file.extension());
      for (const auto& message : file.message_type()) look(message);
    }
  }

  void look(const pb::DescriptorProto& message) {
    look(message.extension());
    groups_ |= has_group(message.field());
    for (const auto& nested : message.nested_type()) look(nested);
  }

  void look(const pb::RepeatedPtrField<pb::FieldDescriptorProto>& extensions) {
    extensions_ |= !extensions.empty();
    groups_ |= has_group(extensions);
  }

  static bool has_group(const pb::RepeatedPtrField<pb::FieldDescriptorProto>& fields) {
    for (const auto& field : fields) {
      if (field.type() == pb::FieldDescriptorProto::TYPE_GROUP) return true;
    }
    return false;
  }

  void read(char question, const std::string& body, pb::Message& message) {
    if (question == 'J') {
      check(pb::util::JsonStringToMessage(body, &message));
    } else if (question == 'X') {
      FirstError errors;
      pb::TextFormat::Parser parser;
      parser.RecordErrorsTo(&errors);
      if (!parser.ParseFromString(body, &message)) throw Refused(errors.text);
    } else if (!message.ParsePartialFromString(body)) {
      throw Refused("the bytes are no message");
    }
  }

  static void check(const pb::util::Status& status) {
    if (!status.ok()) throw Refused(status.ToString());
  }

  std::unique_ptr<pb::DescriptorPool> pool_;
  std::unique_ptr<pb::DynamicMessageFactory> factory_;
  const pb::Descriptor* type_ = nullptr;
  bool extensions_ = false, groups_ = false;
};

uint32_t word(const unsigned char* bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | uint32_t{bytes[3]} << 24;
}

int main() {
  std::ios::sync_with_stdio(false);
  // What it logs of each fault is an answer, too.
  pb::SetLogHandler(nullptr);
  Judge judge;
  for (char head[5]; std::cin.read(head, 5);) {
    std::string body(word(reinterpret_cast<unsigned char*>(head) + 1), '\0');
    if (!std::cin.read(body.data(), body.size())) return 1;
    char status = 'k';
    std::string answer;
    try {
      answer = judge.answer(head[0], body);
    } catch (Cannot) {
      status = 'n';
    } catch (const Refused& refused) {
      status = 'e';
      answer = refused.what();
    }
    uint32_t len = answer.size();
    const char length[4] = {char(len), char(len >> 8), char(len >> 16), char(len >> 24)};
    std::cout.put(status).write(length, 4).write(answer.data(), len).flush();
  }
}
