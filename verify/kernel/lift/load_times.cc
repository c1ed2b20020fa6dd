#include "verify/kernel/lift/load_times.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/lift/loops.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using terms::Term;

namespace {

// The most effects that are looked at for one load.
constexpr size_t kMostLookedAt = 4096;
// The most effects before a store among which its loads are looked for.
constexpr size_t kMostBefore = 512;

// Numbers below those of buffers and of what a compare-and-swap finds, above those of carried
// values (loops.h).
constexpr int64_t kLater = -(int64_t{1} << 20);
// More than the buffers of a launch. A load is numbered by its buffer and the time of the change.
constexpr int64_t kMostBuffers = int64_t{1} << 12;
constexpr size_t kMostTimes = size_t{1} << 26;

// Whether the term has a load of no initial contents, as NumberAtTime numbers them.
bool HasLaterLoad(Term term) {
  return term != nullptr && terms::AnyPart(term, [](Term part) {
           return part->kind == terms::Kind::kLoad && part->number < kLater &&
                  part->number > kCarried;
         });
}

bool IsWrite(const Effect& effect) { return effect.kind != Effect::Kind::kRead; }

// The loads before a store.
struct Reads {
  // Loads in the same iteration whose elements nothing may have changed since: each one that is not
  // of initial contents, and the same load of initial contents.
  llvm::DenseMap<Term, Term> there;
  llvm::DenseSet<Term> gone;  // the other loads
};

Reads ReadsBefore(terms::Pool& pool, llvm::ArrayRef<Effect> effects, size_t at) {
  terms::Scope scope(pool);
  Reads reads;
  const Effect& store = effects[at];
  llvm::SmallVector<const Effect*, 8> between;
  bool is_near = true;
  for (size_t k = at; k-- > 0;) {
    const Effect& before = effects[k];
    is_near = is_near && before.loops == store.loops && at - k < kMostBefore;
    if (IsWrite(before)) {
      between.push_back(&before);
      continue;
    }
    const bool is_there =
        is_near && llvm::none_of(between, [&](const Effect* write) {
          return write->buffer == before.buffer &&
                 scope.Decide(pool.Equal(write->element, before.element)) != false;
        });
    if (!is_there)
      reads.gone.insert(before.load);
    else if (before.load != before.initial)
      reads.there.try_emplace(before.load, before.initial);
  }
  return reads;
}

}  // namespace

std::optional<int64_t> NumberAtTime(terms::Scope& scope, int64_t buffer, int64_t initial,
                                    Term first, int64_t count, llvm::ArrayRef<Term> loops,
                                    llvm::ArrayRef<Effect> effects) {
  terms::Pool& pool = scope.pool();
  const auto is_inside = [&](const Effect& effect) {
    return effect.loops.size() >= loops.size() &&
           llvm::equal(loops, llvm::ArrayRef<Term>(effect.loops).take_front(loops.size()));
  };
  const auto changes = [&](const Effect& effect) {
    if (!IsWrite(effect) || effect.buffer != buffer) return false;
    for (int64_t k = 0; k < count; ++k) {
      const Term element = pool.Add(first, pool.Number(k));
      if (scope.Decide(pool.Equal(effect.element, element)) != false) return true;
    }
    return false;
  };
  const auto number_at = [&](size_t time) -> std::optional<int64_t> {
    if (buffer < 0 || buffer >= kMostBuffers || time > kMostTimes) return std::nullopt;
    return kLater - (static_cast<int64_t>(time) * kMostBuffers + buffer);
  };
  size_t time = effects.size(), looked_at = 0;
  while (time > 0 && is_inside(effects[time - 1]) && !changes(effects[time - 1])) {
    if (++looked_at > kMostLookedAt) return number_at(effects.size());
    --time;
  }
  return time == 0 ? initial : number_at(time);
}

void ExpressStoresInInitialContents(terms::Pool& pool, std::vector<Effect>& effects) {
  // Most kernels have none, and terms that take long to look through.
  if (llvm::none_of(effects, [](const Effect& e) { return e.load != e.initial; })) return;
  terms::Scope scope(pool);
  for (size_t at = 0; at < effects.size(); ++at) {
    Effect& store = effects[at];
    Term* const parts[] = {&store.element, &store.value, &store.guard, &store.old};
    if (!IsWrite(store) || llvm::none_of(parts, [](Term* part) { return HasLaterLoad(*part); }))
      continue;
    const Reads reads = ReadsBefore(pool, effects, at);
    if (reads.there.empty() || llvm::any_of(parts, [&](Term* part) {
          return *part != nullptr &&
                 terms::AnyPart(*part, [&](Term of) { return reads.gone.contains(of); });
        }))
      continue;
    for (Term* part : parts)
      if (*part != nullptr) *part = scope.Substitute(*part, reads.there);
  }
}

}  // namespace affirm::kernel
