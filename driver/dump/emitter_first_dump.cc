// The first dump of an emitter, before any pass: held against the shape of the result and the
// analysis of the fusion.
#include <map>
#include <optional>
#include <utility>

#include "core/analysis/indexing.h"
#include "driver/dump/emitter_claims.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/maps/partition.h"

namespace affirm::driver {

namespace {

// The first dump.
class FirstDump {
 public:
  FirstDump(const EmitterAccesses& found, EmitterLog& log) : found_(found), log_(log) {
    groups_ = GroupAccesses(found);
  }

  void Run(const hlo::Instruction* fusion, Context& context) {
    for (const EmitterAccess& access : found_.accesses) {
      if (!access.map)
        log_.not_followed.push_back(std::string(Name(access.kind)) + " of " + access.tensor +
                                    " at line " + std::to_string(access.line) + ": " +
                                    access.reason);
    }
    for (const std::string& result : found_.results) log_.thread_maps.push_back(ThreadMap(result));
    OperandMaps(fusion, context);
  }

 private:
  AccessList Of(const std::string& tensor, EmitterAccess::Kind kind) const {
    auto it = groups_.find({tensor, kind});
    return it == groups_.end() ? AccessList() : it->second;
  }

  // Why the writes of a result are not seen as maps; empty: they are.
  std::string WhyNotSeen(const std::string& tensor) const {
    if (tensor.empty()) return "the entry's result is not followed";
    if (found_.not_followed.contains(tensor))
      return "not followed: what " + found_.not_followed.at(tensor) + " does";
    if (!Of(tensor, EmitterAccess::kAtomic).empty()) return "it is updated atomically";
    const AccessList writes = Of(tensor, EmitterAccess::kWrite);
    if (writes.empty()) return "nothing writes it";
    for (const EmitterAccess* write : writes) {
      if (!write->map) return "line " + std::to_string(write->line) + ": " + write->reason;
    }
    return "";
  }

  // A result that is an operand updated in place keeps the elements that nothing writes.
  bool IsUpdatedInPlace(const std::string& tensor) const {
    if (!Of(tensor, EmitterAccess::kRead).empty()) return true;
    auto slice = found_.slices.find(tensor);
    return slice != found_.slices.end() && llvm::count_if(found_.slices, [&](const auto& other) {
                                             return other.second == slice->second;
                                           }) > 1;
  }

  EmitterClaim ThreadMap(const std::string& tensor) const {
    EmitterClaim claim{
        .what = "writes of " + tensor, .reason = WhyNotSeen(tensor), .counterexample = ""};
    if (!claim.reason.empty()) return claim;
    const AccessList writes = Of(tensor, EmitterAccess::kWrite);
    const bool in_place = IsUpdatedInPlace(tensor);
    if (in_place || writes.size() > kMostAccesses) {
      claim.reason = in_place ? "it is updated in place" : "there are too many";
      return claim;
    }
    const std::vector<IndexingMap> maps = MapsOf(writes, /*flat=*/false);
    MapProofResult answer = ProvePartition(maps, writes.front()->shape, EmitterBudget());
    claim.verdict = answer.verdict;
    claim.reason = answer.reason;
    if (answer.verdict != Verdict::kRefuted) return claim;
    claim.counterexample = answer.counterexample ? answer.counterexample->note : "";
    if (llvm::any_of(writes, [](const EmitterAccess* write) { return write->assumes; })) {
      claim.verdict = Verdict::kUnknown;
      claim.reason = "differs, where a map is used outside of its domain or may be";
    }
    return claim;
  }

  void OperandMaps(const hlo::Instruction* fusion, Context& context) {
    if (fusion == nullptr) return;
    const size_t operands = fusion->operands.size();
    for (size_t k = 0; k < operands; ++k) {
      EmitterClaim claim{
          .what = "reads of arg" + std::to_string(k), .reason = "", .counterexample = ""};
      if (static_cast<size_t>(found_.arguments) != operands + found_.results.size()) {
        claim.reason = "the entry's arguments are not the fusion's operands and results";
      } else {
        CompareReads(*fusion, k, context, claim);
      }
      log_.operand_maps.push_back(std::move(claim));
    }
  }

  // Reads and writes of one iteration: those with the writes' loops around them.
  struct Scope {
    AccessList writes, reads;
  };

