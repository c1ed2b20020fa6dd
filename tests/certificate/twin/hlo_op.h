// An op of an HLO instruction with the attributes on which reading depends.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_OP_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_OP_H_

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "tests/certificate/twin/access.h"
#include "tests/certificate/twin/hlo_words.h"

namespace twin {

// One dimension of a window: element i of the operand lies at low + i * base, tap w of the window
// at position o at o * stride + w * dilation.
struct Window {
  Integer taps, stride, dilation, low, base;
  Integer high;
  bool reversed = false;
};
// Dimensions of an operand of a convolution: batch and feature, of the kernel input and output
// feature.
struct Labels {
  size_t major = 0, minor = 0;
  Dims spatial;
};
// Dimensions of a gather; a scatter has them under other names.
struct Indexing {
  Dims windows, missing, indexed, batching, indices_batching;
  size_t vector = 0;
};

enum class Kind {
  kElementwise,
  kBroadcast,
  kTranspose,
  kReverse,
  kReshape,
  kSlice,
  kPad,
  kConcatenate,
  kReduce,
  kReduceWindow,
  kDot,
  kConvolution,
  kSort,
  kDynamicSlice,
  kDynamicUpdateSlice,
  kGather,
  kScatter,
  kSelectAndScatter,
  kConditional
};

struct HloOp {
  Kind kind = Kind::kElementwise;
  Dims dimensions;        // of a broadcast, transpose, reverse, reduction, concatenation or sort
  Sizes starts, strides;  // of a slice
  Sizes low, high, interior;  // of a pad
  Dims left_batch, right_batch, left_contracted, right_contracted;
  std::vector<Window> windows;
  Labels input, kernel, output;
  Integer feature_groups = 1, batch_groups = 1;
  Indexing indexing;
  Sizes slice_sizes;          // of a gather
  bool of_predicate = false;  // a conditional
};

// Reads the op of this name with its attributes, for a result of this type; refuses sizes that XLA
// would refuse.
HloOp ReadOp(std::string_view name, const Attributes& attributes,
             const std::vector<ArrayType>& operands, const ArrayType& out);

// The elements of operand k that the result of an op reads, from the index of an element of the
// result.
std::vector<Access> ReadOf(const HloOp& op, const std::vector<Sizes>& operands, const Sizes& out,
                           const std::vector<size_t>& nodes, size_t k);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_HLO_OP_H_
