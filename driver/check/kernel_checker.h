// Emits, proves and runs the kernels of a module: each kernel by itself, the kernels of a fusion
// together, and the module as a whole. Internal to the check.
#ifndef AFFIRM_DRIVER_CHECK_KERNEL_CHECKER_H_
#define AFFIRM_DRIVER_CHECK_KERNEL_CHECKER_H_

#include <optional>
#include <string>
#include <vector>

#include "driver/check/device_runs.h"
#include "driver/check/unit.h"
#include "verify/enclosure/compare.h"
#include "verify/reference/arguments.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::driver {

// Units communicate by the report alone, since each may run in a different process. A kernel that
// is needed again is emitted again.
class KernelChecker {
 public:
  explicit KernelChecker(State& state);
  void AddUnits(std::vector<Unit>& units);
  // After the last unit: derives the module's coverage from samples and proofs.
  void Finish();

 private:
  using Values = llvm::ArrayRef<hlo::Literal>;

  // A kernel of the program. Identical kernels share the code and the results of the first one.
  struct Part {
    const FusedComputation* fused;
    const FusedComputation* whole;
    size_t number;          // index among the kernels of the report
    Part* first = nullptr;  // the first identical kernel; null: this one
    hlo::EvaluationOrders orders{};
    std::optional<emit::Kernel> kernel = {};
    std::optional<emit::DeviceKernel> device = {};  // until it is compiled
    std::optional<emit::EmulatedKernel> emulated = {};
    std::string text = {};  // the device's code, once it is proved
    std::optional<enclosure::ResultComparison> enclosed = {};  // for its results
  };
  KernelCheck& CheckOf(const Part& part) { return state_.report.kernels[part.number]; }
  const KernelCheck& CheckOf(const Part& part) const { return state_.report.kernels[part.number]; }
  static Part& WithCode(Part& part) { return part.first == nullptr ? part : *part.first; }
  llvm::MutableArrayRef<Part> PartsOf(size_t u);
  size_t NumberOf(const FusedComputation& fused) const {
    return static_cast<size_t>(&fused - program_.fused_computations().data());
  }

  // kernels.cc
  void AddUnitsOf(Part& part, std::vector<Unit>& units);
  Unit TogetherUnit(std::string name, std::function<bool()> is_needed);
  void AddSamples(std::vector<Unit>& units);
  void AddSampleOf(Part& part, std::vector<Unit>& units);
  double ShareOfSample() const;
  void FindFirsts();
  void Emit(Part& part);
  void TakeFromFirst(Part& part);
  void CheckSlices(const Part& part);
  void Prove(Part& part);
  const Part* FindSame(const Part& part) const;
  void EnsureKernel(Part& part);
  void EnsureDevice(Part& part);

  // Decide how to run the module, from the report about its kernels.
  bool IsTooLarge() const;
  bool AllAreProved() const;
  bool AllAreProvedOrRun() const;
  bool WantsProofOfAll() const;
  bool RunsInSamples() const;
  bool SamplesCover() const;
  bool RunsWhole() const;
  std::vector<std::string> OpenLoops() const;
  bool FallsBackToProof() const;
  bool RunsAloneInSamples(size_t u);
  bool RunsAloneInSamples(const Part& part);
  bool WasReached(size_t u);
  void ForgetSamples();

  // kernel_runs.cc
  // Adds runs of unproved kernels, where the module as a whole runs in samples.
  void AddRunsBesideSamples(std::vector<Unit>& units);
  void AddRuns(std::vector<Unit>& units);
  void Compile(Part& part);
  std::vector<hlo::ArgumentKind> Kinds() const;
  void RunModule(hlo::ArgumentKind kind);
  void CompareWhole(const InterpretedModule& given, Values actual);
  llvm::Expected<hlo::Literal> RunFusion(size_t u, Values arguments);
  int64_t MostRuns(size_t u);
  hlo::Literal LateTrip(size_t u, Values arguments, hlo::Literal expected);
  hlo::Literal RunPart(Part& part, Values arguments, hlo::Literal expected);
  // Compares the results of a run of a part with the interpreter's: to the bit, or by enclosures.
  LiteralComparison Compared(Part& part, Values arguments, const hlo::Literal& expected,
                             const hlo::Literal& actual);
  void NotByKernels(const std::string& why);
  void AddMismatch(const std::string& what, const LiteralComparison& comparison);
  std::string DeviceText() const;

  // kernel_orders.cc
  void CollectOrders();
  static void TakeOrders(Part& part);
  void FindLeftFolds(const Part& part);

  // runs_alone.cc
  void AddRunOfPart(Part& part, std::vector<Unit>& units);
  Unit RunOfFusion(size_t u, std::function<bool()> is_needed);
  void RunAlone(size_t u);
  void AddRunOfLibraryOp(size_t k, std::vector<Unit>& units);
  void RunLibraryOpAlone(size_t k);
  void RunPartAlone(Part& part);
  static std::string NotRun(const Part& part, const std::string& why);

  State& state_;
  const Program& program_;
  CollectiveChecker collectives_;
  const bool fits_memory_;      // on all devices
  const double work_;           // WorkOf the module, on all devices
  const std::string why_open_;  // a sort with an open result; empty if there is none
  std::vector<Part> parts_;
  std::vector<size_t> first_part_;       // by fusion
  std::vector<int64_t> runs_of_fusion_;  // with the current arguments
  std::vector<hlo::EvaluationOrders> fusion_orders_;
  std::vector<bool> has_several_orders_;  // by fusion: two of its kernels compute one reduction
  hlo::EvaluationOrders module_orders_;
  const hlo::Instruction* several_orders_ = nullptr;
  bool by_kernels_ = true;  // whether the current run uses kernels
  int64_t device_ = 0;      // the current device
  hlo::ArgumentKind kind_ = hlo::ArgumentKind::kSmall;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_KERNEL_CHECKER_H_
