// Writes an HloModuleProto as HLO text. Internal to core/hlo_proto.
//
//   WriteModule(proto)->text = "HloModule m\n\nENTRY %e {\n  ROOT %p = f32[2] parameter(0)\n}\n"
#ifndef AFFIRM_CORE_HLO_PROTO_WRITER_H_
#define AFFIRM_CORE_HLO_PROTO_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "core/hlo_proto/hlo.pb.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo_proto {

struct ModuleText {
  struct Line {
    const Computation* computation = nullptr;
    const Instruction* instruction = nullptr;
  };
  std::string text;               // constants are elided
  std::map<int64_t, Line> lines;  // by the line at which they begin
};
llvm::Expected<ModuleText> WriteModule(const HloModuleProto& module);

// "instruction 'a' of computation 'c': "
std::string PlaceOf(const ModuleText::Line& line);

template <typename Message>
using ById = std::unordered_map<int64_t, const Message*>;
// The instructions of one computation that are written already, and all computations.
struct Scope {
  ById<Instruction> instructions;
  const ById<Computation>* computations = nullptr;
};
// "shape opcode(operands), attributes". Errors have no place.
llvm::Error WriteInstruction(const Instruction& instruction, const Scope& scope,
                             llvm::raw_ostream& os);
// ", key=value" for each field that is set or that the opcode must have. A field that the opcode
// does not have is written too, so that the reader of text refuses it.
llvm::Error WriteAttributes(const Instruction& instruction, const Scope& scope,
                            llvm::raw_ostream& os);

// "{devices=[2,1]<=[2]}"
llvm::Expected<std::string> ShardingText(const OpSharding& sharding);
// "{a="b",c={"d":1}}"
llvm::Expected<std::string> FrontendAttributesText(const FrontendAttributes& attributes);
// "{{0,1},{2,3}}" or "[2,2]<=[4]", from whichever field has the groups.
llvm::Expected<std::string> ReplicaGroupsText(const Instruction& instruction);
// ", type=TOTALORDER" of a comparison of that operand, or nothing where it is the usual one.
llvm::Expected<std::string> ComparisonOrderText(const Instruction& comparison,
                                                const Instruction* operand);
// "{mode=highest}"
llvm::Expected<std::string> AccuracyText(const ResultAccuracy& accuracy);
// JSON as it stands, where the reader of text takes it for one value; any other text in quotes.
std::string JsonOrString(const std::string& text);
// "{0,1}"
template <typename Numbers>
std::string ListText(const Numbers& numbers) {
  std::string text = "{";
  for (const auto number : numbers) text += (text.size() > 1 ? "," : "") + std::to_string(number);
  return text + "}";
}
// The name or word, which must consist of letters, digits and "_.-", as the reader of text wants
// it.
llvm::Expected<llvm::StringRef> Word(const std::string& word, llvm::StringRef what);

}  // namespace affirm::hlo_proto

#endif  // AFFIRM_CORE_HLO_PROTO_WRITER_H_
