// How a computation of a random module grows: one op after the other, each undone when it is
// refused.
#include "fuzz/generators/hlo_body.h"

#include <algorithm>
#include <limits>

#include "core/symbolic/checked.h"
#include "fuzz/generators/op_instances.h"
#include "fuzz/generators/ops/families.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace affirm::fuzz {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// How many elements of its operands one element of the result reads, in a loop.
int64_t TripCount(const Instruction& instruction) {
  int64_t trips = 1;
  auto times = [&](int64_t n) {
    trips = CheckedMul(trips, std::max<int64_t>(n, 1)).value_or(INT64_MAX);
  };
  if (instruction.operands.empty()) return 1;
  const Shape& first = instruction.operands[0]->shape;
  switch (instruction.opcode) {
    case Opcode::kReduce:
      for (int64_t d : instruction.attributes.dimensions) times(first.dims[d]);
      break;
    case Opcode::kReduceWindow:
      for (const hlo::WindowDimension& window : instruction.attributes.window) times(window.size);
      break;
    case Opcode::kDot:
      for (int64_t d : instruction.attributes.lhs_contracting) times(first.dims[d]);
      break;
    case Opcode::kConvolution:
      for (int64_t size : instruction.operands[1]->shape.dims) times(size);
      break;
    case Opcode::kSort:
    case Opcode::kScatter:
      times(first.NumElements());
      break;
    default:
      break;
  }
  return trips;
}

// How many instructions lead to this one.
size_t CountBelow(const Instruction& root) {
  llvm::SmallSetVector<const Instruction*, 16> below;
  below.insert(&root);
  for (size_t i = 0; i < below.size(); ++i) {
    for (const Instruction* operand : below[i]->operands) below.insert(operand);
  }
  return below.size();
}

// Ops on arrays with sizes of run time and on fixed ones would have results of neither kind.
bool IsFixed(const Shape& shape) { return !llvm::is_contained(shape.dynamic, true); }

}  // namespace

HloBody::HloBody(HloBody& caller, hlo::Computation& computation)
    : OpBuilder(caller.choices(), caller.limits_, computation),
      limits_(caller.limits_),
      caller_(&caller) {
  for (const Instruction* array : caller.arrays_) {
    if (IsFixed(array->shape)) offered_.push_back(array->shape);
  }
}

std::unique_ptr<OpBuilder> HloBody::Inside(hlo::Computation& computation) {
  return std::unique_ptr<OpBuilder>(new HloBody(*this, computation));
}

int64_t HloBody::WorkOf(const Instruction& instruction) const {
  int64_t operands = 1;
  for (const Instruction* operand : instruction.operands) {
    auto place = llvm::find_if(computation().instructions,
                               [&](const auto& other) { return other.get() == operand; });
    operands += work_[place - computation().instructions.begin()];
  }
  // A fusion's result is an array in memory.
  if (instruction.opcode == Opcode::kFusion) return 1;
  return CheckedMul(TripCount(instruction), operands).value_or(INT64_MAX);
}

bool HloBody::TooLarge(const Shape& shape, int64_t work) const {
  if (shape.IsTuple()) {
    return llvm::any_of(shape.tuple, [&](const Shape& leaf) { return TooLarge(leaf, 1); });
  }
  if (!hlo::CheckedByteSize(shape) || shape.NumElements() > limits_.max_elements) return true;
  auto total = CheckedMul(work, std::max<int64_t>(shape.NumElements(), 1));
  return !total || *total > limits_.max_work;
}

void HloBody::Added(Instruction& added, bool is_valid) {
  work_.push_back(WorkOf(added));
  if (!is_valid || TooLarge(added.shape, work_.back())) Refuse();
  if (added.shape.IsArray()) arrays_.push_back(&added);
}

void HloBody::Refuse() {
  refused_ = true;
  if (caller_) caller_->Refuse();
}

bool HloBody::Try(llvm::function_ref<void()> make) {
  hlo::Module& module = *computation().module;
  auto& instructions = computation().instructions;
  const size_t num_instructions = instructions.size(), num_arrays = arrays_.size();
  const auto header = module.extra_attributes;
  llvm::DenseSet<const hlo::Computation*> computations;
  for (const auto& known : module.computations) computations.insert(known.get());
  refused_ = false;
  make();
  if (!refused_) return true;
  for (; instructions.size() > num_instructions; instructions.pop_back()) {
    Instruction& last = *instructions.back();
    for (Instruction* operand : last.operands) llvm::erase(operand->users, &last);
    if (last.opcode == Opcode::kParameter) computation().parameters.pop_back();
  }
  arrays_.resize(num_arrays);
  work_.resize(num_instructions);
  llvm::erase_if(module.computations,
                 [&](const auto& known) { return !computations.contains(known.get()); });
  module.extra_attributes = header;
  return false;
}

