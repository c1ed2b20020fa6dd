// The reduction loop: tries every edit until none makes the module simpler and keeps it
// interesting.
#include "fuzz/reducer/hlo_reducer.h"

#include "fuzz/reducer/hlo_edit.h"
#include "fuzz/reducer/reduction_edits.h"

namespace affirm::fuzz {
namespace {

class Reducer {
 public:
  Reducer(const hlo::Module& module, const InterestingnessTest& is_interesting,
          const ReduceOptions& options)
      : best_(Clone(module)), is_interesting_(is_interesting), options_(options) {}

  std::unique_ptr<hlo::Module> Run() {
    using MakeEdits = std::vector<Edit> (*)(const hlo::Module&);
    constexpr MakeEdits kKinds[] = {GraphEdits, CalleeEdits, SizeEdits, AttributeEdits, TypeEdits};
    for (bool changed = best_ != nullptr; changed;) {
      changed = false;
      for (MakeEdits make : kKinds) changed |= Exhaust(make);
    }
    return std::move(best_);
  }

 private:
  // Tries every edit of a kind until none of them helps. True when one did.
  bool Exhaust(std::vector<Edit> (*make)(const hlo::Module&)) {
    bool any = false;
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<Edit> edits = make(*best_);
      for (size_t i = 0; i < edits.size() && tests_ < options_.max_tests;) {
        if (!Try(edits[i])) {
          ++i;
          continue;
        }
        // The edits before this one did not help a moment ago: they come last.
        changed = true;
        edits = make(*best_);
      }
      any |= changed;
    }
    return any;
  }

  bool Try(const Edit& edit) {
    auto candidate = Clone(*best_);
    if (!candidate || !edit(*candidate) || !Repair(*candidate)) return false;
    candidate = Clone(*candidate);
    if (!candidate || !(ComplexityOf(*candidate) < ComplexityOf(*best_))) return false;
    ++tests_;
    if (!is_interesting_(*candidate)) return false;
    best_ = std::move(candidate);
    if (options_.progress) options_.progress(*best_);
    return true;
  }

  std::unique_ptr<hlo::Module> best_;
  const InterestingnessTest& is_interesting_;
  const ReduceOptions& options_;
  int64_t tests_ = 0;
};

}  // namespace

std::unique_ptr<hlo::Module> ReduceModule(const hlo::Module& module,
                                          const InterestingnessTest& is_interesting,
                                          const ReduceOptions& options) {
  return Reducer(module, is_interesting, options).Run();
}

}  // namespace affirm::fuzz
