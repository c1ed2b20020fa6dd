// The reads of one node of an HLO computation from another, as in
// verify/coq/certificate/hlo_reads.v: the maps that the checker of certificates computes from the
// instructions. Not trusted: if these differ from the checker's, evidence does not fit and is
// rejected.
//
//   t = f32[4,8] transpose(p), dimensions={1,0}
//   s = f32[2,8] slice(t), slice={[1:3], [0:8]}
//
// AccessesOf(*s, *p, context) is (d0, d1) -> (d1, d0 + 1) with the bounds of all three arrays.
#ifndef AFFIRM_VERIFY_PROVER_HLO_ACCESSES_H_
#define AFFIRM_VERIFY_PROVER_HLO_ACCESSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/symbolic/context.h"
#include "verify/prover/view.h"

namespace affirm::prover {

// A runtime variable: the element of `from` at `index`, clamped to [0, limit]; without a limit it
// is the element itself.
struct Producer {
  const hlo::Instruction* from = nullptr;
  std::vector<SymbolicExpr> index;
  std::optional<int64_t> limit;
  std::string name = {};  // of the array: "c/from" in a call, the operand for a parameter of it
  friend bool operator==(const Producer& a, const Producer& b) {
    return a.name == b.name && a.index == b.index && a.limit == b.limit;
  }
};

struct Access {
  View map;
  std::vector<Producer> producers;  // of the runtime variables
};

// The reads of an instruction of operand k, an array, for its result `out`: one of several where
// the instruction is a tuple. nullopt for an op that the checker does not know.
std::optional<std::vector<Access>> AccessesOfOperand(const hlo::Instruction& op,
                                                     const hlo::Shape& out, size_t k,
                                                     Context& context);
// The accesses of a conditional: operand 0 is the selector, operand k + 1 the result of branch k.
std::vector<Access> AccessesOfConditional(const hlo::Instruction& op, const hlo::Shape& out,
                                          size_t k, Context& context);
// The same where runtime variables are range variables: at least what is read.
View Forget(const Access& access, Context& context);
// The map with `known` as its runtime variables; each of its own is one of them, by the dims alone.
View Align(const Access& access, const std::vector<Producer>& known, Context& context);
// `second` after `first`.
Access Compose(const Access& first, const Access& second, Context& context);
Access IdentityOf(const hlo::Shape& shape, Context& context);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_HLO_ACCESSES_H_
