// The steps of a check, each filling its part of the report. Internal to the check.
#ifndef AFFIRM_DRIVER_CHECK_STEPS_H_
#define AFFIRM_DRIVER_CHECK_STEPS_H_

#include <functional>
#include <utility>
#include <vector>

#include "driver/check/check.h"
#include "driver/check/program.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/hlo/proof/paths.h"

namespace affirm::driver {

// What the steps share while one module is checked.
struct State {
  Checker& checker;
  const hlo::Module& module;
  const Program& program;
  Context& context;
  ModuleReport& report;
  std::function<void(llvm::StringRef)> progress;
  const CertificateFolder* certificates;  // null: none are written
  // The weakest verdict on the maps of an instruction, where there were any to prove.
  llvm::DenseMap<const hlo::Instruction*, Verdict> map_verdicts{};
  std::vector<std::pair<const hlo::Instruction*, Verdict>>
      recorded_maps{};                                        // all of them, in order
  CallProofs call_proofs{context, checker.options().decide};  // of loops, branches and calls

  const CheckOptions& options() const { return checker.options(); }
  // `claim`: of the table of claims (driver/report_model/claims.cc).
  Finding& AddFinding(Finding::Kind kind, llvm::StringRef claim, std::string text,
                      std::string replay = "");
  // A finding for a proof that did not succeed; nothing for one that did.
  void RecordProof(const Proof& proof, llvm::StringRef claim, const std::string& what,
                   const std::string& replay = "");
  // Takes the verdict on a map of an instruction into account.
  void RecordMap(const hlo::Instruction& instruction, Verdict verdict);
  // "file:line:column" of an instruction.
  std::string SourceLocationOf(const hlo::Instruction& instruction) const;
  // The finding that nothing is known of what a custom call computes.
  std::string WhyUnknown(const hlo::Instruction& custom_call) const;
  // `affirm check FILE --seed N`, for findings that have no shorter way to be seen again.
  std::string Replay() const;
};

Proof ProofOf(const MapProofResult& answer, const IndexingMap& map);
// Output-to-input maps of one instruction, with the fault that the options ask for.
InstructionIndexing MapsOf(State& state, const hlo::Instruction& instruction, int64_t output);

// Certificates of claims that are proved, where they are asked for (certificates.cc).
// That the maps are what output `output` of the instruction reads of an operand, or of array `leaf`
// of one that is a tuple. `kind`: the end of the name of the file.
void CertifyReads(State& state, const hlo::Instruction& instruction, int64_t output,
                  int64_t operand, const InstructionIndexing& indexing, llvm::StringRef kind);
void CertifyLeafReads(State& state, const hlo::Instruction& instruction, int64_t output,
                      int64_t operand, int64_t leaf, const InstructionIndexing& indexing,
                      llvm::StringRef kind);
// The inverses of the maps from a parameter of a fusion are what its output reads.
void CertifyInverses(State& state, const hlo::Instruction& fusion, int64_t output, int64_t operand,
                     const std::vector<LabeledMap>& inverses);
void CertifySimplification(State& state, const std::string& name, const IndexingMap& before,
                           const IndexingMap& after);
void CertifyBijection(State& state, const std::string& name, const IndexingMap& map,
                      llvm::ArrayRef<int64_t> shape);

struct Unit;
// Every instruction's maps are what it reads: a unit for each computation.
void AddMapUnits(State& state, std::vector<Unit>& units);
// The maps of each fusion are the compositions of its instructions' maps: a unit for each output.
void AddCompositionUnits(State& state, std::vector<Unit>& units);
// No two arrays that are needed at one time share memory.
void AddMemoryUnit(State& state, std::vector<Unit>& units);
// Kernels: KernelChecker (kernel_checker.h).
// Fills `sample`, and `why_not` where the sample covers nothing: the kernel is not proved, or
// nothing could be compared. A difference is a finding.
// `share` is the part of a usual sample that is run.
void CheckSample(State& state, const KernelSubject& subject, double share, KernelCheck& check);
// What was covered of each instruction, each kernel and the module; every gap becomes a finding.
void BuildLedger(State& state);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_STEPS_H_
