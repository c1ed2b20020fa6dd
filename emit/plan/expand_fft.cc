// Discrete Fourier transforms, as products with matrices of roots of one, in f64 and rounded once:
// one dimension after the other, of x = re + im i and roots c + s i
//
//   re' = dot(re, c) - dot(im, s)      im' = dot(re, s) + dot(im, c)
#include <cmath>
#include <complex>
#include <numbers>

#include "core/hlo/attribute_values.h"
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

// The matrices of longer transforms are no constants to be put into a kernel: these hold each root
// once, and take it from there for each product.
constexpr int64_t kLongestMatrix = 128, kLongest = 4096;

struct Request {
  std::vector<int64_t> lengths;
  bool inverse = false, to_half = false, from_half = false;
};

Request RequestOf(const Instruction& fft) {
  const llvm::StringRef type = hlo::WordAttribute(fft.attributes, "fft_type");
  const auto lengths = hlo::IntsAttribute(fft.attributes, "fft_length");
  Request request;
  if (lengths) request.lengths.assign(lengths->begin(), lengths->end());
  request.inverse = type == "IFFT" || type == "IRFFT";
  request.to_half = type == "RFFT";
  request.from_half = type == "IRFFT";
  return request;
}

// One dimension, as the interpreter transforms it (verify/reference/linalg_fft.cc).
struct Transform {
  int64_t length, given, kept;
  bool inverse, from_half;
};

struct Signal {
  Instruction *re, *im;
};

std::complex<double> RootOf(const Transform& t, int64_t k) {
  const double turn = (t.inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(t.length);
  return std::polar(1.0, turn * static_cast<double>(k));
}

// How often element n of what is given counts: of a half, what it stands for counts too.
double WeightOf(const Transform& t, int64_t n) {
  return !t.from_half || n == 0 || 2 * n == t.length ? 1 : 2;
}

// Both parts of the roots, [given, kept], weighted.
Signal MatrixOf(HloBuilder& b, const Transform& t) {
  std::vector<double> re, im;
  for (int64_t n = 0; n < t.given; ++n) {
    for (int64_t k = 0; k < t.kept; ++k) {
      const std::complex<double> root = RootOf(t, k * n % t.length);
      re.push_back(WeightOf(t, n) * root.real());
      im.push_back(WeightOf(t, n) * root.imag());
    }
  }
  return {b.Doubles({t.given, t.kept}, re), b.Doubles({t.given, t.kept}, im)};
}

// The same of `length` roots, of which the one at n * k mod length stands in row n and column k.
Signal MatrixOfPlaces(HloBuilder& b, const Transform& t) {
  const std::vector<int64_t> dims = {t.given, t.kept};
  Instruction* length = b.Broadcast(b.Scalar("length", PrimitiveType::kS32, t.length), dims);
  Instruction* product = b.Op(Opcode::kMultiply, {b.Iota(PrimitiveType::kS32, dims, 0),
                                                  b.Iota(PrimitiveType::kS32, dims, 1)});
  Instruction* place = b.Op(Opcode::kRemainder, {product, length});
  hlo::Attributes attributes;
  attributes.collapsed_slice_dims = {0};
  attributes.start_index_map = {0};
  attributes.slice_sizes = {1};
  attributes.index_vector_dim = 2;
  std::vector<double> weights;
  weights.reserve(t.given);
  for (int64_t n = 0; n < t.given; ++n) weights.push_back(WeightOf(t, n));
  auto part = [&](auto of) {
    std::vector<double> roots;
    roots.reserve(t.length);
    for (int64_t k = 0; k < t.length; ++k) roots.push_back(of(RootOf(t, k)));
    Instruction* matrix = b.Add(Opcode::kGather, "roots", Shape::Array(PrimitiveType::kF64, dims),
                                {b.Doubles({t.length}, roots), place}, attributes);
    if (!t.from_half) return matrix;
    return b.Op(Opcode::kMultiply,
                {matrix, b.BroadcastInto(b.Doubles({t.given}, weights), dims, {0})});
  };
  Instruction* re = part([](const std::complex<double>& root) { return root.real(); });
  return {re, part([](const std::complex<double>& root) { return root.imag(); })};
}

Signal Apply(HloBuilder& b, const Signal& in, const Transform& t, int64_t dim) {
  const Signal roots = t.length <= kLongestMatrix ? MatrixOf(b, t) : MatrixOfPlaces(b, t);
  auto product = [&](Instruction* x, Instruction* of) {
    hlo::Attributes attributes;
    attributes.lhs_contracting = {dim};
    attributes.rhs_contracting = {0};
    std::vector<int64_t> dims = x->shape.dims;
    dims.erase(dims.begin() + dim);
    dims.push_back(t.kept);
    return b.Add(Opcode::kDot, "transform", Shape::Array(PrimitiveType::kF64, dims), {x, of},
                 std::move(attributes));
  };
  // The new dimension is the last one, until it is where the old one was.
  std::vector<int64_t> order;
  const auto rank = static_cast<int64_t>(in.re->shape.dims.size());
  for (int64_t d = 0; d + 1 < rank; ++d) order.push_back(d);
  order.insert(order.begin() + dim, rank - 1);
  Signal out{b.Op(Opcode::kSubtract, {product(in.re, roots.re), product(in.im, roots.im)}),
             nullptr};
  if (!t.from_half)
    out.im = b.Op(Opcode::kAdd, {product(in.re, roots.im), product(in.im, roots.re)});
  for (Instruction** part : {&out.re, &out.im}) {
    if (*part == nullptr) continue;
    if (t.inverse) {
      const std::vector<int64_t> dims = (*part)->shape.dims;
      Instruction* length = b.Broadcast(b.Doubles({}, static_cast<double>(t.length)), dims);
      *part = b.Op(Opcode::kDivide, {*part, length});
    }
    *part = b.Transpose(*part, order);
  }
  return out;
}

}  // namespace

