// Proofs that the index arithmetic of a module does not wrap.
//
// Values of type index (and of integer types that meet them) become terms over thread and block
// ids, loop variables and whatever else they come from. An operation is proved when, wherever it
// runs, its mathematical result is an integer of the least width that index may have. By induction
// over a run no proved operation then wraps, as long as everything before it was proved too: the
// result of an operation that is not proved is taken to be anything.
#ifndef AFFIRM_EMIT_TRANSFORMS_INDEX_ANALYSIS_H_
#define AFFIRM_EMIT_TRANSFORMS_INDEX_ANALYSIS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "emit/transforms/index_layout.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "verify/decide/decider.h"

namespace affirm::emit {

// The proofs about one operation on integers.
struct OpProof {
  // addi, subi, muli: neither reading of the bits wraps.
  bool nsw = false, nuw = false;
  // A division of a number that isn't negative by one that is positive.
  bool nonnegative = false;
  // index_cast, index_castui: the result is the integer that the operand is.
  bool exact = false;
};

// An operation on index values whose meaning may depend on the width.
struct UnprovedIndex {
  mlir::Operation* op = nullptr;
  Verdict verdict = Verdict::kUnknown;  // kRefuted: `text` names a point that a run can reach, as
                                        // far as the analysis knows
  std::string text;                     // "muli: bl_x * 128 = 2147483648 at bl_x = 16777216 ..."
};

struct IndexAnalysis {
  llvm::MapVector<mlir::Operation*, OpProof> proofs;
  std::vector<UnprovedIndex> unproved;  // in the order of the functions' text, callers first
  int64_t proved = 0;                   // operations on index values that are
  bool Safe() const { return unproved.empty(); }
  // The first operation that is not proved. A constant that does not fit is named only where there
  // is no other, since it comes without a counterexample.
  const UnprovedIndex& Reason() const;
};

// Analyzes every function of the module. Ids have the ranges that their `upper_bound` says; index
// arguments of a private function those of all its calls. With `until_unproved` the search ends
// where Reason() is known, and the rest of the answer is incomplete.
IndexAnalysis AnalyzeIndices(mlir::ModuleOp module, IndexWidthBounds bounds,
                             bool until_unproved = false);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_INDEX_ANALYSIS_H_
