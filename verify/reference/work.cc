#include "verify/reference/work.h"

#include <algorithm>
#include <bit>

#include "core/hlo/leaves.h"
#include "core/symbolic/checked.h"

namespace affirm::hlo {

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t Product(int64_t a, int64_t b) {
  return CheckedMul(a, std::max<int64_t>(b, 1)).value_or(kMost);
}

int64_t Elements(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? std::max<int64_t>(shape.NumElements(), 0) : 0;
  int64_t elements = 0;
  for (const Shape& element : shape.tuple)
    elements = CheckedAdd(elements, Elements(element)).value_or(kMost);
  return elements;
}

int64_t ElementsOfOperands(const Instruction& op) {
  int64_t elements = 0;
  for (const Instruction* operand : op.operands)
    elements = CheckedAdd(elements, Elements(operand->shape)).value_or(kMost);
  return elements;
}

int64_t SizeOf(const Instruction& operand, int64_t dimension) {
  const bool known = dimension >= 0 && dimension < operand.shape.rank();
  return known ? operand.shape.dims[static_cast<size_t>(dimension)] : 1;
}

// How many comparisons a row takes for each of its elements, about.
int64_t Comparisons(int64_t row) {
  return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(row, 1)));
}

// How many elements are combined for one of the result.
int64_t Terms(const Instruction& op) {
  int64_t terms = 1;
  if (op.opcode == Opcode::kConvolution || op.opcode == Opcode::kReduceWindow ||
      op.opcode == Opcode::kSelectAndScatter) {
    for (const WindowDimension& d : op.attributes.window) terms = Product(terms, d.size);
  }
  if (op.operands.empty()) return terms;
  if (op.opcode == Opcode::kConvolution && op.attributes.dim_labels && op.operands.size() > 1)
    terms = Product(terms, SizeOf(*op.operands[1], op.attributes.dim_labels->kernel_input_feature));
  if (op.opcode == Opcode::kDot || op.opcode == Opcode::kScaledDot ||
      op.opcode == Opcode::kRaggedDot) {
    for (int64_t d : op.attributes.lhs_contracting)
      terms = Product(terms, SizeOf(*op.operands[0], d));
  }
  const int64_t last = SizeOf(*op.operands[0], op.operands[0]->shape.rank() - 1);
  if (op.opcode == Opcode::kCholesky || op.opcode == Opcode::kTriangularSolve ||
      op.opcode == Opcode::kFft)
    terms = last;
  return terms;
}

bool CallsInstructions(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kConditional || opcode == Opcode::kFusion ||
         opcode == Opcode::kWhile;
}

int64_t WithoutConstant(const Instruction& op) {
  if (CallsInstructions(op.opcode)) return 0;
  if (op.opcode == Opcode::kReduce) return ElementsOfOperands(op);
  if (op.opcode == Opcode::kSort && !op.operands.empty() && !op.attributes.dimensions.empty()) {
    return Product(ElementsOfOperands(op),
                   Comparisons(SizeOf(*op.operands[0], op.attributes.dimensions[0])));
  }
  if (op.opcode == Opcode::kTopk && !op.operands.empty()) {
    return Product(ElementsOfOperands(op),
                   Comparisons(SizeOf(*op.operands[0], op.operands[0]->shape.rank() - 1)));
  }
  int64_t elements = Elements(op.shape);
  if (op.opcode == Opcode::kScatter || op.opcode == Opcode::kSelectAndScatter)
    elements = std::max(elements, ElementsOfOperands(op));
  return Product(elements, Terms(op));
}

}  // namespace

int64_t ElementOperations(const Instruction& instruction) {
  return CheckedAdd(WithoutConstant(instruction), kOfInstruction).value_or(kMost);
}

void WorkMeter::Add(int64_t operations) { done = CheckedAdd(done, operations).value_or(kMost); }

}  // namespace affirm::hlo
