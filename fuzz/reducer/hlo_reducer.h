// Makes an HLO module small while something stays true of it (delta debugging).
//
//   auto has_pad = [](const hlo::Module& m) { return CountOf(m, hlo::Opcode::kPad) > 0; };
//   auto small = ReduceModule(module, has_pad);  // parameters, a pad, nothing else
#ifndef AFFIRM_FUZZ_REDUCER_HLO_REDUCER_H_
#define AFFIRM_FUZZ_REDUCER_HLO_REDUCER_H_

#include <functional>
#include <memory>

#include "core/hlo/module.h"

namespace affirm::fuzz {

struct ReduceOptions {
  int64_t max_tests = 2000;  // how often `is_interesting` is asked at most
  // Hears of each module that is smaller than the one before; may be empty.
  std::function<void(const hlo::Module&)> progress;
};

// The interestingness test. It is asked of valid modules only.
using InterestingnessTest = std::function<bool(const hlo::Module&)>;

// A module of which `is_interesting` is true and that no single change makes simpler,
// `is_interesting` staying true: another root, a result dropped, an op replaced by a parameter or
// by an operand, an operand dropped, sizes shrunk, attributes at their defaults, values at 0, types
// narrowed. `is_interesting` must be true of `module`. Deterministic if `is_interesting` is.
std::unique_ptr<hlo::Module> ReduceModule(const hlo::Module& module,
                                          const InterestingnessTest& is_interesting,
                                          const ReduceOptions& options = {});

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_REDUCER_HLO_REDUCER_H_