hlo::Literal HloBody::AnyLiteral(const Shape& shape) {
  hlo::Literal literal(shape);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < shape.NumElements(); ++i) {
    if (hlo::IsFloat(shape.type)) {
      literal.SetFloat(i,
                       choices().Pick({1.0, 0.0, -1.0, 0.5, 2.0, -0.0, 3.25, kInfinity, -1024.0}));
    } else if (hlo::IsComplex(shape.type)) {
      double re = choices().Pick({1.0, 0.0, -0.5}), im = choices().Pick({0.0, 1.0, 2.0});
      literal.SetComplex(i, {re, im});
    } else {
      literal.SetInt(i, choices().Pick<int64_t>({1, 0, -1, 2, 3, 7, 127, INT64_MAX, INT64_MIN}));
    }
  }
  return literal;
}

Instruction* HloBody::ArrayWhere(llvm::function_ref<bool(const Shape&)> fits,
                                 llvm::function_ref<Shape()> otherwise) {
  std::vector<Instruction*> candidates;
  for (Instruction* array : arrays_) {
    if (IsFixed(array->shape) && fits(array->shape)) candidates.push_back(array);
  }
  // The newest first: graphs grow deep rather than wide.
  std::reverse(candidates.begin(), candidates.end());
  if (!candidates.empty() && !choices().OneIn(5)) {
    const uint64_t one = choices().Below(candidates.size());
    return candidates[std::min(one, choices().Below(candidates.size()))];
  }
  std::vector<Shape> offers;
  for (const Shape& shape : offered_) {
    if (fits(shape)) offers.push_back(shape);
  }
  if (!offers.empty() && !choices().OneIn(4)) {
    return Parameter(offers[choices().Below(offers.size())]);
  }
  const Shape shape = otherwise();
  if (shape.NumElements() <= 4 && choices().OneIn(5)) return AddConstant(AnyLiteral(shape));
  return Parameter(shape);
}

Instruction* HloBody::Moved(const Shape& shape) {
  std::vector<Opcode> opcodes;
  for (Opcode op : {Opcode::kBroadcast, Opcode::kReshape, Opcode::kTranspose, Opcode::kConvert}) {
    if (llvm::is_contained(limits_.ops, op)) opcodes.push_back(op);
  }
  if (opcodes.empty()) return nullptr;
  const Opcode opcode = opcodes[choices().Below(opcodes.size())];
  Shape from = Shape::Array(shape.type, shape.dims);
  hlo::Attributes attributes;
  if (opcode == Opcode::kBroadcast) {
    attributes.dimensions = Subset(shape.rank());
    from.dims.clear();
    for (int64_t d : attributes.dimensions) from.dims.push_back(shape.dims[d]);
  } else if (opcode == Opcode::kReshape) {
    from.dims = SizesOfProduct(shape.NumElements());
  } else if (opcode == Opcode::kTranspose) {
    attributes.dimensions = Permutation(shape.rank());
    for (int64_t d = 0; d < shape.rank(); ++d) from.dims[attributes.dimensions[d]] = shape.dims[d];
  } else if (const PrimitiveType type = AnyType(TypeClass::kAny);
             !hlo::IsComplex(type) || hlo::IsComplex(shape.type)) {
    from.type = type;
  }
  return Add(opcode, {Operand(from)}, attributes, shape);
}

Instruction* HloBody::Operand(const Shape& shape) {
  if (shape.IsArray()) {
    if (choices().OneIn(5)) {
      if (Instruction* moved = Moved(shape)) return moved;
    }
    return ArrayWhere([&](const Shape& other) { return other.SameIgnoringLayout(shape); },
                      [&] { return shape; });
  }
  if (!shape.IsTuple()) return Parameter(shape);
  std::vector<Instruction*> elements;
  elements.reserve(shape.tuple.size());
  for (const Shape& element : shape.tuple) elements.push_back(Operand(element));
  return Add(Opcode::kTuple, elements);
}

Instruction* HloBody::MainOperand(int64_t min_rank, int64_t max_rank, TypeClass types) {
  auto fits = [&](const Shape& shape) {
    return IsOf(shape.type, types) && shape.rank() >= min_rank && shape.rank() <= max_rank;
  };
  return ArrayWhere(fits, [&] {
    const PrimitiveType type = AnyType(types);
    return Array(type, AnySizes(min_rank, max_rank));
  });
}

PrimitiveType HloBody::AnyType(TypeClass types) {
  std::vector<PrimitiveType> allowed;
  for (PrimitiveType type : limits_.types) {
    if (IsOf(type, types)) allowed.push_back(type);
  }
  if (!allowed.empty()) return allowed[choices().Below(allowed.size())];
  Refuse();
  return OpBuilder::AnyType(types);
}

