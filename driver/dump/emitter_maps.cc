// A log's snapshots compared, and the first one held against the fusion.
#include "driver/dump/emitter_maps.h"

#include <map>
#include <set>
#include <utility>

#include "core/analysis/indexing.h"
#include "driver/dump/emitter_accesses.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/maps/maps.h"
#include "verify/maps/partition.h"

namespace affirm::driver {

namespace {

using Accesses = std::vector<const EmitterAccess*>;
using Group = std::pair<std::string, EmitterAccess::Kind>;  // a tensor, and what is done to it

constexpr size_t kMostAccesses = 64;  // of one tensor, that are compared as a union

DecideOptions Budgeted() {
  DecideOptions options;
  options.budget.z3_rlimit = 4'000'000;
  options.budget.isl_operations = 500'000;
  options.budget.isl_seconds = 2;
  return options;
}

std::map<Group, Accesses> Grouped(const EmitterAccesses& all) {
  std::map<Group, Accesses> groups;
  for (const EmitterAccess& access : all.accesses)
    groups[{access.tensor, access.kind}].push_back(&access);
  return groups;
}

std::string NameOf(const Group& group) {
  return std::string(Name(group.second)) + "s of " + group.first;
}

// What has to stay the same for an access to be the same one.
std::string KeyOf(const EmitterAccess& access) {
  std::string key = access.element + "[";
  for (int64_t size : access.shape) key += std::to_string(size) + ",";
  return key + "] " + (access.map ? access.map->ToString() : access.reason);
}

bool AreSame(const Accesses& a, const Accesses& b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](const auto& pair) {
           return KeyOf(*std::get<0>(pair)) == KeyOf(*std::get<1>(pair));
         });
}

// Maps of both sides to one index space: the shape's indices, or those of the flattened array.
std::vector<IndexingMap> MapsOf(const Accesses& accesses, bool flat) {
  std::vector<IndexingMap> maps;
  for (const EmitterAccess* access : accesses)
    maps.push_back(flat ? Linearized(*access) : *access->map);
  return maps;
}

// A counterexample with the sides called what they are: "th_x = 3: before {(3)}, after {(4)}".
std::string TextOf(const MapProofResult& answer, const IndexingMap& map, llvm::StringRef lhs,
                   llvm::StringRef rhs) {
  if (!answer.counterexample) return "";
  std::string text = answer.counterexample->ToString(map);
  for (auto [side, name] : {std::pair(llvm::StringRef(": lhs {"), lhs), {", rhs {", rhs}}) {
    const size_t at = text.find(side.str());
    if (at != std::string::npos) text.replace(at + 2, 3, name.str());
  }
  return text;
}

// Tensors as they are before and after a pass.
class PassComparison {
 public:
  PassComparison(const Group& group, const Accesses& before, const Accesses& after)
      : group_(group), before_(before), after_(after) {
    claim_.what = NameOf(group);
  }

  EmitterClaim Run() {
    if (!CanCompare()) return std::move(claim_);
    const bool flat = !AreOfOneForm();
    before_maps_ = MapsOf(before_, flat);
    after_maps_ = MapsOf(after_, flat);
    if (AgreeAtEachIteration()) {
      claim_.verdict = Verdict::kProved;
    } else {
      CompareSets();
    }
    return std::move(claim_);
  }

 private:
  bool Unknown(std::string reason) {
    claim_.verdict = Verdict::kUnknown;
    claim_.reason = std::move(reason);
    return false;
  }

  bool CanCompare() {
    for (const Accesses* side : {&before_, &after_}) {
      if (side->empty())
        return Unknown(side == &before_ ? "there is none before" : "there is none after");
      for (const EmitterAccess* access : *side) {
        if (!access->map)
          return Unknown("line " + std::to_string(access->line) + ": " + access->reason);
        if (access->element != before_.front()->element)
          return Unknown("elements are " + before_.front()->element + " before and " +
                         access->element + " after");
      }
    }
    if (before_.size() > kMostAccesses || after_.size() > kMostAccesses)
      return Unknown(std::to_string(before_.size()) + " accesses before and " +
                     std::to_string(after_.size()) + " after, which is too many");
    return true;
  }

  // Whether all indices are of an array of one shape and layout; a pointer has neither.
  bool AreOfOneForm() const {
    const EmitterAccess& first = *before_.front();
    auto like_first = [&](const EmitterAccess* access) {
      return access->shape == first.shape && access->order == first.order &&
             access->map->results().size() == first.map->results().size();
    };
    return llvm::all_of(before_, like_first) && llvm::all_of(after_, like_first);
  }

