// fft: discrete Fourier transforms of the last dims, one dim after the other, in f64 and rounded
// once.
#include <cmath>
#include <complex>
#include <numbers>

#include "core/hlo/attribute_values.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

using Complex = std::complex<double>;

struct Signal {
  Index sizes;
  std::vector<Complex> values;  // row-major
};

// The first `kept` elements of the transform of a whole line of `length`.
struct Transform {
  int64_t length, kept;
  bool inverse = false;
  // The line holds elements 0 to length / 2 of a transform of real numbers; the others are their
  // conjugates, and the result is real.
  bool from_half = false;

  std::vector<Complex> operator()(const std::vector<Complex>& line) const {
    std::vector<Complex> roots(length), out(kept);
    const double turn = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    for (int64_t k = 0; k < length; ++k) roots[k] = std::polar(1.0, turn * static_cast<double>(k));
    for (int64_t k = 0; k < kept; ++k) {
      // Sums of products of real numbers.
      double re_re = 0, im_im = 0, re_im = 0, im_re = 0;
      for (int64_t n = 0; n < std::ssize(line); ++n) {
        const bool is_its_own = !from_half || n == 0 || 2 * n == length;
        const Complex root = (is_its_own ? 1.0 : 2.0) * roots[k * n % length];
        re_re += line[n].real() * root.real();
        im_im += line[n].imag() * root.imag();
        re_im += line[n].real() * root.imag();
        im_re += line[n].imag() * root.real();
      }
      const double re = re_re - im_im, im = from_half ? 0 : re_im + im_re;
      const double divisor = inverse ? static_cast<double>(length) : 1;
      out[k] = {re / divisor, im / divisor};
    }
    return out;
  }
};

// Every line of the signal along a dim, transformed.
Signal Apply(const Transform& transform, const Signal& in, int64_t dim) {
  Signal out{in.sizes, {}};
  out.sizes[dim] = transform.kept;
  int64_t count = 1;
  for (int64_t size : out.sizes) count *= size;
  out.values.resize(count);
  Index lines = in.sizes;
  lines[dim] = 1;
  for (IndexIterator at(lines); !at.Done(); at.Next()) {
    Index index = at.index();
    std::vector<Complex> line;
    for (index[dim] = 0; index[dim] < in.sizes[dim]; ++index[dim]) {
      line.push_back(in.values[Linearize(index, in.sizes)]);
    }
    const std::vector<Complex> transformed = transform(line);
    for (index[dim] = 0; index[dim] < transform.kept; ++index[dim]) {
      out.values[Linearize(index, out.sizes)] = transformed[index[dim]];
    }
  }
  return out;
}

struct Request {
  Ints lengths;
  bool inverse = false, to_half = false, from_half = false;
};

llvm::Expected<Request> RequestOf(const OpInvocation& call) {
  const llvm::StringRef type = WordAttribute(call.attributes(), "fft_type");
  const auto lengths = IntsAttribute(call.attributes(), "fft_length");
  Request request;
  request.inverse = type == "IFFT" || type == "IRFFT";
  request.to_half = type == "RFFT";
  request.from_half = type == "IRFFT";
  const Shape& in = call.operand(0).shape();
  const Shape& out = call.instruction.shape;
  bool fits = (type == "FFT" || request.inverse || request.to_half) && lengths &&
              !lengths->empty() && out.rank() == in.rank() && std::ssize(*lengths) <= in.rank() &&
              IsComplex(in.type) != request.to_half && IsComplex(out.type) != request.from_half &&
              (IsFloat(in.type) || IsComplex(in.type)) &&
              (IsFloat(out.type) || IsComplex(out.type));
  for (int64_t d = 0; fits && d < in.rank(); ++d) {
    const int64_t k = d - (in.rank() - std::ssize(*lengths));
    if (k < 0) {
      fits = in.dims[d] == out.dims[d];
      continue;
    }
    const int64_t length = (*lengths)[k], half = length / 2 + 1;
    const bool last = d + 1 == in.rank();
    fits = in.dims[d] == (last && request.from_half ? half : length) &&
           out.dims[d] == (last && request.to_half ? half : length);
  }
  if (!fits) return Fail(call.instruction, "does not fit its operand");
  request.lengths = *lengths;
  return request;
}

// An element of the result is made from every element of the transformed dims.
void ReadTransformed(const OpInvocation& call, int64_t first_dim) {
  if (call.observer == nullptr) return;
  const llvm::ArrayRef<int64_t> in = call.operand(0).shape().dims;
  for (IndexIterator out(call.instruction.shape.dims); !out.Done(); out.Next()) {
    for (IndexIterator at(in.drop_front(first_dim)); !at.Done(); at.Next()) {
      Index from(out.index().begin(), out.index().begin() + first_dim);
      from.append(at.index());
      call.Read(0, out.linear(), 0, 0, Linearize(from, in));
    }
  }
}

}  // namespace

Result EvaluateFft(const OpInvocation& call) {
  auto request = RequestOf(call);
  if (!request) return request.takeError();
  const Literal& operand = call.operand(0);
  const int64_t rank = operand.shape().rank(), first = rank - std::ssize(request->lengths);
  if (auto error = CheckWork(call.instruction, {operand.shape().dims, request->lengths})) {
    return error;
  }
  Result result = NewLiteral(call);
  if (!result || result->NumElements() == 0) return result;
  const auto& dims = operand.shape().dims;
  Signal signal{Index(dims.begin(), dims.end()), {}};
  for (int64_t i = 0; i < operand.NumElements(); ++i) {
    const Scalar value = Load(operand, i);
    signal.values.emplace_back(value.re, value.im);
  }
  // The dim that is half there comes first where it is made, last where it is used up.
  for (int64_t k = 0; k < std::ssize(request->lengths); ++k) {
    const int64_t dim = request->to_half ? rank - 1 - k : first + k;
    const bool last = dim + 1 == rank;
    signal = Apply({.length = request->lengths[dim - first],
                    .kept = call.instruction.shape.dims[dim],
                    .inverse = request->inverse,
                    .from_half = last && request->from_half},
                   signal, dim);
  }
  for (int64_t i = 0; i < result->NumElements(); ++i) {
    Store(*result, i, {.re = signal.values[i].real(), .im = signal.values[i].imag()});
  }
  ReadTransformed(call, first);
  return result;
}

}  // namespace affirm::hlo
