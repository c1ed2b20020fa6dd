// Modules from bytes that RapidCheck chooses and shrinks.
#ifndef AFFIRM_TESTS_FUZZ_RANDOM_MODULES_H_
#define AFFIRM_TESTS_FUZZ_RANDOM_MODULES_H_

#include <rapidcheck.h>

#include <memory>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/generators/hlo_generator.h"

namespace affirm::fuzz::testing {

inline std::unique_ptr<hlo::Module> AnyModule(const HloLimits& limits = {}) {
  // Long enough for graphs of all sizes: a seed gives the bytes, and the length shrinks.
  auto bytes = SeededBytes(*rc::gen::arbitrary<uint64_t>(), *rc::gen::inRange<size_t>(0, 600));
  Choices choices(bytes);
  return GenerateModule(choices, limits);
}

inline std::unique_ptr<hlo::Module> ModuleOfSeed(uint64_t seed, const HloLimits& limits = {}) {
  auto bytes = SeededBytes(seed, 1024);
  Choices choices(bytes);
  return GenerateModule(choices, limits);
}

inline HloLimits EveryOp() {
  HloLimits limits;
  limits.ops = GeneratedOps();
  limits.any_bitcast = true;
  return limits;
}

}  // namespace affirm::fuzz::testing

#endif  // AFFIRM_TESTS_FUZZ_RANDOM_MODULES_H_
