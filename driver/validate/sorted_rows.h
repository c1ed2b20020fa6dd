// Elements of sorts, for the evaluation of single elements: a row is evaluated, sorted by the
// interpreter, and kept. Internal to element_values.cc.
#ifndef AFFIRM_DRIVER_VALIDATE_SORTED_ROWS_H_
#define AFFIRM_DRIVER_VALIDATE_SORTED_ROWS_H_

#include <map>
#include <string>
#include <vector>

#include "driver/validate/element_values.h"
#include "driver/validate/term_evaluator.h"
#include "verify/hlo/values/values.h"

namespace affirm::driver {

// Sorts of a computation as arrays of their own, behind those of its parameters: element `position`
// of array `first + k` is that of an operand's sorted elements, in row-major order.
class SortedRows {
 public:
  // All outlive this.
  SortedRows(const hlo::Computation& computation, int64_t first_buffer, terms::Scope& scope,
             hlo_values::ComputationValues& values);

  void Begin(ElementValues::LoadFunction load, enclosure::Freedom freedom, int64_t most_steps);
  bool IsOne(int64_t buffer) const { return buffer >= first_buffer_; }
  // The type is kInvalid, and there is a problem, where it is not known.
  EnclosedScalar Load(int64_t buffer, int64_t position);
  const std::string& problem() const { return problem_; }
  int64_t steps() const { return evaluator_.steps(); }

 private:
  struct Row {
    std::vector<hlo::Literal> arrays;  // one for each operand
    // Positions whose element may be another one, as it is equal to one that is different.
    std::vector<bool> open;
    bool is_exact = true;  // no rounding decides what stands where
  };

  // Null where it is not known.
  const Row* RowOf(const hlo::Instruction& sort, const std::vector<int64_t>& index);

  int64_t first_buffer_;
  terms::Scope& scope_;
  hlo_values::ComputationValues& values_;
  TermEvaluator evaluator_;
  std::vector<std::pair<const hlo::Instruction*, size_t>> buffers_;  // sort and operand
  std::map<std::pair<const hlo::Instruction*, std::vector<int64_t>>, Row> rows_;
  std::string problem_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_SORTED_ROWS_H_
