// Which arrays of a program's kernels are in one slice of memory.
#include <map>

#include "core/hlo/leaves.h"
#include "core/symbolic/context.h"
#include "driver/check/program.h"
#include "emit/kernel.h"

namespace affirm::driver {

namespace {

// Numbers for what the leaves of a kernel's arrays are, so that equal ones have equal numbers.
class SliceNumbers {
 public:
  int64_t Of(ArrayOf array) {
    return array_numbers_.try_emplace(array, static_cast<int64_t>(array_numbers_.size()))
        .first->second;
  }
  // Leaf of the result of an earlier kernel of a fusion.
  int64_t OfKernel(int64_t kernel, int64_t leaf) {
    const auto next = static_cast<int64_t>(kernel_numbers_.size());
    return -1 - kernel_numbers_.try_emplace({kernel, leaf}, next).first->second;
  }

 private:
  std::map<ArrayOf, int64_t> array_numbers_;
  std::map<std::pair<int64_t, int64_t>, int64_t> kernel_numbers_;
};

// The array leaves of a shape that begin at `first` of what an instruction gives.
void AddLeaves(const hlo::Instruction& op, const hlo::Shape& shape, int64_t first,
               SliceNumbers& numbers, std::vector<int64_t>& slices) {
  for (const hlo::LeafRef& leaf : hlo::Leaves(shape))
    slices.push_back(numbers.Of(MadeBy({&op, first + leaf.index})));
}

// By leaf of the parameters and of the result of a kernel of the fusion.
std::vector<int64_t> SlicesOf(const hlo::Instruction& fusion, const FusionKernels& kernels,
                              size_t kernel, const BufferAssignment& places) {
  SliceNumbers numbers;
  std::vector<int64_t> slices;
  const emit::KernelPartition& partition = kernels.split.partitions[kernel];
  for (auto [argument, parameter] :
       llvm::zip_equal(partition.arguments, partition.computation->parameters)) {
    if (argument.producer < 0) {
      AddLeaves(*fusion.operands[argument.number], parameter->shape, 0, numbers, slices);
      continue;
    }
    const hlo::Shape& made = kernels.split.partitions[argument.producer].computation->root->shape;
    const int64_t first = argument.number < 0 ? 0 : hlo::FirstLeafOfElement(made, argument.number);
    for (const hlo::LeafRef& leaf : hlo::Leaves(parameter->shape))
      slices.push_back(numbers.OfKernel(argument.producer, first + leaf.index));
  }
  // A result in the place of an operand has its number.
  const bool is_last = kernel + 1 == kernels.kernels.size();
  std::map<int64_t, int64_t> number_of_place;  // by allocation
  for (const hlo::Instruction* operand : fusion.operands) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(operand->shape)) {
      const ArrayOf made = MadeBy({operand, leaf.index});
      auto place = is_last ? places.FindOwn(*made.first, made.second) : std::nullopt;
      if (place) number_of_place.try_emplace(place->allocation, numbers.Of(made));
    }
  }
  for (const hlo::LeafRef& leaf : hlo::Leaves(partition.computation->root->shape)) {
    const int64_t own = numbers.OfKernel(static_cast<int64_t>(kernel), leaf.index);
    auto place = is_last ? places.FindOwn(fusion, leaf.index) : std::nullopt;
    auto operand = place ? number_of_place.find(place->allocation) : number_of_place.end();
    slices.push_back(operand == number_of_place.end() ? own : operand->second);
  }
  return slices;
}

}  // namespace

void Program::AssignMemory() {
  Context context;
  std::map<const hlo::Instruction*, emit::MayWriteOver> known;
  buffers_ = AssignBuffers(
      *module_, [&](const hlo::Instruction& op, int64_t result_leaf, size_t operand, int64_t leaf) {
        const FusedComputation* fused = FindFused(op);
        if (fused == nullptr || partitions(*fused).kernels.size() != 1) return false;
        auto [found, is_new] = known.try_emplace(&op);
        if (is_new) found->second = emit::MakeMayWriteOver(*fused->computation, context);
        int64_t first = 0;
        for (size_t k = 0; k < operand; ++k) first += hlo::NumLeaves(op.operands[k]->shape);
        return found->second(static_cast<size_t>(result_leaf), static_cast<size_t>(first + leaf));
      });
  for (size_t u = 0; u < fused_computations_.size(); ++u) {
    SliceNumbers numbers;
    for (const hlo::Instruction* operand : fused_computations_[u].fusion->operands)
      AddLeaves(*operand, operand->shape, 0, numbers, fused_computations_[u].slices);
    for (size_t k = 0; k < partitions_[u].kernels.size(); ++k) {
      partitions_[u].kernels[k].slices =
          SlicesOf(*fused_computations_[u].fusion, partitions_[u], k, buffers_.slices);
    }
  }
}

llvm::Expected<emit::Kernel> EmitKernel(const FusedComputation& fused, Context& context,
                                        emit::EmitOptions options) {
  options.slices = fused.slices;
  return emit::EmitKernel(*fused.computation, context, options);
}

void ShareSlices(const FusedComputation& fused, llvm::MutableArrayRef<hlo::Literal> arguments) {
  std::map<int64_t, hlo::Literal*> first;
  size_t leaf = 0;
  std::function<void(hlo::Literal&)> share = [&](hlo::Literal& value) {
    if (value.shape().IsTuple()) {
      for (hlo::Literal& element : value.tuple()) share(element);
      return;
    }
    auto [known, is_new] = first.try_emplace(fused.slices[leaf++], &value);
    if (!is_new && known->second->shape().SameIgnoringLayout(value.shape())) value = *known->second;
  };
  for (hlo::Literal& argument : arguments) share(argument);
}

}  // namespace affirm::driver
