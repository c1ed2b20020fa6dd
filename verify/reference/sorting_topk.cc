// topk: the largest (or smallest) elements of each row of the last dimension, and their positions.
#include <algorithm>
#include <numeric>

#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// Equal elements keep their order. Floats are compared in total order, as in XLA.
Result EvaluateTopK(const OpInvocation& call) {
  const Literal& operand = call.operand(0);
  const Shape& shape = call.instruction.shape;
  const bool fits = shape.IsTuple() && shape.tuple.size() == 2 && operand.shape().rank() > 0 &&
                    shape.tuple[0].rank() == operand.shape().rank() &&
                    shape.tuple[0].type == operand.shape().type &&
                    shape.tuple[1].dims == shape.tuple[0].dims && IsInt(shape.tuple[1].type);
  if (!fits) return Fail(call.instruction, "gives no values with their places");
  Result result = NewLiteral(call);
  if (!result) return result;
  const std::string* largest = call.attributes().FindExtra("largest");
  const bool descending = largest == nullptr || *largest == "true";
  const PrimitiveType type = operand.shape().type;
  auto before = [&](int64_t a, int64_t b) {
    const Scalar x = Load(operand, descending ? b : a), y = Load(operand, descending ? a : b);
    return ScalarKindOf(type) == ScalarKind::kInt
               ? IntType::Of(type).Less(x.i, y.i)
               : TotalOrderKey(type, x.re) < TotalOrderKey(type, y.re);
  };
  const int64_t size = operand.shape().dims.back(), kept = shape.tuple[0].dims.back();
  if (kept > size) return Fail(call.instruction, "keeps more than there is");
  const int64_t rows = size == 0 ? 0 : operand.NumElements() / size;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int64_t> order(size);
    std::iota(order.begin(), order.end(), row * size);
    std::stable_sort(order.begin(), order.end(), before);
    for (int64_t k = 0; k < kept; ++k) {
      const int64_t to = row * kept + k;
      Store(result->tuple()[0], to, Load(operand, order[k]));
      Store(result->tuple()[1], to, {.i = order[k] - row * size});
      for (int64_t from = row * size; from < (row + 1) * size; ++from) {
        call.Read(0, to, 0, 0, from);
        call.Read(1, to, 0, 0, from);
      }
    }
  }
  return result;
}

}  // namespace affirm::hlo
