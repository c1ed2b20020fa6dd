// A computation on scalars that is applied many times, compiled to a list of steps: a combiner, a
// comparator.
//
//   std::optional<ScalarProgram> add = ScalarProgram::Compile(*reduce.called[0]);
//   Scalar sum;
//   add->Apply({{.re = 1}, {.re = 2}}, sum);  // sum.re is 3
#ifndef AFFIRM_VERIFY_SCALAR_SCALAR_PROGRAM_H_
#define AFFIRM_VERIFY_SCALAR_SCALAR_PROGRAM_H_

#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/scalar/elementwise.h"

namespace affirm::hlo {

class ScalarProgram {
 public:
  // The steps of a computation of elementwise ops on scalars, moves of scalars, constants and
  // parameters, whose root may be a tuple. nullopt for any other computation, and where a type has
  // no such op. The computation must have a root and all its parameters, and outlives nothing: its
  // instructions are not kept.
  static std::optional<ScalarProgram> Compile(const Computation& computation);

  // One argument for each parameter; one result for each element of the root. `results` may overlap
  // `arguments`.
  void Apply(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results);

  // The same for each of `count` elements, at most kSpan, as they lie in literals. A result may be
  // an argument.
  static constexpr int64_t kSpan = 256;
  void ApplyToSpans(llvm::ArrayRef<const uint8_t*> arguments, llvm::ArrayRef<uint8_t*> results,
                    int64_t count);

  // Whether it combines two values by one loop, so that Fold() may be called.
  bool IsFold() const;
  // Left fold of at most kSpan elements from a value, which becomes the result.
  void Fold(uint8_t* value, const uint8_t* elements, int64_t count);

 private:
  struct Step {
    bool is_loop;
    ScalarOp op;
    SpanOp span;
    llvm::SmallVector<int, 3> operands;  // slots
    int result;                          // slot
  };

  void MakeSpans();
  bool AddInstructions(const Computation& computation);

  std::vector<Step> steps_;
  std::vector<Scalar> slots_;         // one for each instruction; constants are filled in
  std::vector<PrimitiveType> types_;  // of the slots
  std::vector<Literal> spans_;        // of the slots; made by the first ApplyToSpans()
  llvm::SmallVector<int, 4> parameter_slots_, result_slots_;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_SCALAR_PROGRAM_H_
