// Two modules: proved, then executed.
#include "driver/equivalence/equivalence.h"

#include "driver/equivalence/execute.h"
#include "driver/equivalence/prove.h"
#include "driver/exit_status.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/laws.h"
#include "verify/equivalence/undefined.h"

namespace affirm::driver {

const char* HowName(const ResultEquivalence& of) {
  if (of.same_graph) return "same graph";
  return of.verdict == Verdict::kRefuted ? "different" : Name(of.verdict);
}

namespace {

// Whether a law that rounds otherwise has been applied: then executions may differ by right.
bool IsInexact(llvm::ArrayRef<std::string> laws) {
  return llvm::any_of(equivalence::Laws(), [&](const equivalence::Law& law) {
    return !law.exact && llvm::is_contained(laws, law.name);
  });
}

}  // namespace

void ExecuteModules(const hlo::Module& a, const hlo::Module& b, const EquivalenceOptions& options,
                    ModuleEquivalence& result) {
  const bool same_graph =
      llvm::all_of(result.results, [](const ResultEquivalence& of) { return of.same_graph; });
  const bool proved = llvm::all_of(
      result.results, [](const ResultEquivalence& of) { return of.verdict == Verdict::kProved; });
  if (result.promise.empty() && same_graph) return;
  ExecuteOptions execute;
  execute.equivalence = options;
  execute.all_sets = false;
  execute.licensed = proved && IsInexact(result.laws);
  for (const ResultEquivalence& of : result.results) {
    if (of.verdict == Verdict::kProved && !of.same_graph)
      execute.proved.push_back(of.leaf);
    else
      execute.all_sets = true;
  }
  ExecuteBoth(a, b, execute, result);
  const std::vector<std::string> undefined = equivalence::WhyUndefined(*a.entry, *b.entry);
  for (ResultEquivalence& of : result.results) {
    const auto open = result.left_open.find(of.leaf);
    const bool is_same =
        result.same_on_all_arguments && undefined[of.leaf].empty() && !result.claims_trips;
    if (result.difference && result.difference->leaf == of.leaf) {
      of.verdict = Verdict::kRefuted, of.same_graph = false;
    } else if (open != result.left_open.end()) {
      of.verdict = Verdict::kUnknown, of.same_graph = false;
      of.reason = "elements differ that HLO leaves open: " + open->second;
    } else if (of.verdict != Verdict::kProved && is_same) {
      of.verdict = Verdict::kProved;
      of.engine = "enumeration";
      of.reason.clear();
    } else if (of.verdict == Verdict::kUnknown && result.not_tested.contains(of.leaf)) {
      of.reason += "; " + result.not_tested[of.leaf];
    } else if (of.verdict == Verdict::kUnknown && result.sets > 0) {
      of.verdict = Verdict::kExecuted;
    }
  }
  result.verdict = VerdictOf(result);
}

llvm::Expected<ModuleEquivalence> CompareModules(const hlo::Module& a, const hlo::Module& b,
                                                 const EquivalenceOptions& options) {
  auto result = ProveModules(a, b, options.allowed_laws);
  if (result && options.execute) ExecuteModules(a, b, options, *result);
  return result;
}

}  // namespace affirm::driver