bool ExpandsFft(const Instruction& fft) {
  if (fft.operands.size() != 1) return false;
  const Shape &in = fft.operands[0]->shape, &out = fft.shape;
  const Request request = RequestOf(fft);
  const auto rank = static_cast<int64_t>(in.dims.size());
  const auto count = static_cast<int64_t>(request.lengths.size());
  const auto is_number = [](const Shape& shape) {
    return shape.IsArray() && shape.NumElements() > 0 && !llvm::is_contained(shape.dynamic, true) &&
           (hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type));
  };
  return is_number(in) && is_number(out) && out.dims.size() == in.dims.size() && count > 0 &&
         count <= rank && hlo::IsComplex(in.type) != request.to_half &&
         hlo::IsComplex(out.type) != request.from_half &&
         llvm::all_of(request.lengths, [](int64_t n) { return n > 0 && n <= kLongest; });
}

Instruction* ExpandFft(Expander& expander, const Instruction& fft,
                       llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const Request request = RequestOf(fft);
  Instruction* x = operands[0];
  const std::vector<int64_t> dims = x->shape.dims;
  auto part = [&](Opcode opcode) {
    const PrimitiveType type =
        x->shape.type == PrimitiveType::kC128 ? PrimitiveType::kF64 : PrimitiveType::kF32;
    Instruction* of = b.Add(opcode, "part", Shape::Array(type, dims), {x});
    return b.Convert(of, PrimitiveType::kF64);
  };
  Signal signal{};
  if (hlo::IsComplex(x->shape.type)) {
    signal = {part(Opcode::kReal), part(Opcode::kImag)};
  } else {
    signal = {b.Convert(x, PrimitiveType::kF64), b.Broadcast(b.Doubles({}, 0.0), dims)};
  }
  const auto rank = static_cast<int64_t>(dims.size());
  const auto count = static_cast<int64_t>(request.lengths.size());
  for (int64_t k = 0; k < count; ++k) {
    const int64_t dim = request.to_half ? rank - 1 - k : rank - count + k;
    const int64_t length = request.lengths[dim - (rank - count)];
    signal = Apply(b, signal,
                   {length, signal.re->shape.dims[dim], fft.shape.dims[dim], request.inverse,
                    request.from_half && dim + 1 == rank},
                   dim);
    if (k + 1 == count) break;
    expander.Materialize({signal.re, signal.im});
  }
  if (!hlo::IsComplex(fft.shape.type)) return b.Convert(signal.re, fft.shape.type);
  const PrimitiveType type =
      fft.shape.type == PrimitiveType::kC128 ? PrimitiveType::kF64 : PrimitiveType::kF32;
  return b.Add(Opcode::kComplex, "transformed", Shape::Array(fft.shape.type, fft.shape.dims),
               {b.Convert(signal.re, type), b.Convert(signal.im, type)});
}

}  // namespace affirm::emit
