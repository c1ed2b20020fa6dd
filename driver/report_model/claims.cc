// The meaning of each kind of claim. Output formats name the kinds and explain them.
#include <utility>

#include "driver/report_model/run_report.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

llvm::StringRef TextOfClaim(llvm::StringRef claim) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kTexts[] = {
      // Claims about instructions and fusions.
      {"map", "The indexing maps of an instruction are what it reads."},
      {"formula", "A formula of an op's maps holds for all sizes, and is the code's."},
      {"composition", "The maps of a fusion are the compositions of its instructions' maps."},
      {"access-relation", "The maps of a fusion are what the fusion reads."},
      {"simplification", "A simplified map means what it meant before."},
      {"thread-map", "Each element of a result has exactly one thread."},
      {"memory", "No array is written over while somebody needs it."},
      {"exchange", "A collective that is exchanged by its maps gives what the interpreter gives."},
      {"deadlock", "The devices do not wait for each other for ever."},
      {"run", "A kernel that is run gives what the interpreter gives."},
      {"order", "A sort compares with a strict weak order, so that it has a result."},
      {kRead, "What is asked about can be read."},
      {"limits", "The work ends within its time and its memory."},
      {"coverage", "Everything that the module computes is covered by a proof or a run."},
      {"instruction", "An instruction is covered: its maps are proved, its value is computed."},
      {"kernel", "A kernel is covered: proved, or run and compared."},
      {"module", "The module as a whole gives what the interpreter gives."},
      // Claims about a kernel's LLVM IR.
      {"bounds", "A kernel accesses its buffers alone."},
      {"integers", "The integers of a kernel's indices do not overflow."},
      {"barriers", "All threads of a block reach the same barriers."},
      {"races", "No two threads access one element without an order, one of them writing."},
      {"writes", "Each element of a result is written once."},
      {"elements", "A kernel reads for each element what the computation reads for it."},
      {"values", "A kernel writes the values of the computation."},
      {"same-kernel", "A kernel does what another one does."},
      // Claims about a dump.
      {"pass", "A pass of the compiler keeps what the module computes."},
      {"buffers", "Values that are needed at one time share no bytes."},
      {"schedule", "What runs is the schedule of the module, each instruction once and in order."},
      {"constant", "A constant lies in memory as the module has it."},
      {"program", "The compiled program gives what the interpreter gives."},
      {"emitter-pass", "A pass of an emitter keeps what each thread reads and writes."},
      {"emitter-map", "The maps of an emitter are those of the analysis."},
      // Claims about rules, and about other simplifiers.
      {"rule", "A rewrite rule keeps the meaning, for all constants and all values."},
      {"exact-rule", "Some of the rules claim that their sides are equal."},
      {"conditions", "The conditions of a rule can hold."},
      {"match", "A rule can match, and a match determines all of its names."},
      {"reduction-order", "A rule lowers the reduction order, so that rewriting ends."},
      {"answer", "A simplifier answers with a map that means what it was given."},
      // Claims about pairs.
      {"equal", "Two maps are the same function into sets."},
      {"covers", "Each set of the second map lies inside of the first map's."},
      {"result", "Two modules have the same result, for all arguments."},
      // Claims about single maps.
      {"bijection", "A map writes each element of an array exactly once."},
      {"width", "A map, or a kernel's index, can be evaluated in integers of so many bits."},
      {"cast-rewrite", "A rewrite of index casts keeps the value, in every width."},
      // Claims about random inputs.
      {"input", "What holds of every input holds of a random one."},
      {"mutant", "A fault in a kernel is refuted, or proved to be none."},
  };
  for (const auto& [name, text] : kTexts) {
    if (name == claim) return text;
  }
  return "";
}

bool IsClaimOfKernel(llvm::StringRef claim) {
  static constexpr llvm::StringLiteral kClaims[] = {"bounds", "integers", "barriers", "races",
                                                    "writes", "elements", "values"};
  return llvm::is_contained(kClaims, claim);
}

}  // namespace affirm::driver
