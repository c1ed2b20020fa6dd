// Reads the bytes of a module: which message they are, its fields, its text, its constants.
#include <initializer_list>
#include <limits>
#include <vector>

#include "core/hlo/devices.h"
#include "core/hlo/text.h"
#include "core/hlo_proto/text.h"
#include "core/hlo_proto/values.h"
#include "core/hlo_proto/writer.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo_proto {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A character that no text has.
bool IsControl(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x09 || (code > 0x0D && code < 0x20);
}

llvm::Error ErrorIn(llvm::StringRef where, const llvm::Twine& message) {
  return MakeError(where + ":1:1: error: HLO proto: " + message);
}

// The message types that a file may have. Each holds a module.
struct Envelope {
  HloModuleProto module;
  HloProto proto;
  HloSnapshot snapshot;

  // Parses the bytes as the one type that fits; an error if none or several do. A type fits if its
  // module has a computation and a textual name. Under a wrong type, the name is the bytes of a
  // nested message.
  llvm::Expected<const Message*> Read(llvm::StringRef bytes);
  const HloModuleProto& ModuleOf(const Message* message) const {
    if (message == &snapshot) return snapshot.hlo().hlo_module();
    return message == &proto ? proto.hlo_module() : module;
  }
};

llvm::Expected<const Message*> Envelope::Read(llvm::StringRef bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return MakeError("expected at most 2 GiB, found " + llvm::Twine(bytes.size()) + " bytes");
  std::vector<const Message*> read;
  for (Message* message : {static_cast<Message*>(&module), static_cast<Message*>(&proto),
                           static_cast<Message*>(&snapshot)}) {
    if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) continue;
    const HloModuleProto& found = ModuleOf(message);
    if (found.computations_size() > 0 && llvm::none_of(found.name(), IsControl))
      read.push_back(message);
  }
  if (read.size() == 1) return read.front();
  return MakeError(read.empty() ? "expected an HloModuleProto, HloProto or HloSnapshot with a "
                                  "computation, of at most 100 nested messages, found " +
                                      llvm::Twine(bytes.size()) + " bytes that are none"
                                : llvm::Twine("expected one of HloModuleProto, HloProto and "
                                              "HloSnapshot, found bytes that are several"));
}

// The first field of a message that hlo.proto does not list, "field 98 of Instruction 'a'"; empty
// without one. Ignores OpMetadata, which changes no value.
std::string UnknownField(const Message& message) {
  const auto* reflection = message.GetReflection();
  if (message.GetDescriptor() == OpMetadata::descriptor()) return "";
  auto name_of = [&]() -> std::string {
    if (const auto* op = dynamic_cast<const Instruction*>(&message)) return " '" + op->name() + "'";
    if (const auto* of = dynamic_cast<const Computation*>(&message)) return " '" + of->name() + "'";
    return "";
  };
  if (const auto& unknown = reflection->GetUnknownFields(message); !unknown.empty())
    return "field " + std::to_string(unknown.field(0).number()) + " of " +
           message.GetDescriptor()->name() + name_of();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const Message& inner = field->is_repeated()
                                 ? reflection->GetRepeatedMessage(message, field, i)
                                 : reflection->GetMessage(message, field);
      std::string found = UnknownField(inner);
      if (found.empty()) continue;
      if (found.find('\'') == std::string::npos) found += " in " + field->name() + name_of();
      return found;
    }
  }
  return "";
}

// Rewrites an error of the HLO text reader to name the instruction instead of the line.
llvm::Error InProto(llvm::Error error, llvm::StringRef where, const ModuleText& text) {
  const std::string message = llvm::toString(std::move(error));
  llvm::StringRef rest = message;
  int64_t line = 0, column = 0;
  const bool has_place = rest.consume_front(where) && rest.consume_front(":") &&
                         !rest.consumeInteger(10, line) && rest.consume_front(":") &&
                         !rest.consumeInteger(10, column) && rest.consume_front(": error: ");
  if (!has_place) return ErrorIn(where, message);
  auto after = text.lines.upper_bound(line);
  const std::string place = after == text.lines.begin() ? "" : PlaceOf(std::prev(after)->second);
  return ErrorIn(where, place + "as HLO: " + rest);
}

