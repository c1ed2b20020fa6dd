// Reductions of dimensions of one element: the combiner is applied once to each element.
//
//   reduce(f32[8,1] x, init), dimensions={1}, to_apply=add    is    add(init, reshape(x))
//
// What is left has no reduction between it and what reads it.
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace affirm::emit {

using hlo::Instruction;

bool ExpandsReduce(const Instruction& reduce) {
  const size_t arrays = reduce.operands.size() / 2;
  if (reduce.called.size() != 1 || arrays == 0 || !IsOfElements(*reduce.called[0])) return false;
  const hlo::Shape& shape = reduce.operands[0]->shape;
  const bool of_one = llvm::all_of(reduce.attributes.dimensions, [&](int64_t d) {
    return shape.dims[d] == 1 && !shape.IsDynamic(d);
  });
  auto same_types = [&](size_t k) {
    const hlo::PrimitiveType type = reduce.operands[k]->shape.type;
    const auto& parameters = reduce.called[0]->parameters;
    return parameters[k]->shape.type == type && parameters[k + arrays]->shape.type == type &&
           reduce.operands[k + arrays]->shape.type == type;
  };
  return of_one && reduce.called[0]->parameters.size() == 2 * arrays &&
         llvm::all_of(llvm::seq<size_t>(0, arrays), same_types);
}

Instruction* ExpandReduce(Expander& expander, const Instruction& reduce,
                          llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const std::vector<int64_t> dims =
      reduce.shape.IsTuple() ? reduce.shape.tuple[0].dims : reduce.shape.dims;
  const size_t arrays = operands.size() / 2;
  std::vector<Instruction*> arguments;
  for (Instruction* init : operands.drop_front(arrays))
    arguments.push_back(b.Broadcast(init, dims));
  for (Instruction* array : operands.take_front(arrays))
    arguments.push_back(b.Reshape(array, dims));
  const std::vector<Instruction*> results = b.Apply(*reduce.called[0], arguments);
  return reduce.shape.IsTuple() ? b.Tuple(results) : results[0];
}

}  // namespace affirm::emit
