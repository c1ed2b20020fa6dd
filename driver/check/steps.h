// The steps of a check, each of which fills a part of the report. Internal to the check.
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

// State shared by the steps of one module's check.
struct State {
  Checker& checker;
  const hlo::Module& module;
  const Program& program;
  Context& context;
  ModuleReport& report;
  std::function<void(llvm::StringRef)> progress;
  const CertificateFolder* certificates;  // null: none are written
  // The weakest verdict on the maps of an instruction, if it has any.
  llvm::DenseMap<const hlo::Instruction*, Verdict> map_verdicts{};
  std::vector<std::pair<const hlo::Instruction*, Verdict>>
      recorded_maps{};                                        // all verdicts, in order
  CallProofs call_proofs{context, checker.options().decide};  // for loops, branches and calls

  const CheckOptions& options() const { return checker.options(); }
  // `claim` is from the table of claims (driver/report_model/claims.cc).
  Finding& AddFinding(Finding::Kind kind, llvm::StringRef claim, std::string text,
                      std::string replay = "");
  // Adds a finding if the proof did not succeed.
  void RecordProof(const Proof& proof, llvm::StringRef claim, const std::string& what,
                   const std::string& replay = "");
  // Records the verdict on a map of an instruction.
  void RecordMap(const hlo::Instruction& instruction, Verdict verdict);
  // "file:line:column" of an instruction.
  std::string SourceLocationOf(const hlo::Instruction& instruction) const;
  // The text of the finding that a custom call has no known meaning.
  std::string WhyUnknown(const hlo::Instruction& custom_call) const;
  // `affirm check FILE --seed N`, for findings without a shorter replay.
  std::string Replay() const;
};

Proof ProofOf(const MapProofResult& answer, const IndexingMap& map);
// Output-to-input maps of one instruction, with the options' injected fault.
InstructionIndexing MapsOf(State& state, const hlo::Instruction& instruction, int64_t output);

// Write certificates of proved claims, if requested (certificates.cc).
// The claim that the maps are the reads by output `output` of an operand, or of array `leaf` of a
// tuple operand. `kind` is the suffix of the file's name.
void CertifyReads(State& state, const hlo::Instruction& instruction, int64_t output,
                  int64_t operand, const InstructionIndexing& indexing, llvm::StringRef kind);
void CertifyLeafReads(State& state, const hlo::Instruction& instruction, int64_t output,
                      int64_t operand, int64_t leaf, const InstructionIndexing& indexing,
                      llvm::StringRef kind);
// The claim that the inverses of the maps from a fusion's parameter are its output's reads.
void CertifyInverses(State& state, const hlo::Instruction& fusion, int64_t output, int64_t operand,
                     const std::vector<LabeledMap>& inverses);
void CertifySimplification(State& state, const std::string& name, const IndexingMap& before,
                           const IndexingMap& after);
void CertifyBijection(State& state, const std::string& name, const IndexingMap& map,
                      llvm::ArrayRef<int64_t> shape);

struct Unit;
// Proves that every instruction's maps are its reads: a unit for each computation.
void AddMapUnits(State& state, std::vector<Unit>& units);
// Proves that the maps of each fusion are the compositions of its instructions' maps: a unit for
// each output.
void AddCompositionUnits(State& state, std::vector<Unit>& units);
// Proves that no two arrays share memory while both are live.
void AddMemoryUnit(State& state, std::vector<Unit>& units);
// For kernels, see KernelChecker (kernel_checker.h).
// Runs a sample of a kernel. Fills `sample`, or `why_not` if the sample covers nothing: the kernel
// is not proved, or nothing could be compared. A difference is a finding. `share` is the fraction
// of a usual sample to run.
void CheckSample(State& state, const KernelSubject& subject, double share, KernelCheck& check);
// Computes the coverage of each instruction, kernel and the module; each gap becomes a finding.
void BuildLedger(State& state);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_STEPS_H_
