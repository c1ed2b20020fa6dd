// dot: which sums of products (products.h) its elements are.
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/reference/products.h"

namespace affirm::hlo {

llvm::Expected<PrimitiveType> AccumulationType(const OpInvocation& call) {
  const PrimitiveType lhs = call.operand(0).shape().type, rhs = call.operand(1).shape().type;
  const PrimitiveType result = call.instruction.shape.type;
  PrimitiveType type = result;
  if (IsFloat(result)) {
    const bool is_double =
        lhs == PrimitiveType::kF64 || rhs == PrimitiveType::kF64 || result == PrimitiveType::kF64;
    type = is_double ? PrimitiveType::kF64 : PrimitiveType::kF32;
  }
  if (CanConvert(lhs, type) && CanConvert(rhs, type)) return type;
  return Fail(call.instruction,
              "cannot accumulate " + Name(lhs) + " and " + Name(rhs) + " in " + Name(type));
}

namespace {

// Where the elements of one operand are, by the parts of their index.
struct DotSide {
  std::vector<int64_t> batch, free, contracted;
};

// The element of the result at (batch b, row i, column j) is the sum over k of
// lhs[b, i, k] * rhs[b, j, k].
class Dot {
 public:
  Dot(const OpInvocation& call, DotSide lhs, DotSide rhs)
      : call_(call), lhs_(std::move(lhs)), rhs_(std::move(rhs)) {}

  template <typename T>
  void Run(PrimitiveType type, Literal& result) const {
    const std::vector<T> lhs = ElementsAs<T>(call_.operand(0), type);
    const std::vector<T> rhs = ElementsAs<T>(call_.operand(1), type);
    const int64_t rows = std::ssize(lhs_.free), columns = std::ssize(rhs_.free);
    const int64_t terms = std::ssize(lhs_.contracted);
    std::vector<T> panel(terms * kPanel);
    for (size_t b = 0; b < lhs_.batch.size(); ++b) {
      const int64_t first = static_cast<int64_t>(b) * rows * columns;
      std::vector<T> packed(rows * terms);
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t k = 0; k < terms; ++k) {
          packed[i * terms + k] = lhs[lhs_.batch[b] + lhs_.free[i] + lhs_.contracted[k]];
        }
      }
      for (int64_t j0 = 0; j0 < columns; j0 += kPanel) {
        const int64_t width = std::min(kPanel, columns - j0);
        for (int64_t k = 0; k < terms; ++k) {
          for (int64_t j = 0; j < width; ++j) {
            panel[k * kPanel + j] = rhs[rhs_.batch[b] + rhs_.free[j0 + j] + rhs_.contracted[k]];
          }
        }
        for (int64_t i = 0; i < rows; ++i) {
          PanelSums<T> sums = {};
          AddProducts(&packed[i * terms], 1, panel.data(), terms, sums);
          for (int64_t j = 0; j < width; ++j) {
            StoreSum(result, first + i * columns + j0 + j, sums[j], type);
          }
        }
      }
    }
  }

  // Which elements each element of the result is computed from.
  void TellReads() const {
    int64_t linear = 0;
    for (size_t b = 0; b < lhs_.batch.size(); ++b) {
      for (int64_t row : lhs_.free) {
        for (int64_t column : rhs_.free) {
          for (size_t k = 0; k < lhs_.contracted.size(); ++k) {
            call_.Read(0, linear, 0, 0, lhs_.batch[b] + row + lhs_.contracted[k]);
            call_.Read(0, linear, 1, 0, rhs_.batch[b] + column + rhs_.contracted[k]);
          }
          ++linear;
        }
      }
    }
  }

 private:
  const OpInvocation& call_;
  DotSide lhs_, rhs_;
};

}  // namespace

// The dimensions of the result are the batch dimensions, then the free ones of the left operand,
// then those of the right: f32[2,4] dot(f32[2,3], f32[3,4]) contracts dimension 1 with dimension 0.
Result EvaluateDot(const OpInvocation& call) {
  if (call.operands.size() != 2)
    return Fail(call.instruction, "with sparse operands is not supported");
  const Attributes& a = call.attributes();
  const std::vector<int64_t>& lhs = call.operand(0).shape().dims;
  const std::vector<int64_t>& rhs = call.operand(1).shape().dims;
  std::vector<int64_t> lhs_used = a.lhs_batch, rhs_used = a.rhs_batch;
  lhs_used.insert(lhs_used.end(), a.lhs_contracting.begin(), a.lhs_contracting.end());
  rhs_used.insert(rhs_used.end(), a.rhs_contracting.begin(), a.rhs_contracting.end());
  if (auto error = CheckDimensions(call.instruction, lhs_used, lhs.size())) return error;
  if (auto error = CheckDimensions(call.instruction, rhs_used, rhs.size())) return error;
  const Index lhs_free = Without(lhs.size(), {lhs_used}),
              rhs_free = Without(rhs.size(), {rhs_used});
  const Index batch = Select(lhs, a.lhs_batch), contracted = Select(lhs, a.lhs_contracting);
  Index expected = batch;
  expected.append(Select(lhs, lhs_free));
  expected.append(Select(rhs, rhs_free));
  if (batch != Select(rhs, a.rhs_batch) || contracted != Select(rhs, a.rhs_contracting) ||
      !llvm::equal(expected, call.instruction.shape.dims)) {
    return Fail(call.instruction, "does not fit its operands");
  }
  if (auto error = CheckWork(call.instruction, {expected, contracted})) return error;
  auto type = AccumulationType(call);
  if (!type) return type.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  const Dot dot(call,
                {PositionsOf(a.lhs_batch, lhs), PositionsOf(lhs_free, lhs),
                 PositionsOf(a.lhs_contracting, lhs)},
                {PositionsOf(a.rhs_batch, rhs), PositionsOf(rhs_free, rhs),
                 PositionsOf(a.rhs_contracting, rhs)});
  if (call.observer != nullptr) dot.TellReads();
  WithAccumulation(*type, [&](auto zero) { dot.Run<decltype(zero)>(*type, *result); });
  return result;
}

}  // namespace affirm::hlo
