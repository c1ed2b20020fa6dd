// The targets `maps` and `equiv`: maps against their enumerated meaning.
#include "core/simplify/simplify.h"
#include "fuzz/map_generator.h"
#include "fuzz/meaning.h"
#include "fuzz/properties.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/fuzz_target.h"

namespace affirm::cli {
namespace {

Outcome Finding(const std::string& what, const std::string& text) {
  return {Outcome::Kind::kFinding, what, what + ": " + text};
}

fuzz::MapLimits Limits(fuzz::Choices& choices) {
  fuzz::MapLimits limits;
  limits.max_points = 500;
  limits.extreme = choices.OneIn(4);
  return limits;
}

class MapsTarget : public FuzzTarget {
 public:
  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override {
    Context context;
    fuzz::Choices choices(bytes);
    fuzz::MapLimits limits = Limits(choices);
    return fuzz::GenerateMap(choices, context, limits).ToString() + "\n";
  }

  Outcome Check(const std::string& text) override {
    Context context;
    auto map = ParseIndexingMap(text, context);
    if (!map) return Finding("the map does not read back", MessageOf(map.takeError()));
    std::string wrong = fuzz::CheckSimplify(*map);
    if (!wrong.empty()) return Finding("simplified map", wrong);
    wrong = fuzz::CheckText(*map, context);
    return wrong.empty() ? Outcome{} : Finding("text of the map", wrong);
  }

  std::string Replay(const std::string& file) const override {
    return "affirm simplify --trace " + file;
  }
};

// A map, and the same with one byte of its choices changed, or simplified.
class EquivTarget : public FuzzTarget {
 public:
  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override {
    Context context;
    fuzz::Choices choices(bytes);
    bool simplified = choices.OneIn(3);
    uint64_t place = choices.Between(3, 40);
    uint64_t change = choices.Between(1, 7);
    llvm::ArrayRef<uint8_t> rest = bytes.drop_front(std::min<size_t>(bytes.size(), 3));
    std::vector<uint8_t> other = rest.vec();
    if (place < other.size()) other[place] ^= change;
    fuzz::MapLimits limits;
    limits.max_points = 500;
    fuzz::Choices first(rest), second(other);
    IndexingMap a = fuzz::GenerateMap(first, context, limits);
    IndexingMap b = simplified ? Simplify(a) : fuzz::GenerateMap(second, context, limits);
    return a.ToString() + "\n\n" + b.ToString() + "\n";
  }

  Outcome Check(const std::string& text) override {
    Context context;
    auto maps = ParseMaps({"pair.txt", text}, context);
    if (!maps) return Finding("the maps do not read back", MessageOf(maps.takeError()));
    if (maps->size() != 2) return {};
    const IndexingMap& a = maps->front();
    const IndexingMap& b = maps->back();
    auto meaning_a = fuzz::Enumerate(a), meaning_b = fuzz::Enumerate(b);
    if (!meaning_a || !meaning_b) return {};
    bool comparable =
        a.dims().size() == b.dims().size() && a.runtime().size() == b.runtime().size();
    std::string difference = fuzz::Difference(*meaning_a, *meaning_b);
    DecideOptions options;
    options.budget.z3_rlimit = 2'000'000;
    options.budget.isl_operations = 500'000;
    options.budget.wall_ms = 600'000;
    for (bool cross_check : {false, true}) {
      options.cross_check = cross_check;
      MapAnswer answer = ProveEqual(a, b, options);
      if (answer.verdict == Verdict::kUnknown) {
        return {Outcome::Kind::kUnknown, CauseOf(answer.reason), answer.reason};
      }
      bool same = answer.verdict == Verdict::kProved;
      if (!comparable || same == difference.empty()) continue;
      return Finding(
          std::string("the engine ") + affirm::Name(answer.engine) + " says " +
              (same ? "equal" : "different"),
          difference.empty() ? "enumeration finds no difference" : "enumerated: " + difference);
    }
    return {};
  }

  std::string Replay(const std::string&) const override { return ""; }
};

}  // namespace

std::unique_ptr<FuzzTarget> MakeMapsTarget(const fuzz::HloLimits&, uint64_t) {
  return std::make_unique<MapsTarget>();
}

std::unique_ptr<FuzzTarget> MakeEquivTarget(const fuzz::HloLimits&, uint64_t) {
  return std::make_unique<EquivTarget>();
}

}  // namespace affirm::cli
