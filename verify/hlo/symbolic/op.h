// Proofs for all shapes of a given rank: the map of an op as a formula of its sizes, its access
// relation as another, and the proof, for all sizes at once, that the two are the same.
//
// For the transpose of f32[n0,n1] by {1,0}, the map is (d0, d1) -> (d1, d0) and the relation says
// that index (i0, i1) of the operand is read where i1 = d0 and i0 = d1; the proof holds for all
// n0 and n1 >= 0.
//
// The formulas are separate from those of core/analysis, which works on numbers. What is proved for
// all sizes is proved of the formula alone. What ties the code to the formula is TestInstance: at
// the sizes that are compared, and at no others, core/analysis is seen to give the map that the
// formula gives.
#ifndef AFFIRM_VERIFY_HLO_SYMBOLIC_OP_H_
#define AFFIRM_VERIFY_HLO_SYMBOLIC_OP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/symbolic/context.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "verify/decide/decider.h"

namespace affirm {

// An integer that sizes are computed from: of at least `lower`, or, without that, any integer.
struct SizeParameter {
  std::string name;
  std::optional<int64_t> lower = 0;
};

// lhs = rhs, or lhs <= rhs.
struct SymbolicFact {
  SymbolicExpr lhs, rhs;
  bool equal = true;
};

// The reads of an element of the result from one operand. The variables of terms are Dim(0),
// Dim(1), ...: first the parameters, then the index of the result, then the index of the operand.
struct SymbolicRead {
  std::vector<SymbolicExpr> input_sizes;
  // The access relation: the elements whose index satisfies all of these are read.
  std::vector<SymbolicFact> relation;
  // The map: its results, over the index of the result and Range(0), Range(1), ..., the sizes of
  // these ranges, and the constraints of its domain.
  std::vector<SymbolicExpr> results, range_sizes;
  std::vector<SymbolicFact> domain = {};
  // The values of the range variables at which the map gives the operand's index, over all dims.
  std::vector<SymbolicExpr> witness = {};
};

struct SymbolicOp {
  std::string text;  // "transpose, dimensions={1,0}"
  std::vector<SizeParameter> parameters;
  std::vector<SymbolicExpr> output_sizes;
  std::vector<SymbolicRead> operands;  // the arrays; scalar operands are always read
  // The HLO text of the instruction at given parameters, without its shape: "transpose(p0),
  // dimensions={1,0}". The operands are named p0, p1, ..., and z is a scalar.
  std::function<std::string(llvm::ArrayRef<int64_t>)> instruction;

  int64_t num_parameters() const { return static_cast<int64_t>(parameters.size()); }
  int64_t rank() const { return static_cast<int64_t>(output_sizes.size()); }
  int64_t first_input() const { return num_parameters() + rank(); }
};

// "broadcast", "concatenate", "dot", "pad", "reduce", "reshape", "reverse", "slice", "transpose".
llvm::ArrayRef<llvm::StringLiteral> SymbolicOpNames();
inline constexpr int64_t kMaxSymbolicRank = 6;

// Every form of an op whose arrays have at most `rank` dimensions (and one has as many): each
// permutation, each choice of dimensions, each way of collapsing or expanding. Empty for another
// name, or a rank outside [1, kMaxSymbolicRank].
std::vector<SymbolicOp> SymbolicOps(llvm::StringRef name, int64_t rank, Context& context);

struct SymbolicAnswer {
  Verdict verdict = Verdict::kUnknown;  // proved or unknown
  int64_t queries = 0;
  std::string reason;  // which part stayed open
};
// For all parameters: is the map, at every index of the result, exactly what is read?
SymbolicAnswer ProveSymbolic(const SymbolicOp& op, Context& context, const Budget& budget = {});

struct InstanceTest {
  bool same = false;       // core/analysis gives an equal map, and op semantics an equal relation
  bool same_text = false;  // the map is printed in the same way, too
  // Whether all arrays have elements; without any there is nothing that could differ.
  bool has_elements = false;
  std::string problem;  // what differs
};
// Compares the formula at some values of the parameters with what the code gives there. nullopt
// when there are no arrays of these sizes. `context` is that of the op.
std::optional<InstanceTest> TestInstance(const SymbolicOp& op, llvm::ArrayRef<int64_t> parameters,
                                         Context& context);
// Parameter values for TestInstance: small ones, the corners of the box first; the same ones
// whenever `count` is the same.
std::vector<std::vector<int64_t>> InstanceParameters(const SymbolicOp& op, int64_t count);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_SYMBOLIC_OP_H_