Opcode HloBody::AnyOpcode(llvm::ArrayRef<Opcode> opcodes) {
  std::vector<Opcode> allowed;
  for (Opcode opcode : opcodes) {
    if (llvm::is_contained(limits_.ops, opcode)) allowed.push_back(opcode);
  }
  return allowed.empty() ? Opcode::kCopy : OpBuilder::AnyOpcode(allowed);
}

// One collective for a module says how many devices there are. What a fusion computes stays on one
// device.
void HloBody::SetDevices(int64_t replicas, int64_t partitions) {
  if (!computation().is_entry || !computation().module->extra_attributes.empty()) return Refuse();
  OpBuilder::SetDevices(replicas, partitions);
}

void HloBody::AddLeaves(Instruction* value) {
  if (!value->shape.IsTuple()) return;
  for (size_t i = 0; i < value->shape.tuple.size(); ++i) {
    hlo::Attributes which;
    which.tuple_index = static_cast<int64_t>(i);
    AddLeaves(Add(Opcode::kGetTupleElement, {value}, which));
  }
}

void HloBody::AddNormalization() {
  Instruction* value = MainOperand(1);
  const Shape shape = Shape::Array(value->shape.type, value->shape.dims);
  const auto anywhere = static_cast<int64_t>(choices().Below(shape.rank()));
  hlo::Attributes kept;
  Sizes reduced;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    (d == anywhere || Flip() ? reduced : kept.dimensions).push_back(d);
  }
  std::vector<Instruction*> reductions = {ReduceAlong(*this, value, reduced)};
  for (int64_t more = Small(1, 2); more > 0; --more) {
    reductions.push_back(ReduceAlong(*this, Operand(shape), reduced));
  }
  if (!llvm::is_contained(limits_.ops, Opcode::kBroadcast)) return;
  const bool is_pred = shape.type == PrimitiveType::kPred;
  for (Instruction* reduction : reductions) {
    Instruction* repeated = Add(Opcode::kBroadcast, {reduction}, kept, shape);
    const Opcode opcode =
        is_pred ? AnyOpcode({Opcode::kXor, Opcode::kAnd, Opcode::kOr})
                : AnyOpcode({Opcode::kSubtract, Opcode::kMaximum, Opcode::kAdd, Opcode::kMinimum});
    if (opcode != Opcode::kCopy) value = Add(opcode, {value, repeated});
  }
}

bool HloBody::Grow() {
  const Opcode opcode = ChooseGraphOp(choices(), limits_.ops);
  if (opcode == Opcode::kUnknown) return false;
  if (opcode == Opcode::kReduce && Flip() && Try([&] { AddNormalization(); })) return true;
  return Try([&] { AddLeaves(GenerateOp(*this, opcode)); });
}

void HloBody::GrowBy(int64_t ops) {
  int64_t grown = 0;
  // Some choices come to nothing.
  for (int64_t tries = 0; grown < ops && tries < 3 * ops; ++tries) grown += Grow();
}

void HloBody::AddFusion() {
  Try([&] {
    hlo::Computation* fused = NewComputation("fused");
    HloBody body(*this, *fused);
    body.caller_ = nullptr;  // what it refuses, it takes back
    body.GrowBy(choices().Between(limits_.min_ops, limits_.max_ops));
    body.Finish();
    std::vector<Instruction*> operands;
    for (const Instruction* parameter : fused->parameters) {
      // The order of the dimensions is part of what a fusion is called with.
      const Shape& wanted = parameter->shape;
      Instruction* operand =
          ArrayWhere([&](const Shape& shape) { return shape == wanted; }, [&] { return wanted; });
      operands.push_back(operand->shape == wanted ? operand : Parameter(wanted));
    }
    hlo::Attributes attributes;
    attributes.fusion_kind = "kLoop";
    AddLeaves(Add(Opcode::kFusion, operands, attributes, fused->root->shape, {{"calls", fused}}));
  });
}

void HloBody::Finish() {
  std::vector<Instruction*> unused;
  for (Instruction* array : arrays_) {
    if (array->users.empty() && array->opcode != Opcode::kParameter) unused.push_back(array);
  }
  if (unused.empty()) unused.push_back(arrays_.empty() ? MainOperand() : arrays_.back());
  // A result that others use as well, and one that is an operand.
  if (limits_.tuples && choices().OneIn(8)) {
    unused.push_back(arrays_[choices().Below(arrays_.size())]);
  }
  if (!limits_.tuples) {
    unused = {*llvm::max_element(
        unused, [](const auto* a, const auto* b) { return CountBelow(*a) < CountBelow(*b); })};
  }
  computation().root = unused.front();
  if (unused.size() > 1) computation().root = Add(Opcode::kTuple, unused);
}

}  // namespace affirm::fuzz
