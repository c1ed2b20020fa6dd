// Roundings that HLO leaves open where two modules are compared to the bit.
//
//   a: dot(x, y)                 OpenRounding: "dot d of A may round its operands, for ..."
//   b: dot(bf16(x), bf16(y))     so that another value of B is no difference
#ifndef AFFIRM_DRIVER_EQUIVALENCE_OPEN_ROUNDINGS_H_
#define AFFIRM_DRIVER_EQUIVALENCE_OPEN_ROUNDINGS_H_

#include <map>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "driver/equivalence/enclosed_pair.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::driver {

// Which operation that an element of the result depends on rounds as it likes: the updates of a
// scatter in A or B, in any order; a product of A in less than the highest precision. Empty where
// there is none. `leaf`: of the result, counted from 0.
std::string OpenRounding(const hlo::Computation& a, const hlo::Computation& b, size_t leaf);

// Judges what differs in two results by the roundings that are allowed: all, or those alone that
// HLO leaves open.
class RoundedPair {
 public:
  RoundedPair(const hlo::Computation& a, const hlo::Computation& b, bool excess_precision);

  // As EnclosedPair::Take.
  void Take(const std::vector<hlo::Literal>& arguments,
            const std::vector<const hlo::Literal*>& leaves_of_a,
            const std::vector<const hlo::Literal*>& leaves_of_b);

  // The enclosures without rounded operands of products.
  EnclosedPair& enclosed() { return enclosed_; }
  int64_t NumEnclosed() const { return enclosed_.NumEnclosed() + with_products_.NumEnclosed(); }
  // OpenRounding of the leaf.
  const std::string& OpenRoundingOf(size_t leaf);

  // Judges an element that differs; kApart where no rounding is allowed. `rounding`: all are.
  // `is_open`: one is that HLO leaves open.
  EnclosedPair::Judgment Judge(size_t leaf, int64_t element, bool rounding, bool& is_open);
  // The same of sizes that differ; where they are not apart, `why` says what decides them.
  EnclosedPair::Judgment JudgeSizes(size_t leaf, bool rounding);
  // EnclosedPair::WhyAMayBreak, by the roundings that are allowed in A.
  std::string WhyAMayBreak(bool rounding);

 private:
  EnclosedPair::Judgment JudgeBy(llvm::function_ref<EnclosedPair::Judgment(EnclosedPair&)> judge,
                                 size_t leaf, bool rounding, bool& is_open);

  const hlo::Computation &a_, &b_;
  EnclosedPair enclosed_;
  EnclosedPair with_products_;  // whose operands A rounds as its precision lets it
  std::map<size_t, std::string> open_roundings_;  // of the leaves that were asked about
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_OPEN_ROUNDINGS_H_
