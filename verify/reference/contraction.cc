// dot and convolution, which are sums of products.
//
// Products and sums are taken in the accumulation type, element after element, and the sum is
// rounded to the result's type once: f64 when the result or an operand is f64, else f32 for floats;
// for integers the result's type modulo its width; for pred "or" of "and"; for complex types the
// result's own type.
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar.h"
#include "verify/reference/window.h"

namespace affirm::hlo {
namespace {

enum class Accumulation : uint8_t { kPred, kInt, kF32, kF64, kC64, kC128 };

PrimitiveType AccumulationType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  if (!IsFloat(result)) return result;
  const bool is_double =
      lhs == PrimitiveType::kF64 || rhs == PrimitiveType::kF64 || result == PrimitiveType::kF64;
  return is_double ? PrimitiveType::kF64 : PrimitiveType::kF32;
}

template <typename T>
void AddComplexProduct(Scalar& sum, const Scalar& a, const Scalar& b) {
  const T ar = a.re, ai = a.im, br = b.re, bi = b.im;
  sum.re = static_cast<T>(sum.re) + (ar * br - ai * bi);
  sum.im = static_cast<T>(sum.im) + (ar * bi + ai * br);
}

// A sum of products of elements of two operands, all converted to the accumulation type beforehand.
class ProductSum {
 public:
  static llvm::Expected<ProductSum> Create(const OpInvocation& call) {
    const PrimitiveType lhs = call.operand(0).shape().type, rhs = call.operand(1).shape().type;
    const PrimitiveType result = call.instruction.shape.type;
    const PrimitiveType type = AccumulationType(lhs, rhs, result);
    if (!CanConvert(lhs, type) || !CanConvert(rhs, type)) {
      return Fail(call.instruction,
                  "cannot accumulate " + Name(lhs) + " and " + Name(rhs) + " in " + Name(type));
    }
    return ProductSum(call, type);
  }

  void Clear() { sum_ = {}; }
  void Add(int64_t lhs, int64_t rhs) {
    const Scalar& a = lhs_[lhs];
    const Scalar& b = rhs_[rhs];
    switch (type_) {
      case PrimitiveType::kPred:
        sum_.i |= a.i & b.i;
        return;
      case PrimitiveType::kF32:
        sum_.re = static_cast<float>(sum_.re) + static_cast<float>(a.re) * static_cast<float>(b.re);
        return;
      case PrimitiveType::kF64:
        sum_.re += a.re * b.re;
        return;
      case PrimitiveType::kC64:
        AddComplexProduct<float>(sum_, a, b);
        return;
      case PrimitiveType::kC128:
        AddComplexProduct<double>(sum_, a, b);
        return;
      default:
        sum_.i = static_cast<int64_t>(static_cast<uint64_t>(sum_.i) +
                                      static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i));
        return;
    }
  }
  void Write(Literal& result, int64_t linear) const {
    Store(result, linear, Convert(sum_, type_, result.shape().type));
  }

 private:
  ProductSum(const OpInvocation& call, PrimitiveType type)
      : type_(type), lhs_(Elements(call.operand(0))), rhs_(Elements(call.operand(1))) {}

  std::vector<Scalar> Elements(const Literal& literal) const {
    std::vector<Scalar> elements(literal.NumElements());
    for (size_t i = 0; i < elements.size(); ++i) {
      elements[i] = Convert(Load(literal, i), literal.shape().type, type_);
    }
    return elements;
  }

  PrimitiveType type_;
  std::vector<Scalar> lhs_, rhs_;
  Scalar sum_;
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
  auto sum = ProductSum::Create(call);
  if (!sum) return sum.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  Index lhs_index(lhs.size()), rhs_index(rhs.size());
  for (IndexIterator out(expected); !out.Done(); out.Next()) {
    const llvm::ArrayRef<int64_t> index = out.index();
    Assign(index, a.lhs_batch, lhs_index);
    Assign(index, a.rhs_batch, rhs_index);
    Assign(index.drop_front(batch.size()), lhs_free, lhs_index);
    Assign(index.drop_front(batch.size() + lhs_free.size()), rhs_free, rhs_index);
    sum->Clear();
    for (IndexIterator at(contracted); !at.Done(); at.Next()) {
      Assign(at.index(), a.lhs_contracting, lhs_index);
      Assign(at.index(), a.rhs_contracting, rhs_index);
      const int64_t left = Linearize(lhs_index, lhs), right = Linearize(rhs_index, rhs);
      sum->Add(left, right);
      call.Read(0, out.linear(), 0, 0, left);
      call.Read(0, out.linear(), 1, 0, right);
    }
    sum->Write(*result, out.linear());
  }
  return result;
}

namespace {

// Sizes and groups of a convolution, checked.
struct Convolution {
  ConvDimensionNumbers numbers;
  Index spatial;             // kernel sizes
  int64_t group_inputs = 0;  // input features of one feature group
  int64_t outputs_per_feature_group = 1;
  int64_t outputs_per_batch_group = 1;
  int64_t batches_per_group = 0;

