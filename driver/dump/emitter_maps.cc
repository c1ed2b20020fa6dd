// A log's snapshots, one compared with the next.
#include "driver/dump/emitter_maps.h"

#include <map>
#include <set>
#include <utility>

#include "driver/dump/emitter_claims.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

std::string NameOf(const AccessGroup& group) {
  return std::string(Name(group.second)) + "s of " + group.first;
}

// The key of an access: accesses before and after a pass are the same if their keys are equal.
std::string KeyOf(const EmitterAccess& access) {
  std::string key = access.element + "[";
  for (int64_t size : access.shape) key += std::to_string(size) + ",";
  return key + "] " + (access.map ? access.map->ToString() : access.reason);
}

bool AreSame(const AccessList& a, const AccessList& b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](const auto& pair) {
           return KeyOf(*std::get<0>(pair)) == KeyOf(*std::get<1>(pair));
         });
}

// Compares the accesses of one group before and after a pass.
class PassComparison {
 public:
  PassComparison(const AccessGroup& group, const AccessList& before, const AccessList& after)
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
    for (const AccessList* side : {&before_, &after_}) {
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

  // Whether the accesses agree pairwise and in order, at each iteration of the loops around them.
  bool AgreeAtEachIteration() const {
    if (before_maps_.size() != after_maps_.size()) return false;
    for (size_t k = 0; k < before_maps_.size(); ++k) {
      const IndexingMap a = AtEachIteration(before_maps_[k]), b = AtEachIteration(after_maps_[k]);
      if (a.IsKnownEmpty() && b.IsKnownEmpty()) continue;
      if (a.dims().size() != b.dims().size()) return false;
      for (size_t dim = 0; dim < a.dims().size(); ++dim) {
        if (a.dims()[dim].bounds != b.dims()[dim].bounds) return false;
      }
      if (ProveEqual(a, b, EmitterBudget()).verdict != Verdict::kProved) return false;
    }
    return true;
  }

  // Compares the sets of elements of each thread. A pass may drop unused reads and move reads to
  // earlier points, so only reads of other elements are a fault, not more or fewer of them. The
  // same holds for shared memory.
  void CompareSets() {
    claim_.as_sets = true;
    MapProofResult kept = ProveUnionSuperset(after_maps_, before_maps_, EmitterBudget());
    MapProofResult added = ProveUnionSuperset(before_maps_, after_maps_, EmitterBudget());
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

  const AccessGroup& group_;
  const AccessList &before_, &after_;
  std::vector<IndexingMap> before_maps_, after_maps_;
  EmitterClaim claim_;
};

// The tensors whose accesses a pass changes.
EmitterPass ComparePass(const EmitterSnapshot& snapshot, const EmitterAccesses& before,
                        const EmitterAccesses& after) {
  EmitterPass pass{.pass = snapshot.pass,
                   .operation = snapshot.operation,
                   .before = snapshot.line,
                   .claims = {}};
  const std::map<AccessGroup, AccessList> old_groups = GroupAccesses(before),
                                          new_groups = GroupAccesses(after);
  std::set<AccessGroup> groups;
  for (const auto& [group, accesses] : old_groups) groups.insert(group);
  for (const auto& [group, accesses] : new_groups) groups.insert(group);
  for (const AccessGroup& group : groups) {
    auto find = [&](const std::map<AccessGroup, AccessList>& in) {
      auto it = in.find(group);
      return it == in.end() ? AccessList() : it->second;
    };
    const AccessList a = find(old_groups), b = find(new_groups);
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
  // A pass that changes no access keeps them all.
  pass.verdict =
      pass.claims.empty()
          ? Verdict::kProved
          : MeetOfAll(pass.claims, [](const EmitterClaim& claim) { return claim.verdict; });
  return pass;
}

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
      CheckFirstDump(found, fusion, context, log);
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
