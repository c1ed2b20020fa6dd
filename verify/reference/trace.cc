// Interpretation that follows each element to the operand elements that it is computed from.
#include "verify/reference/trace.h"

#include <algorithm>
#include <map>

namespace affirm::hlo {
namespace {

using Sources = Traced::Sources;

// An empty list of sources for each element of each array leaf of a shape.
std::vector<std::vector<Sources>> NoSources(const Shape& shape) {
  std::vector<std::vector<Sources>> sources;
  for (const Shape* leaf : LeafShapes(shape)) {
    sources.emplace_back(leaf->IsArray() ? leaf->NumElements() : 0);
  }
  return sources;
}

void SortDistinct(Sources& sources) {
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
}

}  // namespace

Traced TracedOperand(const OpInvocation& call, int64_t operand) {
  Traced traced{call.operand(operand), {}};
  if (call.observer == nullptr) return traced;
  traced.sources = NoSources(traced.value.shape());
  for (size_t leaf = 0; leaf < traced.sources.size(); ++leaf) {
    for (size_t i = 0; i < traced.sources[leaf].size(); ++i) {
      traced.sources[leaf][i] = {{operand, static_cast<int64_t>(leaf), static_cast<int64_t>(i)}};
    }
  }
  return traced;
}

llvm::Expected<Traced> InterpretTraced(const Computation& computation,
                                       llvm::ArrayRef<const Traced*> arguments, bool trace,
                                       const InterpretOptions* options) {
  std::vector<const Literal*> literals;
  for (const Traced* argument : arguments) literals.push_back(&argument->value);
  if (!trace) {
    Result value = InterpretWith(computation, literals, options);
    if (!value) return value.takeError();
    return Traced{std::move(*value), {}};
  }
  if (llvm::Error error = CheckArguments(computation, literals)) return error;
  std::map<const Instruction*, Traced> values;
  auto value_of = [&](const Instruction* instruction) -> const Traced& {
    return instruction->opcode == Opcode::kParameter ? *arguments[instruction->parameter_number]
                                                     : values[instruction];
  };
  for (const auto& owned : computation.instructions) {
    const Instruction* instruction = owned.get();
    if (instruction->opcode == Opcode::kParameter) continue;
    std::vector<const Literal*> operands;
    operands.reserve(instruction->operands.size());
    for (const Instruction* operand : instruction->operands) {
      operands.push_back(&value_of(operand).value);
    }
    Traced traced{{}, NoSources(instruction->shape)};
    const ReadObserver observer = [&](const Instruction&, int64_t result_leaf, int64_t linear,
                                      int64_t operand, int64_t leaf, int64_t from) {
      const Sources& read = value_of(instruction->operands[operand]).sources[leaf][from];
      Sources& into = traced.sources[result_leaf][linear];
      into.insert(into.end(), read.begin(), read.end());
    };
    Result value = InterpretInstruction(*instruction, operands, &observer, options);
    if (!value) return value.takeError();
    traced.value = std::move(*value);
    for (auto& leaf : traced.sources) llvm::for_each(leaf, SortDistinct);
    values[instruction] = std::move(traced);
  }
  return value_of(computation.root);
}

void ReportSources(const OpInvocation& call, const Traced& result, int64_t first_leaf) {
  if (call.observer == nullptr) return;
  for (size_t leaf = 0; leaf < result.sources.size(); ++leaf) {
    for (size_t i = 0; i < result.sources[leaf].size(); ++i) {
      for (const SourceElement& from : result.sources[leaf][i]) {
        call.Read(first_leaf + static_cast<int64_t>(leaf), static_cast<int64_t>(i), from.operand,
                  from.leaf, from.linear);
      }
    }
  }
}

}  // namespace affirm::hlo
