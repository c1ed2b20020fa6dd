// scaled-dot, the dot of two arrays whose elements are first multiplied by the scale of their
// block.
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// The scale of an element: each dimension of the operand is divided into as many blocks as the
// scale has elements there; a scalar scale is that of every element.
int64_t ScaleOf(const Shape& operand, const Shape& scale, llvm::ArrayRef<int64_t> index) {
  Index block;
  for (int64_t d = 0; d < scale.rank(); ++d) {
    block.push_back(index[d] / std::max<int64_t>(operand.dims[d] / scale.dims[d], 1));
  }
  return Linearize(block, scale.dims);
}

// An operand, scaled, and the position of the scale of each of its elements.
struct Scaled {
  Literal value;
  std::vector<int64_t> scale_of;
};

llvm::Expected<Scaled> Scale(const OpInvocation& call, int64_t k) {
  const Literal &operand = call.operand(k), &scale = call.operand(k + 2);
  const PrimitiveType type = operand.shape().type, scale_type = scale.shape().type;
  bool fits = IsFloat(type) && IsFloat(scale_type) &&
              (scale.shape().IsScalar() || scale.shape().rank() == operand.shape().rank());
  for (int64_t d = 0; fits && d < scale.shape().rank(); ++d) {
    const int64_t size = operand.shape().dims[d], blocks = scale.shape().dims[d];
    fits = blocks == 0 ? size == 0 : size % blocks == 0;
  }
  if (!fits) return Fail(call.instruction, "has a scale that does not fit");
  // Products are taken in f32, or in f64 for operands of that type, and not rounded further.
  const PrimitiveType wide = type == PrimitiveType::kF64 ? type : PrimitiveType::kF32;
  Scaled scaled{Literal(Shape::Array(wide, operand.shape().dims)), {}};
  for (IndexIterator at(operand.shape().dims); !at.Done(); at.Next()) {
    const int64_t from = ScaleOf(operand.shape(), scale.shape(), at.index());
    const double product = Load(operand, at.linear()).re * Load(scale, from).re;
    Store(scaled.value, at.linear(), {.re = RoundTo(wide, product)});
    scaled.scale_of.push_back(from);
  }
  return scaled;
}

}  // namespace

Result EvaluateScaledDot(const OpInvocation& call) {
  auto lhs = Scale(call, 0);
  if (!lhs) return lhs.takeError();
  auto rhs = Scale(call, 1);
  if (!rhs) return rhs.takeError();
  // An element is read with its scale.
  const ReadObserver observer = [&](const Instruction&, int64_t result_leaf, int64_t result,
                                    int64_t operand, int64_t leaf, int64_t linear) {
    call.Read(result_leaf, result, operand, leaf, linear);
    const Scaled& scaled = operand == 0 ? *lhs : *rhs;
    call.Read(result_leaf, result, operand + 2, 0, scaled.scale_of[linear]);
  };
  const Literal* operands[] = {&lhs->value, &rhs->value};
  return EvaluateDot({call.instruction, operands, call.observer ? &observer : nullptr});
}

}  // namespace affirm::hlo