  // In order, one by one, with the same loops around them.
  bool AgreeAtEachIteration() const {
    if (before_maps_.size() != after_maps_.size()) return false;
    for (size_t k = 0; k < before_maps_.size(); ++k) {
      const IndexingMap a = AtEachIteration(before_maps_[k]), b = AtEachIteration(after_maps_[k]);
      if (a.IsKnownEmpty() && b.IsKnownEmpty()) continue;
      if (a.dims().size() != b.dims().size()) return false;
      for (size_t dim = 0; dim < a.dims().size(); ++dim) {
        if (a.dims()[dim].bounds != b.dims()[dim].bounds) return false;
      }
      if (ProveEqual(a, b, Budgeted()).verdict != Verdict::kProved) return false;
    }
    return true;
  }

  // Together, as sets of elements of each thread. Reads that lead nowhere may go, and others may
  // be made early, so that a thread that reads more or less is no fault yet; one that reads other
  // elements is. Shared memory likewise.
  void CompareSets() {
    claim_.as_sets = true;
    MapProofResult kept = ProveUnionSuperset(after_maps_, before_maps_, Budgeted());
    MapProofResult added = ProveUnionSuperset(before_maps_, after_maps_, Budgeted());
    if (kept.verdict == Verdict::kProved && added.verdict == Verdict::kProved) {
      claim_.verdict = Verdict::kProved;
      return;
    }
    const bool lost = kept.verdict == Verdict::kRefuted, more = added.verdict == Verdict::kRefuted;
    const bool strict = group_.second != EmitterAccess::kRead &&
                        !llvm::StringRef(group_.first).starts_with("shared");
    if (!lost && !more) {
      Unknown("not decided: " + (kept.verdict == Verdict::kUnknown ? kept.reason : added.reason));
      return;
    }
    const IndexingMap& names = before_maps_.front();
    claim_.counterexample =
        lost ? TextOf(kept, names, "after", "before") : TextOf(added, names, "before", "after");
    auto assumes = [](const EmitterAccess* access) { return access->assumes; };
    if (llvm::any_of(before_, assumes) || llvm::any_of(after_, assumes)) {
      Unknown("differs, where a map is used outside of its domain or may be");
    } else if (strict || (lost && more)) {
      claim_.verdict = Verdict::kRefuted;
    } else {
      Unknown(lost ? "fewer elements after than before" : "more elements after than before");
    }
  }

  const Group& group_;
  const Accesses &before_, &after_;
  std::vector<IndexingMap> before_maps_, after_maps_;
  EmitterClaim claim_;
};

Verdict WorstOf(const std::vector<EmitterClaim>& claims) {
  Verdict worst = Verdict::kProved;
  for (const EmitterClaim& claim : claims) {
    if (claim.verdict == Verdict::kRefuted) return Verdict::kRefuted;
    if (claim.verdict == Verdict::kUnknown) worst = Verdict::kUnknown;
  }
  return worst;
}

// The tensors whose accesses a pass changes.
EmitterPass ComparePass(const EmitterSnapshot& snapshot, const EmitterAccesses& before,
                        const EmitterAccesses& after) {
  EmitterPass pass{.pass = snapshot.pass,
                   .operation = snapshot.operation,
                   .before = snapshot.line,
                   .claims = {}};
  const std::map<Group, Accesses> old_groups = Grouped(before), new_groups = Grouped(after);
  std::set<Group> groups;
  for (const auto& [group, accesses] : old_groups) groups.insert(group);
  for (const auto& [group, accesses] : new_groups) groups.insert(group);
  for (const Group& group : groups) {
    auto find = [&](const std::map<Group, Accesses>& in) {
      auto it = in.find(group);
      return it == in.end() ? Accesses() : it->second;
    };
    const Accesses a = find(old_groups), b = find(new_groups);
    if (AreSame(a, b)) continue;
    EmitterClaim claim{.what = NameOf(group), .reason = "", .counterexample = ""};
    const EmitterAccesses* lost = before.not_followed.contains(group.first)  ? &before
                                  : after.not_followed.contains(group.first) ? &after
                                                                             : nullptr;
    if (lost != nullptr) {
      claim.reason = "not followed: what " + lost->not_followed.at(group.first) + " does";
    } else {
      claim = PassComparison(group, a, b).Run();
    }
    pass.claims.push_back(std::move(claim));
  }
  pass.verdict = WorstOf(pass.claims);
  return pass;
}

