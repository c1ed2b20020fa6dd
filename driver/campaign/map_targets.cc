// The targets `maps` and `equiv`: maps compared with their enumerated sets.
#include "driver/campaign/fuzz_target.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/shell_command.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/map_operations.h"
#include "fuzz/properties/oracle.h"

namespace affirm::driver {
namespace {

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
    if (!map) return FindingIn("the map does not read back", MessageOf(map.takeError()));
    std::string wrong = fuzz::CheckSimplify(*map);
    if (!wrong.empty()) return FindingIn("simplified map", wrong);
    wrong = fuzz::CheckText(*map, context);
    return wrong.empty() ? Outcome{} : FindingIn("text of the map", wrong);
  }

  std::string Replay(const std::string& file) const override {
    return "affirm simplify --trace " + ShellQuoted(file);
  }
};

class EquivTarget : public FuzzTarget {
 public:
  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override {
    Context context;
    auto [a, b] = fuzz::GeneratePair(bytes, context);
    return a.ToString() + "\n\n" + b.ToString() + "\n";
  }

  Outcome Check(const std::string& text) override {
    Context context;
    auto maps = ParseMaps({"pair.txt", text}, context);
    if (!maps) return FindingIn("the maps do not read back", MessageOf(maps.takeError()));
    if (maps->size() != 2) return {};
    const fuzz::OracleCheck check = fuzz::CheckOracle(maps->front(), maps->back());
    switch (check.kind) {
      case fuzz::OracleCheck::Kind::kFine:
        return {};
      case fuzz::OracleCheck::Kind::kUnknown:
        return {Outcome::Kind::kUnknown, BucketOf(check.what), check.detail};
      case fuzz::OracleCheck::Kind::kWrong:
        return FindingIn(check.what, check.detail);
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

}  // namespace affirm::driver
