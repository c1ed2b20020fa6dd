#include "driver/validate/argument_sets.h"

#include <random>
#include <set>

#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/arguments.h"
#include "verify/reference/index_uses.h"

namespace affirm::driver {
namespace {

// In arrays with more elements the sets by kind contain every value of interest somewhere.
constexpr int64_t kSmallArray = 16;
constexpr size_t kMostConstants = 9;

bool IsSmallIntegers(const hlo::Shape& shape) {
  return shape.IsArray() && hlo::IsInt(shape.type) && shape.NumElements() <= kSmallArray;
}

// Constants that are compared, clamped to, or otherwise stand beside integers, and their
// neighbours.
std::vector<int64_t> Constants(const hlo::Computation& computation) {
  std::set<int64_t> found;
  for (const hlo::Instruction* op : AllInstructions(computation)) {
    if (op->opcode != hlo::Opcode::kConstant || !op->literal || !op->shape.IsArray()) continue;
    if (!hlo::IsInt(op->shape.type) || op->literal->NumElements() != 1) continue;
    const int64_t value = op->literal->GetInt(0);
    for (int64_t by : {-1, 0, 1}) {
      found.insert(static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(by)));
    }
    if (found.size() >= kMostConstants) break;
  }
  return {found.begin(), found.end()};
}

// Ones, and a few other numbers: a comparison of two such arrays has one outcome at most places.
void FillAlike(hlo::Literal& floats, uint64_t seed) {
  std::mt19937_64 random(seed);
  const uint64_t rare = uint64_t{8} << random() % 6;
  constexpr double kOthers[] = {0.5, 2};
  for (int64_t i = 0; i < floats.NumElements(); ++i)
    floats.SetFloat(i, random() % rare == 0 ? kOthers[random() % 2] : 1);
}

}  // namespace

ArgumentSets::ArgumentSets(const hlo::Computation& computation, uint64_t seed)
    : computation_(computation), seed_(seed), kinds_(std::size(hlo::kArgumentKinds)) {
  for (const hlo::Instruction* parameter : computation.parameters) {
    if (!IsSmallIntegers(parameter->shape)) continue;
    constants_ = Constants(computation);
    return;
  }
}

std::vector<hlo::Literal> ArgumentSets::Make(int64_t number) const {
  if (number < kinds_) {
    return hlo::MakeArguments(computation_, seed_, hlo::kArgumentKinds[number]);
  }
  if (number >= size()) return MakeFurther(number - size());
  // A seed of its own for the arguments that stay random.
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(
      computation_, seed_ + static_cast<uint64_t>(number), hlo::ArgumentKind::kSmall);
  size_t next = static_cast<size_t>(number - kinds_);
  for (hlo::Literal& argument : arguments) {
    if (!IsSmallIntegers(argument.shape())) continue;
    for (int64_t i = 0; i < argument.NumElements(); ++i) {
      argument.SetInt(i, constants_[next++ % constants_.size()]);
    }
  }
  return arguments;
}

std::vector<hlo::Literal> ArgumentSets::MakeFurther(int64_t number) const {
  // Arguments at the edges come first and more often: the faults that they show are rare.
  constexpr hlo::ArgumentKind kEdges = hlo::ArgumentKind::kEdges;
  const int64_t round = kinds_ + 5, of_round = number % round;
  const uint64_t seed = seed_ + 1'000'003 * static_cast<uint64_t>(number + 1);
  if (of_round < 3) return hlo::MakeArguments(computation_, seed, kEdges);
  const int64_t kind = of_round - 3;
  if (kind < kinds_) return hlo::MakeArguments(computation_, seed, hlo::kArgumentKinds[kind]);
  std::vector<hlo::Literal> arguments =
      hlo::MakeArguments(computation_, seed, hlo::ArgumentKind::kRounding);
  const std::vector<std::vector<hlo::IndexUse>> uses = hlo::FindIndexUses(computation_);
  // Predicates of several parameters may have the unusual value at the same places.
  const bool together = number / round % 2 == 1;
  for (auto [k, argument] : llvm::enumerate(arguments)) {
    const hlo::Shape& shape = argument.shape();
    if (together && shape.IsArray() && hlo::IsFloat(shape.type)) FillAlike(argument, seed + k);
    if (!shape.IsArray() || !hlo::IsInt(shape.type)) continue;
    const hlo::IndexUse& use = uses[k].front();
    if (!use.bounds.empty() || use.in_loop_state) continue;
    std::mt19937_64 random(together ? seed : seed + k);
    const auto type = hlo::IntType::Of(shape.type);
    const bool usual = kind == kinds_;  // the value of most predicates
    // About one element in `rare` is unusual, at several rates: reductions have any length.
    const uint64_t rare = uint64_t{4} << random() % 7;
    for (int64_t i = 0; i < argument.NumElements(); ++i) {
      const bool differs = random() % rare == 0;
      int64_t value = type.Wrap(random());
      // Distances of shifts, up to just beyond the width.
      if (random() % 4 == 0) value = type.Wrap(random() % (type.bits + 2));
      if (shape.type == hlo::PrimitiveType::kPred) value = static_cast<int64_t>(usual != differs);
      argument.SetInt(i, value);
    }
  }
  return arguments;
}

ArgumentSets::Elements ArgumentSets::MakeElements(int64_t number) const {
  const bool of_kind = number < kinds_;
  auto elements = std::make_shared<hlo::ArgumentElements>(
      computation_, of_kind ? seed_ : seed_ + static_cast<uint64_t>(number),
      of_kind ? hlo::kArgumentKinds[number] : hlo::ArgumentKind::kSmall);
  if (of_kind) {
    return [elements = std::move(elements)](int64_t parameter, int64_t leaf, int64_t linear) {
      return elements->At(parameter, leaf, linear);
    };
  }
  // Which constant the first element of a small parameter is; -1 for others.
  std::vector<int64_t> first;
  int64_t next = number - kinds_;
  for (const hlo::Instruction* parameter : computation_.parameters) {
    const bool is_small = IsSmallIntegers(parameter->shape);
    first.push_back(is_small ? next : -1);
    if (is_small) next += parameter->shape.NumElements();
  }
  return [this, elements = std::move(elements), first = std::move(first)](
             int64_t parameter, int64_t leaf, int64_t linear) -> hlo::Scalar {
    if (first[parameter] < 0) return elements->At(parameter, leaf, linear);
    const auto constant = static_cast<size_t>(first[parameter] + linear) % constants_.size();
    const auto type = hlo::IntType::Of(computation_.parameters[parameter]->shape.type);
    return {.i = type.Wrap(static_cast<uint64_t>(constants_[constant]))};
  };
}

}  // namespace affirm::driver
