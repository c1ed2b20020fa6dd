// A scan of few trips, trip after trip: each takes an element of the inputs and the carries of the
// one before.
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

constexpr int64_t kMostTrips = 64, kTripsOfALaunch = 8;

bool IsStatic(const Shape& shape) {
  return shape.IsArray() && !llvm::is_contained(shape.dynamic, true);
}

}  // namespace

bool ExpandsScan(const Instruction& scan) {
  const int64_t carries = scan.attributes.num_carries,
                inputs = static_cast<int64_t>(scan.operands.size()) - carries;
  if (scan.called.size() != 1 || scan.attributes.dimensions.size() != 1 || carries < 0 ||
      inputs < 1 || !scan.shape.IsTuple()) {
    return false;
  }
  const hlo::Computation& step = *scan.called[0];
  const auto results = static_cast<int64_t>(scan.shape.tuple.size());
  if (step.root->opcode != Opcode::kTuple || results < carries ||
      static_cast<int64_t>(step.root->operands.size()) != results ||
      step.parameters.size() != scan.operands.size()) {
    return false;
  }
  const int64_t dim = scan.attributes.dimensions[0];
  const Shape& first = scan.operands[0]->shape;
  if (!IsStatic(first) || dim < 0 || dim >= static_cast<int64_t>(first.dims.size())) return false;
  const int64_t trips = first.dims[dim];
  const auto has_trips = [&](const Shape& shape) {
    return IsStatic(shape) && dim < static_cast<int64_t>(shape.dims.size()) &&
           shape.dims[dim] == trips;
  };
  // The values of one trip can be computed between those of other trips.
  const bool plain = llvm::all_of(step.instructions, [&](const auto& op) {
    if (op->opcode == Opcode::kTuple) return op.get() == step.root;
    return op->shape.IsArray() &&
           (op->opcode == Opcode::kParameter || op->opcode == Opcode::kBroadcast ||
            (op->opcode == Opcode::kConstant && op->literal) ||
            (hlo::IsElementwise(op->opcode) && op->called.empty()));
  });
  return plain && trips > 0 && trips <= kMostTrips &&
         llvm::all_of(llvm::seq<int64_t>(0, inputs),
                      [&](int64_t k) { return has_trips(scan.operands[k]->shape); }) &&
         llvm::all_of(llvm::seq<int64_t>(0, results - carries),
                      [&](int64_t k) { return has_trips(scan.shape.tuple[k]); });
}

Instruction* ExpandScan(Expander& expander, const Instruction& scan,
                        llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const hlo::Computation& step = *scan.called[0];
  const int64_t dim = scan.attributes.dimensions[0], carries = scan.attributes.num_carries;
  const int64_t trips = operands[0]->shape.dims[dim];
  const size_t inputs = operands.size() - carries, outputs = scan.shape.tuple.size() - carries;
  std::vector<Instruction*> carried = operands.drop_front(inputs).vec();
  std::vector<std::vector<Instruction*>> stacked(outputs);
  for (int64_t trip = 0; trip < trips; ++trip) {
    const int64_t at = scan.attributes.is_reverse ? trips - 1 - trip : trip;
    llvm::DenseMap<const Instruction*, Instruction*> values;
    for (size_t k = 0; k < operands.size(); ++k) {
      Instruction* argument = nullptr;
      if (k < inputs) {
        std::vector<int64_t> dims = operands[k]->shape.dims;
        dims.erase(dims.begin() + dim);
        argument = b.Reshape(b.Part(operands[k], dim, at, at + 1), std::move(dims));
      } else {
        argument = carried[k - inputs];
      }
      values[step.parameters[k]] = argument;
    }
    for (const auto& op : step.instructions) {
      if (op->opcode == Opcode::kParameter || op->opcode == Opcode::kTuple) continue;
      std::vector<Instruction*> of;
      for (const Instruction* operand : op->operands) of.push_back(values.lookup(operand));
      Instruction* made = b.Add(op->opcode, op->name, op->shape, std::move(of), op->attributes);
      made->literal = op->literal;
      values[op.get()] = made;
    }
    for (size_t k = 0; k < outputs; ++k) {
      Instruction* value = values.lookup(step.root->operands[k]);
      std::vector<int64_t> dims = value->shape.dims;
      dims.insert(dims.begin() + dim, 1);
      stacked[k].push_back(b.Reshape(value, std::move(dims)));
    }
    for (int64_t k = 0; k < carries; ++k)
      carried[k] = values.lookup(step.root->operands[outputs + k]);
    if (trip % kTripsOfALaunch == kTripsOfALaunch - 1) expander.Materialize(carried);
  }
  std::vector<Instruction*> results;
  for (std::vector<Instruction*>& parts : stacked) {
    if (scan.attributes.is_reverse) std::reverse(parts.begin(), parts.end());
    results.push_back(b.Concatenate(parts, dim));
  }
  llvm::append_range(results, carried);
  return b.Tuple(std::move(results));
}

}  // namespace affirm::emit
