#include "verify/kernel/proof/buffers.h"

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::kernel {

namespace {

bool IsPlain(const hlo::Shape& shape) {
  const bool dynamic = llvm::is_contained(shape.dynamic, true);
  const bool tiled = shape.layout && llvm::StringRef(shape.layout->annotations).contains("T(");
  return shape.IsArray() && !dynamic && !tiled;
}

// Whether two arrays have the same shape and layout.
bool HaveOneForm(const hlo::Shape& a, const hlo::Shape& b) {
  return a.SameIgnoringLayout(b) && a.MinorToMajor() == b.MinorToMajor();
}

// Whether two arrays in one memory can be modelled: equal types, or an operand and a result whose
// elements have the same number of bytes, so that element k of both occupies the same bytes.
bool StandAlike(const Param& a, const Param& b) {
  if (a.shape.type == b.shape.type) return true;
  return a.role != b.role && !IsPacked(a) && !IsPacked(b) && !hlo::IsComplex(a.shape.type) &&
         !hlo::IsComplex(b.shape.type) &&
         hlo::ByteWidth(a.shape.type) == hlo::ByteWidth(b.shape.type);
}

}  // namespace

Buffers::Buffers(const Launch& launch, const hlo::Computation& computation)
    : launch_(launch), computation_(computation) {
  for (size_t i = 0; i < launch.params.size(); ++i)
    (launch.params[i].role == Param::kInput ? inputs_ : outputs_).push_back(i);
  size_t leaves = 0;
  for (const hlo::Instruction* parameter : computation.parameters) {
    first_leaf_.push_back(leaves);
    leaves += static_cast<size_t>(hlo::NumLeaves(parameter->shape));
  }
}

std::optional<std::string> Buffers::Problem() const {
  std::vector<const hlo::Shape*> wanted_inputs;
  for (const hlo::Instruction* parameter : computation_.parameters)
    llvm::append_range(wanted_inputs, hlo::LeafShapes(parameter->shape));
  std::vector<const hlo::Shape*> wanted_outputs = hlo::LeafShapes(computation_.root->shape);
  auto matches = [&](llvm::ArrayRef<size_t> params, llvm::ArrayRef<const hlo::Shape*> leaves) {
    return llvm::equal(params, leaves, [&](size_t param, const hlo::Shape* leaf) {
      return launch_.params[param].shape.SameIgnoringLayout(*leaf);
    });
  };
  if (!matches(inputs_, wanted_inputs) || !matches(outputs_, wanted_outputs))
    return "the launch's parameters are not those of the computation";
  for (const Param& param : launch_.params) {
    if (!IsPlain(param.shape)) return "an array of a dynamic size, or with tiles";
  }
  for (const hlo::Shape* leaf : wanted_inputs) {
    if (!IsPlain(*leaf)) return "an operand of a dynamic size, or with tiles";
  }
  for (size_t output : outputs_) {
    const Param& result = launch_.params[output];
    for (const auto& [i, other] : llvm::enumerate(launch_.params)) {
      if (i == output || other.memory != result.memory) continue;
      // Results that share a memory are each proved from the same stores.
      if (other.role == Param::kOutput && !HaveOneForm(other.shape, result.shape))
        return "two results of different forms in one memory";
      if (!StandAlike(other, result)) return "arrays of two types in one memory";
      if (result.starts_as && launch_.params[*result.starts_as].memory != result.memory)
        return "a result in the memory of one operand that is made a copy of another";
    }
  }
  return std::nullopt;
}

size_t Buffers::InputOf(int64_t parameter, int64_t leaf) const {
  return inputs_[first_leaf_[static_cast<size_t>(parameter)] + static_cast<size_t>(leaf)];
}

int64_t Buffers::NumberOf(size_t param) const {
  const auto first = llvm::find_if(launch_.params, [&](const Param& other) {
    return other.memory == launch_.params[param].memory;
  });
  return first - launch_.params.begin();
}

int64_t Buffers::InitialOf(size_t output) const {
  const auto& starts_as = launch_.params[output].starts_as;
  return NumberOf(starts_as ? static_cast<size_t>(*starts_as) : output);
}

bool Buffers::BeginsWithBytesOf(size_t output, size_t input) const {
  const std::optional<int64_t>& starts_as = launch_.params[output].starts_as;
  const size_t from = starts_as ? static_cast<size_t>(*starts_as) : output;
  return launch_.params[from].memory == launch_.params[input].memory;
}

bool Buffers::BeginsAs(size_t output, size_t input) const {
  return BeginsWithBytesOf(output, input) &&
         HaveOneForm(launch_.params[output].shape, launch_.params[input].shape);
}

}  // namespace affirm::kernel
