// Random well-typed HLO modules.
//
//   const std::vector<uint8_t> bytes = SeededBytes(/*seed=*/7, /*count=*/1024);
//   Choices choices(bytes);
//   std::unique_ptr<hlo::Module> module = GenerateModule(choices);
#ifndef AFFIRM_FUZZ_GENERATORS_HLO_GENERATOR_H_
#define AFFIRM_FUZZ_GENERATORS_HLO_GENERATOR_H_

#include <memory>
#include <vector>

#include "core/hlo/module.h"
#include "fuzz/generators/choices.h"
#include "fuzz/generators/op_builder.h"

namespace affirm::fuzz {

// The limits of an op, and those of a module.
struct HloLimits : OpLimits {
  HloLimits() {
    max_rank = 4;
    max_size = 257;
    max_elements = 300;  // of any array
    max_window = 5;
    any_bitcast = false;
  }
  int64_t min_ops = 1;        // of a computation, as far as the choices come to something
  int64_t max_ops = 8;        // of a computation, beside parameters, constants and the root tuple
  int64_t max_work = 20'000;  // operations to compute an array anew from the parameters
  int64_t min_fusions = 0;    // of the entry, but for those that go beyond the other limits
  int64_t max_fusions = 2;    // 0: plain graphs only
  std::vector<hlo::Opcode> ops;           // empty: AffirmedOps()
  std::vector<hlo::PrimitiveType> types;  // empty: AffirmedTypes()
};

// The ops that the generator can build: all, and those with maps, semantics and kernels, which
// `check` is expected to affirm.
std::vector<hlo::Opcode> GeneratedOps();
std::vector<hlo::Opcode> AffirmedOps();
// The element types that kernels have, the usual ones first, which are generated more often: all
// but integers of one bit, and complex numbers, of whose functions kernels have other formulas than
// the interpreter, so that a later op may magnify the difference.
std::vector<hlo::PrimitiveType> AffirmedTypes();

// An entry of plain ops, or of fusions with a few ops between them. Sizes lean to 0, 1, primes and
// powers of two and their neighbours; strides and dilations may be as large as int64 allows,
// padding negative and between elements. The module passes hlo::VerifyExecutable and reads back
// from its text.
std::unique_ptr<hlo::Module> GenerateModule(Choices& choices, const HloLimits& limits = {});

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_HLO_GENERATOR_H_
