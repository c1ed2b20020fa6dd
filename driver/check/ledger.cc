// The ledger of a check: what was covered of each instruction, each kernel and the module as a
// whole.
#include <algorithm>

#include "driver/check/steps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace affirm::driver {
namespace {

using hlo::Computation;
using hlo::Instruction;

// How the value of an instruction was covered. Its kinds go from the best to the worst.
struct Coverage {
  LedgerRow::Value value = LedgerRow::Value::kUnused;
  std::string by, why;
};

class Ledger {
 public:
  explicit Ledger(State& state) : state_(state), report_(state.report) {}

  void Build() {
    AddKernels();
    CoverFusions();
    CoverHosts();
    CoverCollectives();
    CoverLibraryOps();
    for (const auto& computation : state_.module.computations) AddInstructions(*computation);
    LedgerRow module{LedgerRow::Kind::kModule, "", report_.module};
    const WholeCheck& whole = report_.whole;
    // A loop that ended on no arguments was never compared as what it is.
    const bool ends = whole.left_loops.empty() || whole.ended_runs > 0;
    const bool same = ends && whole.runs > 0 && whole.comparison.mismatches == 0;
    module.value = same ? LedgerRow::Value::kCompared : LedgerRow::Value::kNotCovered;
    if (!same && whole.comparison.mismatches == 0) {
      module.why = ends ? whole.why_not
                        : "'" + whole.left_loops.front() + "' ended on none of the arguments";
    }
    if (whole.proved_by_kernels) {
      const bool proved = AllKernelsAreCovered();
      module.value = proved ? LedgerRow::Value::kProved : LedgerRow::Value::kNotCovered;
      if (!proved) {
        module.why = "the module is too large to run as a whole, and not each kernel is covered";
      }
    }
    report_.ledger.push_back(std::move(module));
    AddGaps();
  }

 private:
  // Or, where no proof was found, ran as a whole.
  bool AllKernelsAreCovered() const {
    return llvm::all_of(report_.ledger,
                        [](const LedgerRow& row) {
                          return row.kind != LedgerRow::Kind::kKernel || row.IsCovered();
                        }) &&
           llvm::all_of(report_.kernels, [](const KernelCheck& check) {
             return check.is_proved() || (check.runs > 0 && check.is_tested());
           });
  }

  // The location of the fusion, or of the root of one that the check has made.
  hlo::SourceLocation LocationOf(const FusedComputation& fused) const {
    for (const Instruction* op : {static_cast<const Instruction*>(fused.fusion),
                                  static_cast<const Instruction*>(fused.computation->root)}) {
      if (const Instruction* original = state_.program.Original(*op)) return original->location;
    }
    return {};
  }

  void AddKernels() {
    kernel_values_.resize(state_.program.fused_computations().size(), LedgerRow::Value::kCompared);
    kernel_gaps_.resize(state_.program.fused_computations().size());
    for (const KernelCheck& check : report_.kernels) {
      LedgerRow row{LedgerRow::Kind::kKernel, "", check.fusion};
      row.where = LocationOf(state_.program.fused_computations()[check.fusion_number]);
      const bool proved = llvm::all_of(check.thread_maps, [](const ThreadMapCheck& map) {
        return map.bijection.verdict == Verdict::kProved;
      });
      row.map = proved ? Verdict::kProved : Verdict::kUnknown;
      row.value = LedgerRow::Value::kCompared;
      // A proved kernel may have been run in part, or not at all for want of time.
      const bool sampled = check.sample && check.sample->sample->elements > 0;
      const bool has_sample = sampled || check.has_empty_sample;
      if (check.runs == 0 && has_sample && !check.failed && check.is_proved() && proved) {
        row.value = sampled ? LedgerRow::Value::kProved : LedgerRow::Value::kProvedOnly;
        LedgerRow::Value& of_fusion = kernel_values_[check.fusion_number];
        of_fusion = std::max(of_fusion, row.value);
      } else if (check.runs == 0 || check.failed || check.comparison.mismatches > 0 || !proved ||
                 !check.is_tested()) {
        row.value = LedgerRow::Value::kNotCovered;
        row.why = check.why_not.empty() ? check.not_tested : check.why_not;
        // A difference is a finding already.
        if (row.why.empty() && check.runs == 0 && !check.failed) {
          row.why = "the kernel of '" + check.fusion + "' was not run";
        }
        kernel_gaps_[check.fusion_number] =
            row.why.empty() ? "the kernel of '" + check.fusion + "' is wrong" : row.why;
      }
      report_.ledger.push_back(std::move(row));
    }
  }