  static llvm::Expected<Convolution> Create(const OpInvocation& call);
};

// Are the numbers a permutation of the dimensions of a rank?
llvm::Error CheckLabels(const OpInvocation& call, int64_t a, int64_t b,
                        llvm::ArrayRef<int64_t> spatial, int64_t rank) {
  Index all{a, b};
  all.append(spatial.begin(), spatial.end());
  if (std::ssize(all) != rank) return Fail(call.instruction, "has dim_labels of another rank");
  return CheckDimensions(call.instruction, all, rank);
}

llvm::Expected<Convolution> Convolution::Create(const OpInvocation& call) {
  const Attributes& a = call.attributes();
  const Shape& input = call.operand(0).shape();
  const Shape& kernel = call.operand(1).shape();
  const Shape& output = call.instruction.shape;
  if (!a.dim_labels) return Fail(call.instruction, "has no dim_labels");
  Convolution c;
  const ConvDimensionNumbers& n = c.numbers = *a.dim_labels;
  if (auto e = CheckLabels(call, n.input_batch, n.input_feature, n.input_spatial, input.rank()))
    return e;
  if (auto e = CheckLabels(call, n.kernel_input_feature, n.kernel_output_feature, n.kernel_spatial,
                           kernel.rank()))
    return e;
  if (auto e = CheckLabels(call, n.output_batch, n.output_feature, n.output_spatial, output.rank()))
    return e;
  c.spatial = Select(kernel.dims, n.kernel_spatial);
  c.group_inputs = kernel.dims[n.kernel_input_feature];
  const int64_t outputs = kernel.dims[n.kernel_output_feature];
  const int64_t fg = a.feature_group_count, bg = a.batch_group_count;
  bool fits = a.window.size() == c.spatial.size() && llvm::all_of(a.window, IsValid) && fg >= 1 &&
              bg >= 1 && n.input_spatial.size() == c.spatial.size() &&
              n.output_spatial.size() == c.spatial.size();
  for (size_t k = 0; fits && k < c.spatial.size(); ++k) fits = a.window[k].size == c.spatial[k];
  fits = fits && outputs % fg == 0 && outputs % bg == 0 &&
         outputs == output.dims[n.output_feature] && input.dims[n.input_feature] % fg == 0 &&
         input.dims[n.input_feature] / fg == c.group_inputs &&
         input.dims[n.input_batch] % bg == 0 &&
         input.dims[n.input_batch] / bg == output.dims[n.output_batch];
  if (!fits) return Fail(call.instruction, "does not fit its operands");
  c.outputs_per_feature_group = outputs / fg;
  c.outputs_per_batch_group = outputs / bg;
  c.batches_per_group = input.dims[n.input_batch] / bg;
  if (auto e = CheckWork(call.instruction, {output.dims, c.spatial, c.group_inputs})) return e;
  return c;
}

}  // namespace

// Each element sums over the positions of the kernel, in the order of its spatial labels, and for
// each position over the input features of the group. Positions in the padding are not read.
Result EvaluateConvolution(const OpInvocation& call) {
  auto c = Convolution::Create(call);
  if (!c) return c.takeError();
  auto sum = ProductSum::Create(call);
  if (!sum) return sum.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  const ConvDimensionNumbers& n = c->numbers;
  const std::vector<int64_t>& input = call.operand(0).shape().dims;
  const std::vector<int64_t>& kernel = call.operand(1).shape().dims;
  Index in(input.size()), at_kernel(kernel.size());
  for (IndexIterator out(call.instruction.shape.dims); !out.Done(); out.Next()) {
    const int64_t feature = out[n.output_feature];
    const int64_t first_input = feature / c->outputs_per_feature_group * c->group_inputs;
    in[n.input_batch] =
        feature / c->outputs_per_batch_group * c->batches_per_group + out[n.output_batch];
    at_kernel[n.kernel_output_feature] = feature;
    sum->Clear();
    for (IndexIterator offset(c->spatial); !offset.Done(); offset.Next()) {
      bool inside = true;
      for (size_t k = 0; k < c->spatial.size(); ++k) {
        const WindowDimension& window = call.attributes().window[k];
        const auto coordinate = IndexUnderWindow(window, out[n.output_spatial[k]], offset[k],
                                                 input[n.input_spatial[k]]);
        inside &= coordinate.has_value();
        in[n.input_spatial[k]] = coordinate.value_or(0);
        at_kernel[n.kernel_spatial[k]] =
            window.reversal ? c->spatial[k] - 1 - offset[k] : offset[k];
      }
      for (int64_t f = 0; inside && f < c->group_inputs; ++f) {
        in[n.input_feature] = first_input + f;
        at_kernel[n.kernel_input_feature] = f;
        const int64_t left = Linearize(in, input), right = Linearize(at_kernel, kernel);
        sum->Add(left, right);
        call.Read(0, out.linear(), 0, 0, left);
        call.Read(0, out.linear(), 1, 0, right);
      }
    }
    sum->Write(*result, out.linear());
  }
  return result;
}

}  // namespace affirm::hlo
