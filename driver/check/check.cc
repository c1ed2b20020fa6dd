// The steps of a check in order, the proofs of rules that checks share, and the verdict of a
// report.
#include "driver/check/check.h"

#include <algorithm>
#include <chrono>

#include "core/symbolic/error.h"
#include "driver/check/device_runs.h"
#include "driver/check/kernel_checker.h"
#include "driver/check/steps.h"
#include "driver/check/unit.h"
#include "driver/exit_status.h"
#include "driver/open_sorts.h"
#include "driver/shell_command.h"
#include "verify/calls/expand.h"
#include "verify/decide/proved_claims.h"

namespace affirm::driver {

const char* Name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kRefuted:
      return "REFUTED";
    case Finding::Kind::kMismatch:
      return "MISMATCH";
    case Finding::Kind::kUnknown:
      return "UNKNOWN";
  }
  return "UNKNOWN";
}

bool KernelCheck::is_proved() const {
  return proof && std::all_of(std::begin(kernel::kClaims), std::end(kernel::kClaims),
                              [&](kernel::Claim claim) {
                                return proof->Of(claim).verdict == Verdict::kProved;
                              });
}

const Finding* ModuleReport::Worst() const {
  for (const Finding& finding : findings) {
    if (finding.kind != Finding::Kind::kUnknown) return &finding;
  }
  return findings.empty() ? nullptr : &findings.front();
}

Verdict ModuleReport::outcome() const {
  const Finding* worst = Worst();
  if (worst) return worst->kind == Finding::Kind::kUnknown ? Verdict::kUnknown : Verdict::kRefuted;
  return OnlyExecuted() > 0 ? Verdict::kExecuted : Verdict::kProved;
}

int ModuleReport::status() const { return StatusOf(outcome(), Verdict::kExecuted); }

std::string ModuleReport::verdict() const {
  const Finding* worst = Worst();
  return worst ? std::string(driver::Name(worst->kind)) + ": " + worst->text : "affirmed";
}

Finding& State::AddFinding(Finding::Kind kind, llvm::StringRef claim, std::string text,
                           std::string replay) {
  return report.findings.emplace_back(
      Finding{.kind = kind,
              .text = std::move(text),
              .replay = replay.empty() ? Replay() : std::move(replay),
              .claim = claim.str()});
}

void State::RecordProof(const Proof& proof, llvm::StringRef claim, const std::string& what,
                        const std::string& replay) {
  if (proof.verdict == Verdict::kProved) return;
  bool refuted = proof.verdict == Verdict::kRefuted;
  AddFinding(refuted ? Finding::Kind::kRefuted : Finding::Kind::kUnknown, claim,
             what + ": " + proof.detail, replay);
}

void State::RecordMap(const hlo::Instruction& instruction, Verdict verdict) {
  recorded_maps.push_back({&instruction, verdict});
  auto [known, is_new] = map_verdicts.try_emplace(&instruction, verdict);
  if (!is_new) known->second = Meet(known->second, verdict);
}

std::string State::SourceLocationOf(const hlo::Instruction& instruction) const {
  return report.file + ":" + std::to_string(instruction.location.line) + ":" +
         std::to_string(instruction.location.column);
}

std::string State::WhyUnknown(const hlo::Instruction& custom_call) const {
  return SourceLocationOf(custom_call) + ": custom-call '" + custom_call.name +
         "': " + calls::WhyNoMeaning(custom_call);
}

std::string State::Replay() const {
  return "affirm check " + ShellQuoted(report.file) + " --seed " + std::to_string(options().seed) +
         options().asked;
}

namespace {

// Verdicts on the kernels of such sorts prove nothing about the module.
void AddOpenSorts(State& state) {
  for (const OpenSort& open : OpenSorts(*state.module.entry))
    state.AddFinding(Finding::Kind::kUnknown, "order",
                     state.SourceLocationOf(*open.sort) + ": " + open.why);
}

// Nothing where an index has no place in an array of ours.
std::optional<Proof::Difference> DifferenceOf(const MapCounterexample& example) {
  Proof::Difference difference{.at = example.dims,
                               .given = {},
                               .wanted = {},
                               .all_given = !example.lhs_truncated,
                               .all_wanted = !example.rhs_truncated};
  if (!example.runtime.empty()) return std::nullopt;
  for (const auto& [from, to] :
       {std::pair(&example.lhs, &difference.given), std::pair(&example.rhs, &difference.wanted)}) {
    for (const std::vector<BigInt>& tuple : *from) {
      std::vector<int64_t>& index = to->emplace_back();
      for (const BigInt& number : tuple) {
        if (number < INT64_MIN || number > INT64_MAX) return std::nullopt;
        index.push_back(static_cast<int64_t>(number));
      }
    }
  }
  return difference;
}

}  // namespace