// Fills in the constants, which the text elides, and resets locations, which point into the text.
llvm::Error FillConstants(hlo::Module& module, const ModuleText& text, llvm::StringRef where) {
  for (const auto& computation : module.computations) {
    computation->location = {1, 1};
    for (const auto& op : computation->instructions) {
      const auto line = text.lines.find(op->location.line);
      op->location = {1, 1};
      if (op->opcode != hlo::Opcode::kConstant || line == text.lines.end()) continue;
      auto literal = LiteralOf(line->second.instruction->literal(), op->shape);
      if (!literal)
        return ErrorIn(where, PlaceOf(line->second) + llvm::toString(literal.takeError()));
      op->literal = std::move(*literal);
    }
  }
  return llvm::Error::success();
}

// An HloModuleProto states the numbers of replicas and partitions only in its device assignment.
// HLO text states them directly, and XLA takes them from its options.
llvm::Error CheckDevices(const hlo::Module& module, const HloModuleProto& proto,
                         llvm::StringRef where) {
  if (proto.has_device_assignment()) return llvm::Error::success();
  for (const auto& computation : module.computations) {
    if (!hlo::DependsOnDevices(*computation)) continue;
    return ErrorIn(where, "computation '" + computation->name +
                              "': expected a device_assignment, which says how many replicas and "
                              "partitions run it; give the module as HLO text");
  }
  return llvm::Error::success();
}

}  // namespace

bool IsHloProto(llvm::StringRef bytes) {
  constexpr size_t kLooked = 1 << 16;
  // The tags of fields 1 to 3, which are messages and strings.
  if (bytes.empty() || !llvm::StringRef("\x0A\x12\x1A").contains(bytes.front())) return false;
  return llvm::any_of(bytes.take_front(kLooked), IsControl);
}

bool IsTextFormat(llvm::StringRef text) {
  auto skip_space = [&] {
    text = text.ltrim();
    while (text.starts_with("#")) text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  };
  auto take_word = [&] {
    skip_space();
    const llvm::StringRef word =
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    text = text.drop_front(word.size());
    skip_space();
    return word;
  };
  const std::initializer_list<llvm::StringRef> fields = {
      "name",       "entry_computation_name", "entry_computation_id",
      "id",         "computations",           "host_program_shape",
      "hlo_module", "buffer_assignment",      "hlo",
      "arguments"};
  if (!llvm::is_contained(fields, take_word())) return false;
  const bool has_colon = text.consume_front(":");
  skip_space();
  if (!text.consume_front("{")) return has_colon;
  // A computation may be named like a field, but its first word is followed by neither ':' nor '{'.
  return !take_word().empty() && (text.starts_with(":") || text.starts_with("{"));
}

llvm::Expected<std::unique_ptr<hlo::Module>> ReadModule(llvm::StringRef bytes,
                                                        llvm::StringRef where) {
  Envelope envelope;
  llvm::Expected<const Message*> message = envelope.Read(bytes);
  if (!message) return ErrorIn(where, llvm::toString(message.takeError()));
  if (const std::string unknown = UnknownField(**message); !unknown.empty())
    return ErrorIn(where, "expected fields that affirm reads, found " + unknown);
  const HloModuleProto& proto = envelope.ModuleOf(*message);
  llvm::Expected<ModuleText> text = WriteModule(proto);
  if (!text) return ErrorIn(where, llvm::toString(text.takeError()));
  auto module = hlo::ParseModule(text->text, where);
  if (!module) return InProto(module.takeError(), where, *text);
  if (llvm::Error error = CheckDevices(**module, proto, where)) return error;
  if (llvm::Error error = FillConstants(**module, *text, where)) return error;
  return module;
}

}  // namespace affirm::hlo_proto
