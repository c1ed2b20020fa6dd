#include "driver/dump/scheduled_work.h"

#include <optional>
#include <utility>

#include "core/symbolic/bounded_json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;

bool ComputesNothing(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kBitcast:
    case Opcode::kConstant:
    case Opcode::kDomain:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

std::string SanitizedName(llvm::StringRef name) {
  std::string text;
  for (char c : name) text += llvm::isAlnum(c) || c == '_' ? c : '_';
  return text;
}

bool KeepsBytes(const Instruction& copy) {
  return copy.opcode == Opcode::kCopy && copy.shape.IsArray() &&
         copy.operands[0]->shape == copy.shape;
}

namespace {

// The kind of a fusion that a library or another emitter takes: "__ynn_fusion".
std::optional<std::string> KindOfFusion(const Instruction& fusion) {
  const std::string* text = fusion.attributes.FindExtra("backend_config");
  if (text == nullptr) return std::nullopt;
  auto parsed = ParseJson(*text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object* config = parsed->getAsObject();
  for (const char* key : {"fusion_config", "fusion_backend_config"}) {
    const llvm::json::Object* of_fusion = config ? config->getObject(key) : nullptr;
    auto kind = of_fusion ? of_fusion->getString("kind") : std::nullopt;
    if (kind && kind->starts_with("__")) return kind->str();
  }
  return std::nullopt;
}

// Each one once.
template <typename T>
void AddNew(std::vector<T>& all, std::vector<T> others) {
  for (T& other : others) {
    if (!llvm::is_contained(all, other)) all.push_back(std::move(other));
  }
}

}  // namespace

void ScheduledWork::Add(ScheduledWork other) {
  AddNew(kernels, std::move(other.kernels));
  AddNew(slices, std::move(other.slices));
  AddNew(not_covered, std::move(other.not_covered));
  AddNew(faults, std::move(other.faults));
}

std::string NameOfWork(const Instruction& op) {
  if (op.opcode == Opcode::kFusion) return KindOfFusion(op).value_or(op.name);
  if (op.opcode == Opcode::kCustomCall && !op.attributes.custom_call_target.empty())
    return op.attributes.custom_call_target;
  return op.opcode_text.empty() ? hlo::Name(op.opcode).str() : op.opcode_text;
}

}  // namespace affirm::driver
