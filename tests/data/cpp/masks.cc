// Cases of FieldMaskUtil and MessageDifferencer of C++, as `tests/suite/messages/cpp_cases.rs` reads them.
//
//   protoc --cpp_out=. masks.proto && g++ -std=c++17 -O1 masks.cc masks.pb.cc -lprotobuf -o masks && ./masks > masks.tsv
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/field_mask_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <iostream>
#include <random>

#include "masks.pb.h"

using google::protobuf::FieldMask;
using google::protobuf::Message;
using google::protobuf::TextFormat;
using google::protobuf::util::FieldMaskUtil;
using google::protobuf::util::MessageDifferencer;
using masks::Node;
using masks::Strict;

std::mt19937 dice(20261127);
int roll(int sides) { return static_cast<int>(dice() % sides); }

void fill(Node* node, int depth);

void fill(Strict* strict, int depth) {
  if (roll(3)) strict->set_x(roll(3));
  if (roll(2)) strict->set_y(roll(3));
  if (depth > 0 && roll(2)) fill(strict->mutable_m(), depth - 1);
  if (depth > 0 && roll(2)) fill(strict->mutable_must(), depth - 1);
  if (roll(2)) {
    if (roll(3)) strict->mutable_strict()->set_z(roll(3));
    if (roll(2)) strict->mutable_strict()->set_w(roll(3));
  }
}

void fill(Node* node, int depth) {
  if (roll(2)) node->set_a(roll(3));
  if (roll(2)) node->set_s(roll(2) ? "none" : "x");
  for (int i = roll(3); i > 0; i--) node->add_n(roll(3));
  if (depth > 0 && roll(2)) fill(node->mutable_m(), depth - 1);
  if (depth > 0)
    for (int i = roll(3); i > 0; i--) fill(node->add_ms(), depth - 1);
  if (roll(2)) (*node->mutable_k())[roll(2) ? "p" : "q"] = roll(3);
  if (depth > 0 && roll(2)) fill(node->mutable_r(), depth - 1);
  if (roll(3) == 0) node->set_d(roll(2) ? 1.0 : 1.0 + 1e-10);
  if (roll(3) == 0) node->set_c(roll(2) ? Node::RED : Node::GREEN);
}

// A path of Node, through singular messages only.
std::string path() {
  static const char* node[] = {"a", "s", "n", "ms", "k", "d", "m", "r"};
  static const char* strict[] = {"x", "y", "m", "must", "strict", "strict.z", "strict.w"};
  std::string path;
  for (bool in_node = true;;) {
    std::string name = in_node ? node[roll(8)] : strict[roll(7)];
    path += name;
    if (roll(3) == 0) return path;
    if (name == "m" || name == "must") in_node = true;
    else if (name == "r") in_node = false;
    else return path;
    path += ".";
  }
}

FieldMask mask(int most) {
  FieldMask mask;
  for (int i = roll(most); i > 0; i--) mask.add_paths(path());
  return mask;
}

std::string line(const Message& message) {
  std::string text;
  TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.PrintToString(message, &text);
  return text;
}

std::string line(const FieldMask& mask) { return FieldMaskUtil::ToString(mask); }

template <typename A, typename B>
void row(const char* what, const std::string& options, const A& a, const B& b, const std::string& result) {
  std::cout << what << '\t' << options << '\t' << a << '\t' << b << '\t' << result << '\n';
}

int main() {
  for (int i = 0; i < 60; i++) {
    FieldMask a = mask(5), b = mask(5), out;
    FieldMaskUtil::ToCanonicalForm(a, &out);
    row("normal", "", line(a), "", line(out));
    out.Clear();
    FieldMaskUtil::Union(a, b, &out);
    row("union", "", line(a), line(b), line(out));
    out.Clear();
    FieldMaskUtil::Intersect(a, b, &out);
    row("intersection", "", line(a), line(b), line(out));
    out.Clear();
    FieldMaskUtil::Subtract<Node>(a, b, &out);
    row("difference", "", line(a), line(b), line(out));
    std::string one = path();
    row("covers", "", line(a), one, FieldMaskUtil::IsPathInFieldMask(one, a) ? "true" : "false");
  }
  for (int i = 0; i < 80; i++) {
    FieldMask by = mask(4);
    Node source, target;
    fill(&source, 2);
    fill(&target, 2);
    FieldMaskUtil::MergeOptions merge;
    bool messages = roll(2), lists = roll(2);
    merge.set_replace_message_fields(messages);
    merge.set_replace_repeated_fields(lists);
    std::string before = line(target);
    FieldMaskUtil::MergeMessageTo(source, by, merge, &target);
    std::string options = line(by) + (messages ? " messages" : "") + (lists ? " lists" : "");
    row("merge", options, line(source), before, line(target));
  }
  for (int i = 0; i < 80; i++) {
    FieldMask by = mask(5);
    Node node;
    fill(&node, 2);
    FieldMaskUtil::TrimOptions trim;
    bool required = roll(2);
    trim.set_keep_required_fields(required);
    std::string before = line(node);
    FieldMaskUtil::TrimMessage(by, &node, trim);
    row("trim", line(by) + (required ? " required" : ""), before, "", line(node));
  }
  for (int i = 0; i < 200; i++) {
    Node a, b;
    fill(&a, 1);
    b = a;
    if (roll(3) == 0) fill(&b, 0);
    if (roll(3) == 0) b.set_a(roll(3));
    if (roll(3) == 0 && b.has_d()) b.set_d(1.0 + 1e-10);
    if (roll(4) == 0 && !b.has_s()) b.set_s("none");
    if (roll(4) == 0) b.mutable_m();
    if (roll(3) == 0 && b.n_size() > 1) b.mutable_n()->SwapElements(0, b.n_size() - 1);
    if (roll(3) == 0 && b.ms_size() > 1) b.mutable_ms()->SwapElements(0, b.ms_size() - 1);
    std::string options;
    MessageDifferencer differ;
    const auto* type = Node::descriptor();
    if (roll(3) == 0) { differ.IgnoreField(type->FindFieldByName("a")); options += " ignore"; }
    if (roll(2)) { differ.TreatAsSet(type->FindFieldByName("n")); options += " set"; }
    int elements = roll(3);
    if (elements == 1) { differ.TreatAsSet(type->FindFieldByName("ms")); options += " messages"; }
    if (elements == 2) { differ.TreatAsMap(type->FindFieldByName("ms"), type->FindFieldByName("s")); options += " key"; }
    if (roll(2)) {
      differ.set_float_comparison(MessageDifferencer::APPROXIMATE);
      differ.SetFractionAndMargin(type->FindFieldByName("d"), 0.0, 1e-9);
      options += " tolerance";
    }
    if (roll(2)) { differ.set_message_field_comparison(MessageDifferencer::EQUIVALENT); options += " equivalent"; }
    row("compare", options, line(a), line(b), differ.Compare(a, b) ? "true" : "false");
  }
}
