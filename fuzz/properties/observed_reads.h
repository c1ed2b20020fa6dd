// Compares the observed reads of an instruction in the interpreter with its maps.
//
// For `s = f32[2] slice(p), slice={[1:3]}` the reads of operand 0 are the pairs {(0, 1), (1, 2)},
// and the map (d0) -> (d0 + 1) has the same.
#ifndef AFFIRM_FUZZ_PROPERTIES_OBSERVED_READS_H_
#define AFFIRM_FUZZ_PROPERTIES_OBSERVED_READS_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/Support/Error.h"

namespace affirm::fuzz {

// (row-major position in the result leaf, row-major position in the operand leaf)
using Pairs = std::set<std::pair<int64_t, int64_t>>;
// (result leaf, operand, leaf of the operand) -> pairs
using Reads = std::map<std::tuple<int64_t, int64_t, int64_t>, Pairs>;

// An instruction of an entry, often the root, the values of the instructions before it and in the
// computations that it calls, and what it was seen to read.
struct Observed {
  const hlo::Instruction* root = nullptr;
  std::map<int64_t, hlo::Literal> values;  // by instruction id
  Reads reads;
  // The leaves of the result and of each operand, with the sizes that they had: where a size is
  // known at run time only, positions are those within the array that there was.
  std::vector<hlo::Shape> result;
  std::vector<std::vector<hlo::Shape>> operands;
};

// Interprets the entry of a module on arguments from a seed. An error where the interpreter has no
// implementation.
llvm::Expected<Observed> Observe(const hlo::Module& module, uint64_t seed);
// The same of another instruction of the entry. Reads of a fusion are followed through its
// computation to its operands.
llvm::Expected<Observed> Observe(const hlo::Module& module, const hlo::Instruction& instruction,
                                 uint64_t seed);

// The pairs of a map between leaves of the given sizes at the values that the run had: (dims,
// results), or the other way round when `input_to_output`. An over-approximate map may lead
// outside, to no element; an exact one that does is an error.
llvm::Expected<Pairs> PairsOf(const LabeledMap& m, const hlo::Shape& from, const hlo::Shape& to,
                              const Observed& run, bool input_to_output);

// Whether the maps of `root` in one direction are what was seen: the union of the exact ones is
// within it, the union of all contains it, an exact list is it, nothing is said where something is
// unknown. Empty, or what is wrong. Counts the maps that make a claim.
std::string Disagreement(const Observed& run, Direction direction, const IndexingOptions& options,
                         int64_t& claims);

// Whether the two directions of `root` are each other's inverse as relations, at the values that
// the run had: the same pairs for every leaf of every operand, whatever the labels. Empty, or what
// is wrong. Without runtime variables no values are needed.
std::string NoInverse(const Observed& run);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_OBSERVED_READS_H_
