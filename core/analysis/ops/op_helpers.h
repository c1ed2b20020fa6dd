// Helpers that build the maps of several op families. Internal to core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_OPS_OP_HELPERS_H_
#define AFFIRM_CORE_ANALYSIS_OPS_OP_HELPERS_H_

#include <cstdint>
#include <vector>

#include "core/analysis/ops/op_maps.h"
#include "core/hlo/leaves.h"

namespace affirm::analysis {

// A map with its label, to array leaf `leaf` of the operand. Unknown is the undefined map.
LabeledMap Exact(IndexingMap map, int64_t leaf = 0);
LabeledMap OverApproximate(IndexingMap map, int64_t leaf = 0);
LabeledMap Unknown(int64_t leaf = 0);
// The label of a composition.
Exactness Weaker(Exactness a, Exactness b);

// Simplified, without unused range and runtime variables.
IndexingMap Canonical(const IndexingMap& map);

// Simplified, but a variable with a single value stays where it is used. XLA prints the maps of
// single ops so: (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 0], rt0 in [0, 8], where Simplify gives
// (d0){rt0} -> (rt0).
IndexingMap SimplifyExceptPoints(const IndexingMap& map);

// One empty list of maps per operand / per output leaf.
InstructionIndexing NothingRead(const hlo::Instruction& op);
InstructionIndexing NothingWritten(const hlo::Instruction& op);

// The map to operand 0, and no reads of the other operands.
InstructionIndexing OneOperand(const hlo::Instruction& op, LabeledMap map);

// (d0, .., dn) -> () over `dims`.
IndexingMap ReadsScalar(Context& context, llvm::ArrayRef<int64_t> dims);
// (d0, ..)[s0, ..] -> (s0, ..): every element of `read`.
IndexingMap ReadsAll(Context& context, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> read);

// The quotient of a division without remainder: adds `numerator mod divisor in [0, 0]` to
// `constraints`. `divisor` is positive.
SymbolicExpr ExactQuotient(SymbolicExpr numerator, int64_t divisor,
                           std::vector<Constraint>& constraints);

// d0, .., d(n - 1).
std::vector<SymbolicExpr> Dims(Context& context, int64_t n);
// Every entry in [0, rank - 1] and no entry twice.
bool AreDistinctDims(llvm::ArrayRef<int64_t> dims, int64_t rank);
bool Contains(llvm::ArrayRef<int64_t> dims, int64_t d);

// Adds the map unless an equal one is there. The stronger label of two equal maps stays, since it
// holds for the union of what the two read.
void AddDistinct(std::vector<LabeledMap>& maps, LabeledMap map);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_OPS_OP_HELPERS_H_