Proof ProofOf(const MapProofResult& answer, const IndexingMap& map) {
  Proof proof{answer.verdict, affirm::Name(answer.engine), answer.ms, answer.reason};
  if (!answer.counterexample) return proof;
  proof.detail = answer.counterexample->ToString(map);
  proof.difference = DifferenceOf(*answer.counterexample);
  return proof;
}

InstructionIndexing MapsOf(State& state, const hlo::Instruction& instruction, int64_t output) {
  InstructionIndexing indexing = OutputToInput(instruction, output, state.call_proofs.analyzed);
  const bool makes_no_claim = llvm::any_of(indexing.maps, [](const std::vector<LabeledMap>& maps) {
    return llvm::any_of(maps,
                        [](const LabeledMap& m) { return m.exactness == Exactness::kUnknown; });
  });
  // Maps that are not stated by default, because XLA does not state them, can still be proved.
  if (makes_no_claim) {
    indexing = OutputToInput(instruction, output, state.call_proofs.analyzed, {.exact = true});
  }
  const auto& fault = state.options().faults.op_map;
  if (!fault) return indexing;
  for (size_t k = 0; k < indexing.maps.size(); ++k) {
    for (LabeledMap& map : indexing.maps[k]) fault(instruction, static_cast<int64_t>(k), map);
  }
  return indexing;
}

Checker::Checker(CheckOptions options) : options_(std::move(options)) {
  if (!options_.rules) options_.rules = &RuleTable::Builtin();
  // Layers of a model are alike, and so is what is asked about them.
  options_.decide.proved = std::make_shared<ProvedClaims>();
}

const RuleProofResult& Checker::ProofOf(const Rule& rule) {
  std::lock_guard lock(proving_);
  auto [it, is_new] = rule_proofs_.try_emplace(rule.name);
  if (is_new) it->second = ProveRule(rule, options_.decide.budget);
  return it->second;
}

void Checker::Remember(const std::string& rule, const RuleProofResult& proof) {
  std::lock_guard lock(proving_);
  rule_proofs_.try_emplace(rule, proof);
}

ModuleReport Checker::Check(const hlo::Module& module, llvm::StringRef file,
                            llvm::function_ref<void(llvm::StringRef)> progress) {
  return llvm::cantFail(Check(module, file, progress, nullptr, SpentHere()));
}

llvm::Expected<ModuleReport> Checker::Check(const hlo::Module& module, llvm::StringRef file,
                                            llvm::function_ref<void(llvm::StringRef)> progress,
                                            UnitLedger* ledger, const SpentHere& spent,
                                            const CertificateFolder* certificates) {
  auto start = std::chrono::steady_clock::now();
  ModuleReport report;
  report.file = file.str();
  report.module = module.name;
  report.computations = static_cast<int64_t>(module.computations.size());
  report.instructions = module.NumInstructions();
  report.seed = options_.seed;
  report.time_limit = options_.time_limit;
  report.devices = FindDevices(module);
  Context context;
  const Program program(module);
  State state{*this, module, program, context, report, progress, certificates};
  if (certificates != nullptr) report.certificates.emplace();
  KernelChecker kernels(state);
  std::vector<Unit> units;
  AddMapUnits(state, units);
  AddMemoryUnit(state, units);
  AddCompositionUnits(state, units);
  kernels.AddUnits(units);
  if (llvm::Error error = RunUnits(state, std::move(units), ledger, spent)) return error;
  if (report.certificates && !report.certificates->problem.empty())
    return MakeError(report.certificates->problem);
  kernels.Finish();
  AddOpenSorts(state);
  BuildLedger(state);
  std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  report.ms = ms.count();
  return report;
}

}  // namespace affirm::driver