  // The worst coverage of an instruction counts.
  void Cover(const Instruction& op, const Coverage& coverage) {
    auto [known, is_new] = covered_.try_emplace(&op, coverage);
    if (!is_new && coverage.value > known->second.value) known->second = coverage;
  }

  void CoverCallees(const Instruction& op, const Coverage& coverage) {
    for (const Computation* callee : op.called) {
      for (const Instruction* live : Live(*callee)) {
        Cover(*live, coverage);
        CoverCallees(*live, coverage);
      }
    }
  }

  // The instructions that the root needs.
  static std::vector<const Instruction*> Live(const Computation& computation) {
    llvm::DenseSet<const Instruction*> live = {computation.root};
    std::vector<const Instruction*> list;
    for (size_t i = computation.instructions.size(); i-- > 0;) {
      const Instruction* op = computation.instructions[i].get();
      if (!live.contains(op)) continue;
      live.insert(op->operands.begin(), op->operands.end());
      list.push_back(op);
    }
    return list;
  }

  void CoverFusions() {
    for (auto [u, fused] : llvm::enumerate(state_.program.fused_computations())) {
      Coverage coverage{kernel_values_[u], fused.name, kernel_gaps_[u]};
      if (!kernel_gaps_[u].empty()) coverage.value = LedgerRow::Value::kNotCovered;
      if (const Instruction* fusion = state_.program.Original(*fused.fusion)) {
        Cover(*fusion, coverage);
      }
      for (const Instruction* live : Live(*fused.computation)) {
        if (const Instruction* original = state_.program.Original(*live)) {
          Cover(*original, coverage);
          CoverCallees(*original, coverage);
        }
      }
    }
  }

  void CoverHosts() {
    for (const Computation* computation : state_.program.host_computations()) {
      for (const auto& op : computation->instructions) {
        switch (state_.program.RoleOf(*op)) {
          case HostRole::kKernel:
            break;
          case HostRole::kForward:
            Cover(*op, {LedgerRow::Value::kForwarded, "", ""});
            break;
          case HostRole::kControl:
            Cover(*op, {LedgerRow::Value::kControl, "", ""});
            break;
          case HostRole::kCollective:
            break;  // CoverCollectives
          case HostRole::kLoop:
            break;  // CoverLibraryOps
          case HostRole::kLibrary: {
            const std::string why = op->opcode == hlo::Opcode::kCustomCall
                                        ? state_.WhyUnknown(*op)
                                        : state_.SourceLocationOf(*op) + ": no kernel computes " +
                                              op->opcode_text + " '" + op->name +
                                              "': its value is the interpreter's";
            Coverage coverage{LedgerRow::Value::kNotCovered, "", why};
            Cover(*op, coverage);
            CoverCallees(*op, coverage);
            break;
          }
        }
      }
    }
  }

  void CoverCollectives() {
    size_t next = 0;
    for (const Computation* computation : state_.program.host_computations()) {
      for (const auto& op : computation->instructions) {
        if (state_.program.RoleOf(*op) != HostRole::kCollective) continue;
        const CollectiveCheck& check = report_.whole.collectives[next++];
        Coverage coverage{LedgerRow::Value::kCompared, "an exchange by its maps", ""};
        const bool agrees =
            check.runs > 0 && check.why_not.empty() && check.comparison.mismatches == 0;
        if (!agrees) {
          coverage = {LedgerRow::Value::kNotCovered, "", check.why_not};
          // A difference is a finding already.
          if (check.runs == 0 && check.why_not.empty()) {
            coverage.why = state_.SourceLocationOf(*op) + ": " + op->opcode_text + " '" + op->name +
                           "' was not run";
          }
        }
        Cover(*op, coverage);
        CoverCallees(*op, coverage);
      }
    }
  }

