// Reductions of dimensions of one element: the combiner is applied once to each element.
//
//   reduce(f32[8,1] x, init), dimensions={1}, to_apply=add    is    add(init, reshape(x))
//
// Users then read x through no reduction. Reductions of few conditions are expanded too, such as
// whether each index of an element is within the array:
//
//   reduce(pred[8,2] fits, true), dimensions={1}, to_apply=and
//
// is the and of true, fits[:,0] and fits[:,1]. These are computed from the parts that arrays have
// there, so that no op reads one array at two places.
#include "emit/plan/expander.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace affirm::emit {

using hlo::Instruction;

namespace {

constexpr int64_t kFewConditions = 4;

// Whether the op is an and / or of few conditions; their order does not matter.
bool IsOfFewConditions(const Instruction& reduce) {
  const hlo::Shape& shape = reduce.operands[0]->shape;
  if (reduce.operands.size() != 2 || shape.type != hlo::PrimitiveType::kPred) return false;
  const hlo::Opcode opcode = reduce.called[0]->root->opcode;
  const auto& along = reduce.attributes.dimensions;
  return (opcode == hlo::Opcode::kAnd || opcode == hlo::Opcode::kOr) &&
         reduce.called[0]->instructions.size() == 3 && along.size() == 1 &&
         !shape.IsDynamic(along[0]) && shape.dims[along[0]] <= kFewConditions;
}

// The parts of arrays at one position of a dimension.
class AtPosition {
 public:
  AtPosition(HloBuilder& b, int64_t dimension, int64_t position)
      : b_(b), dimension_(dimension), position_(position) {}

  Instruction* Of(Instruction* array) {
    auto known = parts_.find(array);
    if (known != parts_.end()) return known->second;
    Instruction* part = nullptr;
    if (hlo::IsElementwise(array->opcode) && array->called.empty()) {
      part = OfElementwise(*array);
    } else if (array->opcode == hlo::Opcode::kConcatenate &&
               array->attributes.dimensions == std::vector{dimension_}) {
      part = OfConcatenation(*array);
    } else {
      part = b_.Part(array, dimension_, position_, position_ + 1);
    }
    return parts_[array] = part;
  }

 private:
  Instruction* OfElementwise(const Instruction& op) {
    std::vector<Instruction*> operands;
    operands.reserve(op.operands.size());
    for (Instruction* operand : op.operands)
      operands.push_back(operand->shape.IsScalar() ? operand : Of(operand));
    std::vector<int64_t> dims = op.shape.dims;
    dims[dimension_] = 1;
    return b_.Add(op.opcode, "at", hlo::Shape::Array(op.shape.type, std::move(dims)),
                  std::move(operands), op.attributes);
  }
  Instruction* OfConcatenation(const Instruction& concatenation) {
    int64_t start = position_;
    for (Instruction* operand : concatenation.operands) {
      const int64_t size = operand->shape.dims[dimension_];
      if (start < size) return b_.Part(operand, dimension_, start, start + 1);
      start -= size;
    }
    llvm_unreachable("a position of the concatenation lies in one of its operands");
  }

  HloBuilder& b_;
  int64_t dimension_, position_;
  llvm::DenseMap<const Instruction*, Instruction*> parts_;
};

}  // namespace

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
  return (of_one || IsOfFewConditions(reduce)) &&
         reduce.called[0]->parameters.size() == 2 * arrays &&
         llvm::all_of(llvm::seq<size_t>(0, arrays), same_types);
}

Instruction* ExpandReduce(Expander& expander, const Instruction& reduce,
                          llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const std::vector<int64_t> dims =
      reduce.shape.IsTuple() ? reduce.shape.tuple[0].dims : reduce.shape.dims;
  const size_t arrays = operands.size() / 2;
  std::vector<Instruction*> results;
  for (Instruction* init : operands.drop_front(arrays)) results.push_back(b.Broadcast(init, dims));
  auto combine = [&](llvm::ArrayRef<Instruction*> parts) {
    for (Instruction* part : parts) results.push_back(b.Reshape(part, dims));
    results = b.Apply(*reduce.called[0], results);
  };
  if (IsOfFewConditions(reduce)) {
    const int64_t along = reduce.attributes.dimensions[0];
    for (int64_t k = 0; k < operands[0]->shape.dims[along]; ++k)
      combine(AtPosition(b, along, k).Of(operands[0]));
  } else {
    combine(operands.take_front(arrays));
  }
  return reduce.shape.IsTuple() ? b.Tuple(results) : results[0];
}

}  // namespace affirm::emit
