// The meaning of each op: the elements of an operand that an element of the result depends on.
//
// The meaning is an access relation between the index of the result and the index of the operand,
// written from XLA's operation semantics and independent of core/analysis, whose maps are proved to
// be these relations (verify/hlo/proof/prove_map.h). For
//
//   r = f32[4] reduce(f32[4,8] x, f32[] init), dimensions={1}
//
// the relation of operand 0 has the output space [0, 3], the input space [0, 3] x [0, 7], and
// `reads` is d1 = d0, where d0 is the index of the result and (d1, d2) that of the operand. It
// contains the pairs (2 -> 2, 0), (2 -> 2, 1), ...: element 2 of the result reads row 2 of x.
#ifndef AFFIRM_VERIFY_HLO_SEMANTICS_ACCESS_RELATION_H_
#define AFFIRM_VERIFY_HLO_SEMANTICS_ACCESS_RELATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "core/symbolic/context.h"
#include "core/symbolic/interval.h"
#include "verify/decide/formula.h"

namespace affirm {

// An element of another instruction that an op takes as an index: the start of a dynamic-slice, a
// component of an index vector of a gather. XLA clamps it so that what is read lies inside.
struct RuntimeOperand {
  int64_t producer = -1;            // the id of the instruction that computes it
  std::vector<SymbolicExpr> index;  // which element of the producer, over the index of the result
  SymbolicExpr
      known_value;  // its value over the index of the result (of a constant, say); else null
};

// The variables of `reads` are Dim(0), Dim(1), ...: first the index of the result, then the index
// of the operand, then one variable for each runtime value, then `extra` ones that the formula
// itself quantifies. Within the bounds that are given here, `reads` holds exactly when computing
// the element of the result reads that element of the operand.
struct AccessRelation {
  std::vector<Interval> output, input, runtime, extra;
  Formula reads = Formula::True();
  std::vector<RuntimeOperand> runtime_operands;  // one for each entry of `runtime`
  // Which part of `reads` is read depends on values: a map can be proved to be a superset of what
  // is read, not to be exact.
  bool upper_bound = false;
  // For collectives: the same relation with one more coordinate behind the operand's index, the
  // position in its replica group of the device whose operand is read. Null if it is not known
  // which devices are read.
  std::shared_ptr<const AccessRelation> on_devices;
};

// The index space of an array: [0, size - 1] for each dimension.
std::vector<Interval> IndexSpace(const hlo::Shape& shape);

// The access relation between array leaf `output_id` of the result and array leaf `leaf` of operand
// `operand`. Nullopt when the op has none here (its maps are then unknown, never proved); fusions
// and calls have none, their maps are proved by ProveFusion.
std::optional<AccessRelation> AccessRelationOf(const hlo::Instruction& instruction,
                                               int64_t output_id, int64_t operand, Context& context,
                                               int64_t leaf = 0);

// Array leaf `leaf` of operand `operand` of an op.
struct OperandLeaf {
  int64_t operand = -1, leaf = 0;
  bool operator==(const OperandLeaf&) const = default;
};

// For an op that only forwards arrays: the operand array that leaf `output_id` of its result is.
// Leaf 1 of `tuple(a, b)` is {1, 0} for arrays a and b. The leaf reads no other array, so a tuple
// of a thousand arrays is a thousand proofs, not a million. Nullopt for other ops, and if the
// operands have no such array.
std::optional<OperandLeaf> HandedOn(const hlo::Instruction& instruction, int64_t output_id);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_SEMANTICS_ACCESS_RELATION_H_