  void CoverLibraryOps() {
    for (const auto& [library, check] :
         llvm::zip_equal(state_.program.library_ops(), report_.whole.libraries)) {
      const Instruction& op = *library.op;
      Coverage coverage{LedgerRow::Value::kCompared, "a loop of kernels", ""};
      if (!check.why_not.empty() || check.runs == 0 || check.comparison.mismatches > 0) {
        coverage = {LedgerRow::Value::kNotCovered, "", ""};
        // A difference is a finding already.
        if (check.comparison.mismatches == 0) {
          coverage.why = state_.SourceLocationOf(op) + ": " + op.opcode_text + " '" + op.name +
                         "' was not compared with its loop of kernels" +
                         (check.why_not.empty() ? "" : ": " + check.why_not);
        }
      }
      Cover(op, coverage);
    }
  }

  void AddInstructions(const Computation& computation) {
    if (!Runs(computation)) return;
    for (const auto& op : computation.instructions) {
      LedgerRow row{LedgerRow::Kind::kInstruction, computation.name, op->name};
      row.where = op->location;
      auto map = state_.map_verdicts.find(op.get());
      if (map != state_.map_verdicts.end()) row.map = map->second;
      auto value = covered_.find(op.get());
      if (value != covered_.end()) {
        row.value = value->second.value;
        row.by = value->second.by;
        row.why = value->second.why;
      }
      report_.ledger.push_back(std::move(row));
    }
  }

  bool Runs(const Computation& computation) {
    if (running_.empty()) Reach(*state_.module.entry);
    return running_.contains(&computation);
  }
  void Reach(const Computation& computation) {
    if (!running_.insert(&computation).second) return;
    for (const auto& op : computation.instructions) {
      for (const Computation* callee : op->called) Reach(*callee);
    }
  }

  // Every gap is a finding, but only once.
  void AddGaps() {
    llvm::StringSet<> said;
    for (const Finding& finding : report_.findings) said.insert(finding.text);
    for (const LedgerRow& row : report_.ledger) {
      if (row.value != LedgerRow::Value::kNotCovered || row.why.empty()) continue;
      if (said.insert(row.why).second)
        state_.AddFinding(Finding::Kind::kUnknown, "coverage", row.why);
    }
  }

  State& state_;
  ModuleReport& report_;
  std::vector<LedgerRow::Value> kernel_values_;  // by fusion, of kernels that are covered
  std::vector<std::string> kernel_gaps_;         // by fusion; empty: its kernels were compared
  llvm::DenseMap<const Instruction*, Coverage> covered_;
  llvm::DenseSet<const Computation*> running_;
};

}  // namespace

std::string DevicesText(const ModuleReport& report) {
  const DevicesCheck& check = report.devices;
  const int64_t count = check.devices.count();
  if (count <= 1) return "";
  std::string text = " for each of " + std::to_string(count) + " devices";
  std::string notes = check.assumed;
  auto add = [&](const std::string& note) { notes += (notes.empty() ? "" : "; ") + note; };
  if (std::ssize(check.kernels_on) < count && !report.kernels.empty()) {
    add("kernels on " + std::to_string(check.kernels_on.size()) + " of them");
  }
  if (report.whole.shared != hlo::SharedArguments::kNone) {
    add(std::string("with the same ") +
        (report.whole.shared == hlo::SharedArguments::kAll ? "arguments" : "scalar arguments"));
  }
  return notes.empty() ? text : text + " (" + notes + ")";
}

const char* Name(LedgerRow::Value value) {
  switch (value) {
    case LedgerRow::Value::kCompared:
      return "compared";
    case LedgerRow::Value::kProved:
      return "proved, executed in part";
    case LedgerRow::Value::kProvedOnly:
      return "proved, not executed";
    case LedgerRow::Value::kForwarded:
      return "forwarded";
    case LedgerRow::Value::kControl:
      return "control flow";
    case LedgerRow::Value::kUnused:
      return "unused";
    case LedgerRow::Value::kNotCovered:
      return "not covered";
  }
  return "?";
}

