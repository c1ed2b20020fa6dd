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

// How the kernel writes a result.
enum class Writing : uint8_t {
  kEachElement,    // every element is written
  kUpdateInPlace,  // the window of a dynamic-update-slice; the operand's other elements stay
  kScatter,        // combines updates with the operand's elements
};

// One update by a single thread that performs all updates of a scatter in order.
struct ScatterStep {
  // The previous value of the element in each result; null, or an empty list, where it is the
  // loaded value.
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
  // Whether all results are updates by a single thread in order, each of which reads the values
  // that earlier ones have left.
  bool in_order() const { return in_order_; }
  // Whether several threads may write an element of a result. For a scatter, `writes` says that
  // each update happens once.
  bool elements_may_repeat() const { return elements_may_repeat_; }
  // The times of the proofs of writes, and of elements alone.
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
  // The lifted kernel's variable of this name.
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
  // Proves all results of a sort.
  void ProveSort();
  // Whether the elements of an array of these sizes are written once.
  const MapProofResult& ProveOnce(llvm::ArrayRef<WrittenElements> written,
                                  llvm::ArrayRef<int64_t> shape);
  void DropImpliedByOthers(WrittenElements& written);
  void Unknown(Claim claim, std::string reason);
  void Fail(const std::string& reason);  // writes, elements and values are unknown
  // The instruction that produces the leaf.
  const hlo::Instruction* ProducerOf(const hlo::Instruction* root, int64_t& leaf) const;
  hlo_values::ComputationValues ValuesIn(terms::Scope& scope) const;
  CombineFunction CombineIn(terms::Scope& scope) const;
  // Whether the results of a producer that updates operands start as these operands, which must be
  // array parameters.
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
  llvm::DenseSet<const hlo::Instruction*> with_orders_;  // scatters of earlier results
  std::vector<terms::Term> order_;                       // update indices of the first result
  terms::Term last_update_ = nullptr;  // this result's last update; null if it was out of order
  Writing writing_ = Writing::kEachElement;
  const hlo::Instruction* producer_ = nullptr;
  int64_t leaf_ = 0;         // leaf of the producer's result
  size_t first_output_ = 0;  // the producer's first leaf among all results
  size_t param_ = 0;
  const hlo::Shape* shape_ = nullptr;
  std::vector<WrittenElements> written_;
  std::optional<WrittenOnceProver> written_once_;
  const MapProofResult by_open_scalar_{
      .reason = "which elements are written depends on a scalar that the launch gives a range of"};
  // Memo: shape -> (conditions, element) -> multidimensional index.
  std::map<std::string,
           std::map<std::pair<std::vector<terms::Term>, terms::Term>, std::vector<terms::Term>>>
      indices_of_;
  // The multidimensional index of each store.
  std::vector<std::vector<terms::Term>> indices_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROVER_H_
