// Random instructions and graphs of the fuzz generators, small enough that every point of their
// maps can be visited, drawn by RapidCheck. For the tests of core/analysis.
#ifndef AFFIRM_TESTS_ANALYSIS_RANDOM_HLO_H_
#define AFFIRM_TESTS_ANALYSIS_RANDOM_HLO_H_

#include <rapidcheck.h>

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/generators/op_instances.h"

namespace affirm::testing {

using Sizes = std::vector<int64_t>;

inline int64_t In(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

// Ops whose maps, with the option `exact`, are exact in both directions.
inline const hlo::Opcode kOpsWithExactMaps[] = {
    hlo::Opcode::kAdd,          hlo::Opcode::kSelect,
    hlo::Opcode::kBroadcast,    hlo::Opcode::kTranspose,
    hlo::Opcode::kReverse,      hlo::Opcode::kSlice,
    hlo::Opcode::kPad,          hlo::Opcode::kConcatenate,
    hlo::Opcode::kReshape,      hlo::Opcode::kBitcast,
    hlo::Opcode::kReduce,       hlo::Opcode::kReduceWindow,
    hlo::Opcode::kDot,          hlo::Opcode::kConvolution,
    hlo::Opcode::kDynamicSlice, hlo::Opcode::kDynamicUpdateSlice,
    hlo::Opcode::kGather,
};

// "reduce_window", as the name of a test.
inline std::string TestName(hlo::Opcode opcode) {
  std::string name = hlo::Name(opcode).str();
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

// A module whose entry root is an instruction of the opcode with one array as its result.
inline std::unique_ptr<hlo::Module> RandomInstance(hlo::Opcode opcode, fuzz::OpLimits limits = {}) {
  limits.tuples = false;
  const auto bytes = fuzz::SeededBytes(*rc::gen::arbitrary<uint64_t>(), 300);
  fuzz::Choices choices(bytes);
  auto module = fuzz::GenerateOpInstance(choices, opcode, limits);
  RC_LOG() << hlo::ToString(*module);
  return module;
}

// Ops that only move elements, with sums and negations between them: compositions of their maps
// stay exact.
inline std::vector<hlo::Opcode> MovingOps() {
  using enum hlo::Opcode;
  return {kTranspose, kReshape, kReverse, kSlice, kConcatenate, kBroadcast, kAdd, kNegate};
}
// The same with ops that read several elements, or none, and elements that values choose.
inline std::vector<hlo::Opcode> ReadingOps() {
  std::vector<hlo::Opcode> ops = MovingOps();
  for (hlo::Opcode op : {hlo::Opcode::kPad, hlo::Opcode::kReduce, hlo::Opcode::kReduceWindow,
                         hlo::Opcode::kDynamicSlice}) {
    ops.push_back(op);
  }
  return ops;
}

// A graph of a few of the ops, or one fusion of them, whose root is an array.
inline std::unique_ptr<hlo::Module> RandomGraph(std::vector<hlo::Opcode> ops, bool fused) {
  fuzz::HloLimits limits;
  limits.ops = std::move(ops);
  limits.types = {hlo::PrimitiveType::kF32, hlo::PrimitiveType::kS32};
  limits.min_ops = 2;
  limits.max_ops = 14;
  limits.max_size = 12;
  limits.max_elements = 100;
  limits.max_work = 1000;
  limits.zero_sizes = false;
  limits.max_window = 3;
  limits.max_stride = 7;
  limits.tuples = false;
  limits.min_fusions = limits.max_fusions = fused ? 1 : 0;
  const auto bytes = fuzz::SeededBytes(*rc::gen::arbitrary<uint64_t>(), 600);
  fuzz::Choices choices(bytes);
  auto module = fuzz::GenerateModule(choices, limits);
  RC_LOG() << hlo::ToString(*module);
  RC_PRE(!fused || module->entry->root->opcode == hlo::Opcode::kFusion);
  return module;
}

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_ANALYSIS_RANDOM_HLO_H_