bool LedgerRow::IsCovered() const {
  return value != Value::kNotCovered && map.value_or(Verdict::kProved) == Verdict::kProved;
}

int64_t ModuleReport::OnlyExecuted() const {
  return llvm::count_if(
      kernels, [](const KernelCheck& kernel) { return kernel.runs > 0 && !kernel.is_proved(); });
}

std::string ModuleReport::Covered() const {
  int64_t instructions = 0, covered_instructions = 0, kernels_covered = 0, all_kernels = 0;
  int64_t proved = 0, not_run = 0;
  bool in_samples = false;  // the module
  for (const LedgerRow& row : ledger) {
    if (row.kind == LedgerRow::Kind::kInstruction) {
      ++instructions;
      covered_instructions += row.IsCovered();
    } else if (row.kind == LedgerRow::Kind::kKernel) {
      ++all_kernels;
      kernels_covered += row.IsCovered();
      not_run += row.IsCovered() && row.value == LedgerRow::Value::kProvedOnly;
      proved += row.IsCovered() && row.value == LedgerRow::Value::kProved;
    } else {
      in_samples = row.IsCovered() && row.value == LedgerRow::Value::kProved;
    }
  }
  auto count = [](int64_t part, int64_t all, const char* what) {
    return std::to_string(part) + " of " + std::to_string(all) + " " + what;
  };
  std::string text = count(covered_instructions, instructions, "instructions") + ", " +
                     count(kernels_covered, all_kernels, "kernels");
  if (proved > 0) text += " (" + std::to_string(proved) + " of them proved; executed in part)";
  const int64_t executed = OnlyExecuted();
  if (executed > 0) text += " (" + std::to_string(executed) + " of them only executed)";
  if (not_run > 0) text += " (" + std::to_string(not_run) + " of them proved and not executed)";
  if (made_constants > 0) {
    text += ", with values made up for " + std::to_string(made_constants) +
            (made_constants == 1 ? " constant" : " constants") + " that the text leaves out";
  }
  if (random_states > 0) {
    text += ", with " + std::to_string(random_states) +
            (random_states == 1 ? " source" : " sources") + " of random numbers as arguments";
  }
  if (sizes_at_bounds) text += ", of sizes that are known at run time only those at their bounds";
  if (sizes_as_arguments > 0) {
    text += ", and " + std::to_string(sizes_as_arguments) +
            (sizes_as_arguments == 1 ? " of them as an argument" : " of them as arguments");
  }
  if (in_samples && all_kernels == 0)
    return text + ", the module as a whole proved, which runs none";
  if (in_samples) {
    const auto run =
        llvm::count_if(kernels, [](const KernelCheck& check) { return !check.is_proved(); });
    text += ", the module as a whole proved kernel by kernel";
    if (run > 0) {
      text += " but for " + std::to_string(run) + " that " + (run == 1 ? "is" : "are") +
              " run on arguments of " + (run == 1 ? "its" : "their") + " own and not proved";
    }
    if (!whole.open_loops.empty()) {
      text += ", where '" + llvm::join(whole.open_loops, "' and '") +
              (whole.open_loops.size() == 1 ? "' ends" : "' end") + ", which is not known,";
    }
    if (whole.several_orders) return text + ", as two of them take a sum in different orders";
    if (whole.in_parts()) return text + ", as its run took too long";
    return text + (not_run == all_kernels ? " and not executed" : " and executed only in samples");
  }
  if (whole.runs == 0) return text + ", not the module as a whole";
  // A comparison of nothing is none.
  if (whole.comparison.elements == 0) return text + ", a result without elements";
  text += ", the module as a whole on " + std::to_string(whole.runs) +
          (whole.runs == 1 ? " set of arguments" : " sets of arguments") + DevicesText(*this);
  if (!whole.left_loops.empty()) {
    text += ", '" + llvm::join(whole.left_loops, "' and '") +
            "' in the first trips alone where it did not end";
  }
  return whole.late_trips_proved ? text + ", late trips of loops by proofs of their kernels" : text;
}

void BuildLedger(State& state) { Ledger(state).Build(); }

}  // namespace affirm::driver
