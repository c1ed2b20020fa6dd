#include "driver/equivalence/witness_arguments.h"

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/reference/arguments.h"

namespace affirm::driver {

using equivalence::ParameterElement;
using hlo::Literal;

namespace {

// The leaves of a value, in order.
void AddLeaves(Literal& value, std::vector<Literal*>& leaves) {
  if (!value.shape().IsTuple()) return leaves.push_back(&value);
  for (Literal& element : value.tuple()) AddLeaves(element, leaves);
}

// Writes a small number of any type.
void SetNumber(Literal& array, int64_t position, int64_t number) {
  const hlo::PrimitiveType type = array.shape().type;
  if (hlo::IsComplex(type)) {
    array.SetComplex(position, static_cast<double>(number));
  } else if (hlo::IsFloat(type)) {
    array.SetFloat(position, static_cast<double>(number));
  } else {
    array.SetInt(position, number);
  }
}

// The name of an element: "x[5]", "t{1}[0,2]" of a tuple.
std::string ElementText(const hlo::Computation& computation, const ParameterElement& element) {
  int64_t first = 0;
  for (const hlo::Instruction* parameter : computation.parameters) {
    const int64_t count = hlo::NumLeaves(parameter->shape);
    if (element.leaf >= first + count) {
      first += count;
      continue;
    }
    const hlo::Shape& shape = *hlo::LeafShape(parameter->shape, element.leaf - first);
    std::vector<int64_t> index(shape.rank());
    int64_t position = element.position;
    for (int64_t d = shape.rank(); d-- > 0; position /= shape.dims[d])
      index[d] = position % shape.dims[d];
    std::string text = parameter->name;
    llvm::raw_string_ostream os(text);
    if (parameter->shape.IsTuple()) os << "{" << element.leaf - first << "}";
    os << "[";
    llvm::interleave(index, os, ",");
    os << "]";
    return text;
  }
  return "an element of no parameter";
}

}  // namespace

std::vector<Literal> MakeWitnessArguments(const hlo::Computation& computation,
                                          const equivalence::Witness& witness, uint64_t seed) {
  std::vector<Literal> arguments = hlo::MakeArguments(computation, seed, hlo::ArgumentKind::kSmall);
  std::vector<Literal*> leaves;
  for (Literal& argument : arguments) AddLeaves(argument, leaves);
  auto array_of = [&](const ParameterElement& element) -> Literal* {
    const bool known = element.leaf >= 0 && element.leaf < std::ssize(leaves) &&
                       element.position >= 0 &&
                       element.position < leaves[element.leaf]->NumElements();
    return known ? leaves[element.leaf] : nullptr;
  };
  // The integers come last: an element that is read may be one of them.
  for (auto [read, number] : {std::pair(witness.a, int64_t{1}), std::pair(witness.b, int64_t{0})}) {
    if (!read) continue;
    if (Literal* array = array_of(*read)) SetNumber(*array, read->position, number);
  }
  for (const auto& [element, value] : witness.integers) {
    if (Literal* array = array_of(element)) array->SetInt(element.position, value);
  }
  return arguments;
}

std::string Describe(const hlo::Computation& computation, const equivalence::Witness& witness) {
  if (!witness.a && !witness.b) return "the two compute different integers";
  auto side = [&](const std::optional<ParameterElement>& read) {
    return read ? "reads " + ElementText(computation, *read) : std::string("is a constant");
  };
  return "the first " + side(witness.a) + ", the second " + side(witness.b);
}

}  // namespace affirm::driver