// The first dump.
class FirstDump {
 public:
  FirstDump(const EmitterAccesses& found, EmitterLog& log) : found_(found), log_(log) {
    groups_ = Grouped(found);
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
  Accesses Of(const std::string& tensor, EmitterAccess::Kind kind) const {
    auto it = groups_.find({tensor, kind});
    return it == groups_.end() ? Accesses() : it->second;
  }

  // Why the writes of a result are not seen as maps; empty: they are.
  std::string WhyNotSeen(const std::string& tensor) const {
    if (tensor.empty()) return "the entry's result is not followed";
    if (found_.not_followed.contains(tensor))
      return "not followed: what " + found_.not_followed.at(tensor) + " does";
    if (!Of(tensor, EmitterAccess::kAtomic).empty()) return "it is updated atomically";
    const Accesses writes = Of(tensor, EmitterAccess::kWrite);
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
    const Accesses writes = Of(tensor, EmitterAccess::kWrite);
    const bool in_place = IsUpdatedInPlace(tensor);
    if (in_place || writes.size() > kMostAccesses) {
      claim.reason = in_place ? "it is updated in place" : "there are too many";
      return claim;
    }
    const std::vector<IndexingMap> maps = MapsOf(writes, /*flat=*/false);
    MapProofResult answer = ProvePartition(maps, writes.front()->shape, Budgeted());
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
    Accesses writes, reads;
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
      // Of a scope that is the whole kernel nothing says which write a read belongs to.
      if (scope == nullptr || (depth == 0 && scopes.size() > 1)) {
        reason = "what line " + std::to_string(read->line) +
                 " reads reaches the result through other loops or shared memory";
        return std::nullopt;
      }
      scope->reads.push_back(read);
    }
    return scopes;
  }

  // Loops around the write as dims; those inside stay range variables.
  static IndexingMap InScope(const EmitterAccess& access, size_t depth) {
    const IndexingMap& map = *access.map;
    if (map.IsKnownEmpty()) return map;
    Context& context = *map.context();
    std::vector<Variable> dims = map.dims(), ranges;
    const auto ids = static_cast<int64_t>(dims.size());
    for (size_t k = 0; k < map.ranges().size(); ++k)
      (k < depth ? dims : ranges).push_back(map.ranges()[k]);
    auto move = [&](SymbolicExpr e) {
      return e.Substitute([&](VarKind kind, int64_t index) -> SymbolicExpr {
        if (kind != VarKind::kRange) return {};
        const auto outer = static_cast<int64_t>(depth);
        return index < outer ? context.Dim(ids + index) : context.Range(index - outer);
      });
    };
    std::vector<SymbolicExpr> results;
    for (SymbolicExpr result : map.results()) results.push_back(move(result));
    std::vector<Constraint> constraints;
    for (const Constraint& c : map.constraints()) constraints.push_back({move(c.expr), c.bounds});
    return IndexingMap(context, results, dims, ranges, {}, constraints);
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
    // What a thread writes comes of what other threads have read.
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
        found.push_back(InScope(*read, loops.size()));
      }
      if (expected.size() > kMostAccesses || found.size() > kMostAccesses) {
        claim.reason = "there are too many";
        return;
      }
      MapProofResult all = ProveUnionSuperset(found, expected, Budgeted());
      MapProofResult only = ProveUnionSuperset(expected, found, Budgeted());
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
      IndexingMap composed = Compose(InScope(write, depth), labeled.map);
      if (!composed.IsKnownEmpty()) expected.push_back(std::move(composed));
    }
    return true;
  }

  const EmitterAccesses& found_;
  EmitterLog& log_;
  std::map<Group, Accesses> groups_;
};

}  // namespace

std::vector<EmitterLog::Wrong> EmitterLog::WrongClaims() const {
  std::vector<Wrong> wrong;
  for (const EmitterClaim& claim : thread_maps) {
    if (claim.verdict == Verdict::kRefuted) wrong.push_back({"thread map", false, 1, &claim});
  }
  for (const EmitterClaim& claim : operand_maps) {
    if (claim.verdict == Verdict::kRefuted) wrong.push_back({"operand map", false, 1, &claim});
  }
  for (const EmitterPass& pass : passes) {
    for (const EmitterClaim& claim : pass.claims) {
      if (claim.verdict == Verdict::kRefuted)
        wrong.push_back({pass.pass, true, pass.after, &claim});
    }
  }
  return wrong;
}

EmitterLog CheckEmitterLog(const std::string& path, const std::string& kernel,
                           const hlo::Instruction* fusion) {
  EmitterLog log{.kernel = kernel, .path = path};
  auto input = ReadInput(path, "the log of an emitter's passes");
  if (!input) {
    log.reason = MessageOf(input.takeError());
    return log;
  }
  auto snapshots = ReadEmitterLog(input->text, input->name);
  if (!snapshots) {
    log.reason = MessageOf(snapshots.takeError());
    return log;
  }
  log.dumps = static_cast<int64_t>(snapshots->size());
  const LaunchBounds launch = LaunchOf(snapshots->front());
  Context context;
  std::optional<EmitterAccesses> before;
  for (size_t k = 0; k < snapshots->size(); ++k) {
    EmitterAccesses found = FindAccesses((*snapshots)[k], launch, context);
    if (!found.reason.empty()) {
      log.reason_of_rest = found.reason;
      break;
    }
    ++log.dumps_read;
    if (!before) {
      FirstDump(found, log).Run(fusion, context);
    } else {
      EmitterPass pass = ComparePass((*snapshots)[k - 1], *before, found);
      pass.after = (*snapshots)[k].line;
      if (!pass.claims.empty()) log.passes.push_back(std::move(pass));
    }
    before = std::move(found);
  }
  return log;
}

}  // namespace affirm::driver
