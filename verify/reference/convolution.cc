// convolution: which sums of products (products.h) its elements are.
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/reference/products.h"
#include "verify/reference/window.h"

namespace affirm::hlo {
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

// Each element sums over the positions of the kernel, in the order of its spatial labels, and for
// each position over the input features of the group. Positions in the padding are not read.
class ConvolutionSums {
 public:
  ConvolutionSums(const OpInvocation& call, const Convolution& c)
      : call_(call),
        c_(c),
        input_(call.operand(0).shape().dims),
        kernel_(call.operand(1).shape().dims),
        output_(call.instruction.shape.dims) {}

  template <typename T>
  void Run(PrimitiveType type, Literal& result) const {
    const std::vector<T> input = ElementsAs<T>(call_.operand(0), type);
    const std::vector<T> kernel = ElementsAs<T>(call_.operand(1), type);
    const int64_t features = output_[c_.numbers.output_feature];
    for (int64_t first = 0, width = 0; first < features; first += width) {
      width = PanelAt(first);
      const std::vector<T> panel = PanelOf(kernel, first, width);
      ForEachPosition([&](const Index& out) {
        PanelSums<T> sums = {};
        ForEachTap(first, out, [&](int64_t tap, int64_t position) {
          AddProducts(&input[position], StrideOf(input_, c_.numbers.input_feature),
                      &panel[tap * c_.group_inputs * kPanel], c_.group_inputs, sums);
        });
        const int64_t linear = Linearize(out, output_);
        const int64_t stride = StrideOf(output_, c_.numbers.output_feature);
        for (int64_t j = 0; j < width; ++j) {
          StoreSum(result, linear + (first + j) * stride, sums[j], type);
        }
      });
    }
  }

  // Which elements each element of the result is computed from.
  void TellReads() const {
    const ConvDimensionNumbers& n = c_.numbers;
    const int64_t stride = StrideOf(input_, n.input_feature);
    for (IndexIterator out(output_); !out.Done(); out.Next()) {
      const int64_t feature = out[n.output_feature];
      ForEachTap(feature, out.index(), [&](int64_t tap, int64_t position) {
        for (int64_t f = 0; f < c_.group_inputs; ++f) {
          call_.Read(0, out.linear(), 0, 0, position + f * stride);
          call_.Read(0, out.linear(), 1, 0, KernelPosition(tap, f, feature));
        }
      });
    }
  }

 private:
  static int64_t StrideOf(llvm::ArrayRef<int64_t> sizes, int64_t dim) {
    int64_t stride = 1;
    for (int64_t size : sizes.drop_front(dim + 1)) stride *= size;
    return stride;
  }

  // How many output features from `first` on read the same inputs, at most a panel.
  int64_t PanelAt(int64_t first) const {
    auto left = [&](int64_t group) { return group - first % group; };
    return std::min({kPanel, left(c_.outputs_per_feature_group), left(c_.outputs_per_batch_group)});
  }

  // The elements of the kernel for `width` output features: by tap, input feature, output feature.
  template <typename T>
  std::vector<T> PanelOf(const std::vector<T>& kernel, int64_t first, int64_t width) const {
    int64_t taps = 1;
    for (int64_t size : c_.spatial) taps *= size;
    std::vector<T> panel(taps * c_.group_inputs * kPanel);
    for (int64_t tap = 0; tap < taps; ++tap) {
      for (int64_t f = 0; f < c_.group_inputs; ++f) {
        for (int64_t j = 0; j < width; ++j) {
          panel[(tap * c_.group_inputs + f) * kPanel + j] =
              kernel[KernelPosition(tap, f, first + j)];
        }
      }
    }
    return panel;
  }

  // The position of a tap; `tap` counts in the row-major order of the spatial labels.
  int64_t KernelPosition(int64_t tap, int64_t input_feature, int64_t output_feature) const {
    const ConvDimensionNumbers& n = c_.numbers;
    int64_t position = input_feature * StrideOf(kernel_, n.kernel_input_feature) +
                       output_feature * StrideOf(kernel_, n.kernel_output_feature);
    for (size_t k = c_.spatial.size(); k-- > 0; tap /= c_.spatial[k]) {
      const int64_t offset = tap % c_.spatial[k];
      const bool reversal = call_.attributes().window[k].reversal;
      position +=
          (reversal ? c_.spatial[k] - 1 - offset : offset) * StrideOf(kernel_, n.kernel_spatial[k]);
    }
    return position;
  }

  // All indices of the result with output feature 0.
  template <typename Body>
  void ForEachPosition(Body body) const {
    Index sizes(output_.begin(), output_.end());
    sizes[c_.numbers.output_feature] = 1;
    for (IndexIterator out(sizes); !out.Done(); out.Next()) body(out.index());
  }

  // The taps that are no padding for an index of the result, with the position of the first input
  // feature under each.
  template <typename Body>
  void ForEachTap(int64_t feature, const Index& out, Body body) const {
    const ConvDimensionNumbers& n = c_.numbers;
    Index in(input_.size(), 0);
    in[n.input_feature] = feature / c_.outputs_per_feature_group * c_.group_inputs;
    in[n.input_batch] =
        feature / c_.outputs_per_batch_group * c_.batches_per_group + out[n.output_batch];
    for (IndexIterator offset(c_.spatial); !offset.Done(); offset.Next()) {
      bool inside = true;
      for (size_t k = 0; inside && k < c_.spatial.size(); ++k) {
        const auto coordinate =
            IndexUnderWindow(call_.attributes().window[k], out[n.output_spatial[k]], offset[k],
                             input_[n.input_spatial[k]]);
        inside = coordinate.has_value();
        in[n.input_spatial[k]] = coordinate.value_or(0);
      }
      if (inside && c_.group_inputs > 0) body(offset.linear(), Linearize(in, input_));
    }
  }

  const OpInvocation& call_;
  const Convolution& c_;
  llvm::ArrayRef<int64_t> input_, kernel_, output_;
};

}  // namespace

Result EvaluateConvolution(const OpInvocation& call) {
  auto c = Convolution::Create(call);
  if (!c) return c.takeError();
  auto type = AccumulationType(call);
  if (!type) return type.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  const ConvolutionSums sums(call, *c);
  if (call.observer != nullptr) sums.TellReads();
  WithAccumulation(*type, [&](auto zero) { sums.Run<decltype(zero)>(*type, *result); });
  return result;
}

}  // namespace affirm::hlo
