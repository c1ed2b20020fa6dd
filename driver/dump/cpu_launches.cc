#include "driver/dump/cpu_launches.h"

#include <map>
#include <optional>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// The JSON of an instruction's backend config; nullopt where there is none.
std::optional<llvm::json::Object> ConfigOf(const Instruction& op) {
  const std::string* text = op.attributes.FindExtra("backend_config");
  if (text == nullptr) return std::nullopt;
  auto parsed = llvm::json::parse(*text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  if (auto* object = parsed->getAsObject()) return std::move(*object);
  return std::nullopt;
}

// One workgroup for each part into which the outer dimensions are divided; 0 where that is no
// number.
int64_t NumWorkgroups(const Instruction& op) {
  auto config = ConfigOf(op);
  const llvm::json::Array* parts =
      config ? config->getArray("outer_dimension_partitions") : nullptr;
  int64_t count = 1;
  for (size_t k = 0; parts != nullptr && k < parts->size(); ++k) {
    int64_t part = 0;
    auto text = (*parts)[k].getAsString();
    if (!text || text->getAsInteger(10, part) || part < 1 || part > INT32_MAX) return 0;
    count *= part;
    if (count > INT32_MAX) return 0;
  }
  return count;
}

// Instructions that name values, or say what is executed when.
bool ExecutesNothing(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall:
      return true;
    default:
      return false;
  }
}

// What an instruction without a kernel is executed by.
std::string KindOf(const Instruction& op) {
  if (op.opcode != Opcode::kFusion) return hlo::Name(op.opcode).str();
  auto config = ConfigOf(op);
  const llvm::json::Object* fusion = config ? config->getObject("fusion_config") : nullptr;
  auto kind = fusion ? fusion->getString("kind") : std::nullopt;
  return kind ? "fusion of kind " + kind->str() : "fusion";
}

// The computations whose instructions are executed one by one: no fused ones, no combiners.
std::vector<const hlo::Computation*> ExecutedComputations(const hlo::Module& module) {
  std::vector<const hlo::Computation*> executed = {module.entry};
  std::set<const hlo::Computation*> seen = {module.entry};
  for (size_t k = 0; k < executed.size(); ++k) {
    for (const auto& op : executed[k]->instructions) {
      const bool control = op->opcode == Opcode::kWhile || op->opcode == Opcode::kConditional ||
                           op->opcode == Opcode::kCall;
      for (const hlo::Computation* called : op->called) {
        if (control && seen.insert(called).second) executed.push_back(called);
      }
    }
  }
  return executed;
}

}  // namespace

Thunks LaunchesOnCpu(const hlo::Module& module, llvm::ArrayRef<std::string> kernels) {
  // A function has the name of its instruction, or that and "_kernel".
  std::map<std::string, std::string> functions;
  for (const std::string& kernel : kernels) {
    functions.emplace(kernel, kernel);
    llvm::StringRef name = kernel;
    if (name.consume_back("_kernel")) functions.emplace(name.str(), kernel);
  }
  Thunks thunks;
  for (const hlo::Computation* computation : ExecutedComputations(module)) {
    for (const auto& op : computation->instructions) {
      auto function = functions.find(op->name);
      if (function != functions.end()) {
        thunks.kernels.push_back({.kernel = function->second,
                                  .instruction = op->name,
                                  .grid = {NumWorkgroups(*op), 1, 1},
                                  .threads = {1, 1, 1}});
      } else if (!ExecutesNothing(op->opcode)) {
        thunks.others.push_back({KindOf(*op), op->name});
      }
    }
  }
  return thunks;
}

}  // namespace affirm::driver
