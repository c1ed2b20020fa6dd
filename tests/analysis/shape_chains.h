// Random chains of ops that only move elements, and the single ops that do the same as a chain.
#ifndef AFFIRM_TESTS_ANALYSIS_SHAPE_CHAINS_H_
#define AFFIRM_TESTS_ANALYSIS_SHAPE_CHAINS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/generators/choices.h"

namespace affirm::testing {

using Sizes = std::vector<int64_t>;

// An op with its attributes; `sizes` are those of its result.
struct ShapeOp {
  enum class Kind : uint8_t { kReshape, kTranspose, kReverse, kSlice, kPad, kBroadcast, kBitcast };
  Kind kind = Kind::kReshape;
  Sizes sizes = {};
  Sizes dimensions = {};                            // transpose, reverse, broadcast
  std::vector<hlo::SliceDimension> slice = {};      // slice
  std::vector<hlo::PaddingDimension> padding = {};  // pad
  Sizes in_layout = {}, out_layout = {};            // bitcast, minor to major
};
const char* Name(ShapeOp::Kind kind);

// Which element of the parameter each element holds, by row-major position; -1 for padding.
struct Elements {
  Sizes sizes;
  std::vector<int64_t> from;
  friend bool operator==(const Elements&, const Elements&) = default;
};
// The elements of the parameter itself: element i holds i.
Elements Iota(const Sizes& sizes);
Elements Apply(const ShapeOp& op, const Elements& in);

struct ShapeChain {
  std::string pattern;  // how it was made, for statistics
  Sizes sizes;          // of the parameter
  std::vector<ShapeOp> ops;
};
// Arrays of at most `max_elements` elements.
ShapeChain RandomChain(fuzz::Choices& choices, int64_t max_elements = 2000);

Elements Apply(const ShapeChain& chain);
// An HLO module whose entry is the chain over parameter 0; padding is with parameter 1.
std::string ToText(const ShapeChain& chain);

// Every single op that makes `to` of a parameter of these sizes.
std::vector<ShapeOp> DirectOps(const Sizes& sizes, const Elements& to);

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_ANALYSIS_SHAPE_CHAINS_H_
