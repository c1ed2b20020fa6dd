// Proves the claims about one result of a kernel. Internal to verify/kernel/proof.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROVER_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROVER_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "verify/compare/same_value.h"
#include "verify/compare/written_elements.h"
#include "verify/hlo/values/values.h"
#include "verify/kernel/lift/lift.h"
#include "verify/kernel/proof/buffers.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm::kernel {

using compare::CombineFunction;
using compare::SameValue;
using compare::WrittenElements;
using compare::WrittenOnceProver;

// What the kernel does to one result.
enum class Writing : uint8_t {
  kEachElement,    // every element is written
  kUpdateInPlace,  // the elements of a dynamic-update-slice's window; the operand's others stay
  kScatter,        // updates of the operand's elements
};

// A step of the only thread, which takes the updates one after the other.
struct ScatterStep {
  // What the element of each result holds before; null, or no list, where it is what was loaded
  // there.
  std::vector<terms::Term> held = {};
};

// Proves the claims about one leaf of the result.
class ResultProver {
 public:
  ResultProver(const LiftedKernel& lifted, const Launch& launch, const Buffers& buffers,
               const hlo::Computation& computation, terms::Pool& pool,
               const ProveKernelOptions& options, KernelProof& proof)
      : lifted_(lifted),
        launch_(launch),
        buffers_(buffers),
        computation_(computation),
        pool_(pool),
        options_(options),
        proof_(proof) {}

  // Leaf `leaf` of the result, which is parameter `param` of the kernel.
  void Prove(int64_t leaf, size_t param);
  // Whether all results are updates that the only thread makes one after the other, each reading
  // what those before have left.
  bool in_order() const { return in_order_; }
  // Whether more than one thread may write an element of a result: `writes` is proved of the
  // updates of a scatter.
  bool elements_may_repeat() const { return elements_may_repeat_; }
  // What the proofs of writes took, and those of elements alone.
  double writes_ms() const { return writes_ms_; }
  double elements_ms() const { return elements_ms_; }

 private:
  void ProveCase(const LiftedCase& c);
  bool AreWrittenByIndex();
  void ProveStore(terms::Scope& scope, hlo_values::ComputationValues& values, SameValue& same,
                  const Effect& effect, WrittenElements& written);
  // scatter_proof.cc: an effect that combines one element of the updates with its target.
  void ProveUpdate(const LiftedCase& c, const Effect& effect);
  bool IndicesAreUnique() const;
  bool MayBeLast(const Effect& effect) const;
  bool ProveOrder(terms::Scope& scope, const Effect& effect, const hlo::Computation& combiner,
                  terms::Term update, bool is_step);
  std::vector<std::vector<terms::Term>> UpdateIndicesOf(terms::Scope& scope,
                                                        const Effect& effect) const;
  terms::Term AsSeenBy(const hlo::Computation& combiner, terms::Term value);
  bool TakesAnyOrder(terms::Scope& scope, const hlo::Computation& combiner);
  // The variable, by name, as the lifted kernel has it.
  terms::Term VariableOf(llvm::StringRef name) const;
  bool HasOneWindow() const;
  void AddUpdatesOutside();
  void ProveCombined(terms::Scope& scope, const Effect& effect,
                     const hlo_values::ScatterParts& scatter, terms::Term target,
                     const ScatterStep& step);
  // scatter_steps.cc
  std::optional<ScatterStep> StepOf(const LiftedCase& c, const Effect& store);
  bool ReadsResult(terms::Term root) const;
  bool IsOfResult(terms::Term load) const;
  bool ReadsWhatIsThere(llvm::ArrayRef<Effect> before, const Effect& store) const;
  std::optional<ScatterStep> ReadsWhatWasThere(const LiftedCase& c, llvm::ArrayRef<Effect> before,
                                               llvm::ArrayRef<Effect> stores, const Effect& store);
  std::vector<terms::Term> Combine(terms::Scope& scope, const hlo::Computation& combiner,
                                   llvm::ArrayRef<terms::Term> running,
                                   llvm::ArrayRef<terms::Term> element) const;
  // All results of a sort.
  void ProveSort();
  // Whether the elements of an array of these sizes are written once.
  const MapProofResult& ProveOnce(llvm::ArrayRef<WrittenElements> written,
                                  llvm::ArrayRef<int64_t> shape);
  void DropImpliedByOthers(WrittenElements& written);
  void Unknown(Claim claim, std::string reason);
  void Fail(const std::string& reason);  // of writes, elements and values
  // The instruction that the leaf is of.
  const hlo::Instruction* ProducerOf(const hlo::Instruction* root, int64_t& leaf) const;
  hlo_values::ComputationValues ValuesIn(terms::Scope& scope) const;
  CombineFunction CombineIn(terms::Scope& scope) const;
  // Whether the results of the producer, which updates operands, begin as these, array parameters.
  bool UpdatesOperand() const;
  bool IsWhatBegins(const hlo::Instruction* value, size_t output) const;
  // The clamped starts of the dynamic-update-slice.
  llvm::Expected<std::vector<terms::Term>> StartsOf(terms::Scope& scope,
                                                    hlo_values::ComputationValues& values) const;
  std::string Place(const Effect& effect) const {
    return "line " + std::to_string(effect.line) + ": ";
  }

  const LiftedKernel& lifted_;
  const Launch& launch_;
  const Buffers& buffers_;
  const hlo::Computation& computation_;
  terms::Pool& pool_;
  const ProveKernelOptions& options_;
  KernelProof& proof_;
  terms::TermDecider decider_{{}};

  bool in_order_ = true;
  bool elements_may_repeat_ = false;
  double writes_ms_ = 0, elements_ms_ = 0;
  llvm::DenseSet<const hlo::Instruction*> with_orders_;  // scatters of the results before this one
  std::vector<terms::Term> order_;                       // of the updates of the first result
  terms::Term last_update_ = nullptr;  // of this result; null where it is not the next one
  Writing writing_ = Writing::kEachElement;
  const hlo::Instruction* producer_ = nullptr;
  int64_t leaf_ = 0;         // of the producer
  size_t first_output_ = 0;  // the producer's first leaf among all results
  size_t param_ = 0;
  const hlo::Shape* shape_ = nullptr;
  std::vector<WrittenElements> written_;
  std::optional<WrittenOnceProver> written_once_;
  const MapProofResult by_open_scalar_{
      .reason = "which elements are written depends on a scalar that the launch gives a range of"};
  // Of stores to a form of array, by what is known there and the element, its index.
  std::map<std::string,
           std::map<std::pair<std::vector<terms::Term>, terms::Term>, std::vector<terms::Term>>>
      indices_of_;
  // Of the stores there, the indices in all dimensions.
  std::vector<std::vector<terms::Term>> indices_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROVER_H_
