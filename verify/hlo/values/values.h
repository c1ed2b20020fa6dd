// Value terms: an element of what an HLO computation computes, as a term over the elements of its
// parameters. Written from XLA's operation semantics; it shares no code with the maps of
// core/analysis, nor with the interpreter, against which tests hold it.
//
//   y = f32[8] slice(x), slice={[2:10]}, ROOT z = f32[8] exponential(y), x = f32[32] parameter(0)
//   Pool pool;
//   Scope scope(pool);
//   ComputationValues values(scope, computation);
//   values.At(z, 0, {th_x});                        // exponential(load0[th_x + 2])
//
// Operations on elements have the forms of verify/terms/operations.h. What decides which
// element is taken (padding, pieces of a concatenation, clamped starts) is a choice between values,
// unless the facts of the scope decide it. A reduction is its initial value combined with a fold:
// HLO leaves the order open, so that a fold is a multiset of values. An empty fold is the neutral
// element of its operation.
#ifndef AFFIRM_VERIFY_HLO_VALUES_VALUES_H_
#define AFFIRM_VERIFY_HLO_VALUES_VALUES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Error.h"
#include "verify/terms/scope.h"

namespace affirm::hlo_values {

// The value of an element of array leaf `leaf` of a parameter, at an index of one integer for each
// dimension.
using ElementFunction =
    std::function<terms::Term(int64_t parameter, int64_t leaf, llvm::ArrayRef<terms::Term> index)>;

// The parts that a reduction or a reduce-window folds into one element of its results.
struct ReduceParts {
  // The variables of the fold, the outermost first; those of size 1 are left out.
  std::vector<terms::Term> variables = {};
  terms::Term condition = nullptr;             // which of their values count
  std::vector<terms::Term> inits = {};         // for each array, its initial value
  std::vector<terms::Term> values = {};        // and what is folded in; empty where nothing ever is
  const hlo::Computation* combiner = nullptr;  // (running values, values) -> running values
};

// Where an element of the updates of a scatter goes.
struct ScatterParts {
  std::vector<terms::Term> target = {};        // the index in the operands, where it is inside
  terms::Term inside = nullptr;                // whether all of the window of this element is
  std::vector<terms::Term> updates = {};       // for each operand, the update's value
  const hlo::Computation* combiner = nullptr;  // (operands' values, updates) -> operands' values
};

class ComputationValues {
 public:
  // The computation is of a module that the verifier accepts; all outlive this. Without a function
  // a parameter's element is a load: of the buffer with the number of the leaf among all array
  // leaves of all parameters, at its position by the layout, of TermType of its type. `prefix`
  // begins the names of the variables of folds; other variables in indices, and what the function
  // makes, must have other names.
  ComputationValues(terms::Scope& scope, const hlo::Computation& computation,
                    ElementFunction element = {}, std::string prefix = "r");
  ~ComputationValues();

  // The value of an instruction of the computation that is taken as it is: whatever the function
  // gives for an element of it, null for instructions whose value is that of their op.
  // An error ends the answer.
  using OpaqueFunction = std::function<llvm::Expected<terms::Term>(
      const hlo::Instruction& instruction, int64_t leaf, llvm::ArrayRef<terms::Term> index)>;
  void SetOpaque(OpaqueFunction opaque);
  // From here on combiners have the names that a function gives, one for those that compute the
  // same, so that terms of several modules may be compared; one that does not take any order says
  // so in the name, and in the order of which op it is taken. Else they have the name of the
  // computation.
  struct NamedCombiner {
    std::string name;  // empty where nothing says what the combiner does
    bool takes_any_order = false;
  };
  using CombinerNames = std::function<NamedCombiner(const hlo::Computation& combiner)>;
  void NameCombinersByContent(CombinerNames names);

  // From here on a reduction from what is no identity of what it combines by, of which HLO leaves
  // the value open, has a term of which nothing is known but that it is a function of the value
  // that the interpreter gives. kKnown: where the initial value is a number; kPossible: also where
  // it is not known.
  enum class OpenReductions : uint8_t { kKnown, kPossible };
  void HideOpenReductions(OpenReductions which);
  // The first reduction that was hidden; null where none was.
  const hlo::Instruction* FirstHidden() const;
  // The folds of all terms so far, and products of matrices of which each element is one product,
  // with the instructions that they are of: terms do not tell these apart.
  using FoldOrigins = llvm::DenseMap<terms::Term, llvm::SmallSetVector<const hlo::Instruction*, 1>>;
  const FoldOrigins& Folds() const;
  // Whether the initial values of a reduce or reduce-window are identities, so that they may be
  // combined any number of times; nullopt where that is not known. True of other operations, and of
  // combiners of which nothing is known.
  std::optional<bool> StartsFromIdentity(const hlo::Instruction& instruction);

  // Array leaf `leaf` of the value of an instruction of the computation at `index`, one integer for
  // each dimension, which is inside the shape wherever the facts of the scope hold. An error for an
  // op without value terms ("no value term for sort"), for sizes that are known at run time only,
  // and for a term that would be too large.
  llvm::Expected<terms::Term> At(const hlo::Instruction& instruction, int64_t leaf,
                                 llvm::ArrayRef<terms::Term> index);

  // The parts of an element of a reduce or reduce-window.
  llvm::Expected<ReduceParts> Reduce(const hlo::Instruction& instruction,
                                     llvm::ArrayRef<terms::Term> index);
  // Where the element at an index of the updates of a scatter goes. The order in which elements
  // that go to one place are combined is open.
  llvm::Expected<ScatterParts> Scatter(const hlo::Instruction& instruction,
                                       llvm::ArrayRef<terms::Term> update_index);

 private:
  std::unique_ptr<class Builder> builder_;
};

// A name of a combiner that is a computation of its own: a digest of what it computes, which is the
// same for computations that differ in names alone, in any module. Empty
// where it has ops that are not elementwise, or hundreds of ops.
std::string NameOfCombiner(const hlo::Computation& combiner);

// The position in memory of an element of an array by the order of its layout (row-major without
// one); tiles are not looked at.
terms::Term LinearElement(terms::Scope& scope, const hlo::Shape& shape,
                          llvm::ArrayRef<terms::Term> index);
// An index of a variable for each dimension of more than one element ("i0_64"); nullopt for an
// array without elements.
std::optional<std::vector<terms::Term>> AnyIndex(terms::Pool& pool, const hlo::Shape& shape);
// The index of the element there, of a position that is inside the array.
std::vector<terms::Term> IndexOfElement(terms::Scope& scope, const hlo::Shape& shape,
                                        terms::Term linear);

}  // namespace affirm::hlo_values

#endif  // AFFIRM_VERIFY_HLO_VALUES_VALUES_H_