  std::optional<std::map<std::vector<int64_t>, Scope>> Scopes(const std::string& operand,
                                                              std::string& reason) const {
    std::map<std::vector<int64_t>, Scope> scopes;
    for (const std::string& result : found_.results) {
      if (reason = WhyNotSeen(result); !reason.empty()) return std::nullopt;
      for (const EmitterAccess* write : Of(result, EmitterAccess::kWrite))
        scopes[write->loops].writes.push_back(write);
    }
    for (const EmitterAccess* read : Of(operand, EmitterAccess::kRead)) {
      if (!read->map) {
        reason = "line " + std::to_string(read->line) + ": " + read->reason;
        return std::nullopt;
      }
      Scope* scope = nullptr;
      size_t depth = 0;
      for (auto& [loops, of] : scopes) {
        const bool inside = read->loops.size() >= loops.size() &&
                            std::equal(loops.begin(), loops.end(), read->loops.begin());
        if (!inside || (scope != nullptr && loops.size() <= depth)) continue;
        scope = &of;
        depth = loops.size();
      }
      // If the scope is the whole kernel, nothing says which write a read belongs to.
      if (scope == nullptr || (depth == 0 && scopes.size() > 1)) {
        reason = "what line " + std::to_string(read->line) +
                 " reads reaches the result through other loops or shared memory";
        return std::nullopt;
      }
      scope->reads.push_back(read);
    }
    return scopes;
  }

  void CompareReads(const hlo::Instruction& fusion, size_t operand, Context& context,
                    EmitterClaim& claim) const {
    const std::string tensor = "arg" + std::to_string(operand);
    if (found_.not_followed.contains(tensor)) {
      claim.reason = "not followed: what " + found_.not_followed.at(tensor) + " does";
      return;
    }
    if (llvm::is_contained(found_.results, tensor)) {
      claim.reason = "it is updated in place";
      return;
    }
    // The value that a thread writes depends on the reads of other threads.
    if (found_.exchanges) {
      claim.reason = "threads exchange values";
      return;
    }
    auto scopes = Scopes(tensor, claim.reason);
    if (!scopes) return;
    bool lost = false, more = false, both = false, assumes = false;
    for (const auto& [loops, scope] : *scopes) {
      std::vector<IndexingMap> expected, found;
      for (const EmitterAccess* write : scope.writes) {
        assumes |= write->assumes;
        if (!AddExpected(fusion, operand, *write, loops.size(), context, expected, claim)) return;
      }
      for (const EmitterAccess* read : scope.reads) {
        assumes |= read->assumes;
        found.push_back(WithLoopsAsDims(*read->map, loops.size()));
      }
      if (expected.size() > kMostAccesses || found.size() > kMostAccesses) {
        claim.reason = "there are too many";
        return;
      }
      MapProofResult all = ProveUnionSuperset(found, expected, EmitterBudget());
      MapProofResult only = ProveUnionSuperset(expected, found, EmitterBudget());
      if (all.verdict == Verdict::kUnknown || only.verdict == Verdict::kUnknown) {
        claim.reason =
            "not decided: " + (all.verdict == Verdict::kUnknown ? all.reason : only.reason);
        return;
      }
      lost |= all.verdict == Verdict::kRefuted;
      more |= only.verdict == Verdict::kRefuted;
      both |= all.verdict == Verdict::kRefuted && only.verdict == Verdict::kRefuted;
      const std::vector<IndexingMap>& any = expected.empty() ? found : expected;
      if (claim.counterexample.empty() && !any.empty())
        claim.counterexample = all.counterexample ? TextOf(all, any.front(), "read", "analysis")
                                                  : TextOf(only, any.front(), "analysis", "read");
    }
    if (!lost && !more) {
      claim.verdict = Verdict::kProved;
    } else if (both && !assumes) {
      claim.verdict = Verdict::kRefuted;
    } else {
      claim.reason = both   ? "differs, where a map is used outside of its domain or may be"
                     : lost ? "the analysis has elements that nothing reads"
                            : "elements are read that the analysis does not have";
    }
  }

  // The analysis's maps to an operand from the element that a write gives.
  bool AddExpected(const hlo::Instruction& fusion, size_t operand, const EmitterAccess& write,
                   size_t depth, Context& context, std::vector<IndexingMap>& expected,
                   EmitterClaim& claim) const {
    const auto result =
        static_cast<int64_t>(llvm::find(found_.results, write.tensor) - found_.results.begin());
    const InstructionIndexing indexing = OutputToInput(fusion, result, context, {.exact = true});
    if (operand >= indexing.maps.size()) {
      claim.reason = "the analysis says nothing about this operand";
      return false;
    }
    for (const LabeledMap& labeled : indexing.maps[operand]) {
      const bool usable =
          labeled.exactness == Exactness::kExact && !labeled.map.IsUndefined() &&
          labeled.map.runtime().empty() &&
          (labeled.map.IsKnownEmpty() || labeled.map.dims().size() == write.shape.size());
      if (!usable) {
        claim.reason = "the analysis has no exact map without values of run time";
        return false;
      }
      IndexingMap composed = Compose(WithLoopsAsDims(*write.map, depth), labeled.map);
      if (!composed.IsKnownEmpty()) expected.push_back(std::move(composed));
    }
    return true;
  }

  const EmitterAccesses& found_;
  EmitterLog& log_;
  std::map<AccessGroup, AccessList> groups_;
};

}  // namespace

void CheckFirstDump(const EmitterAccesses& found, const hlo::Instruction* fusion, Context& context,
                    EmitterLog& log) {
  FirstDump(found, log).Run(fusion, context);
}

}  // namespace affirm::driver
