// Features only rule out rules that would not have applied, and rules are found wherever in a table
// they stand.
#include "core/simplify/expr_engine.h"
#include "core/simplify/features.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/simplify.h"
#include "fuzz/generators/choices.h"
#include "fuzz/generators/map_generator.h"
#include "gtest/gtest.h"

namespace affirm {
namespace {

// Tries every built-in rule that matches one expression or fact at everything in a map, whether its
// features are there or not.
class EveryRule {
 public:
  explicit EveryRule(const IndexingMap& map)
      : map_(map), engine_(context(), table_, ranges_), matcher_(context(), ranges_, engine_) {}

  // How many applied.
  int Run() {
    ranges_.Reset(map_);
    engine_.Reset(nullptr, "");
    for (SymbolicExpr result : map_.results()) {
      result.Walk([&](SymbolicExpr e) { At(e); });
    }
    for (size_t i = 0; i < map_.constraints().size(); ++i) {
      ranges_.Reset(map_, i);
      engine_.Reset(nullptr, "");
      AtFact(map_.constraints()[i]);
    }
    return applied_;
  }

 private:
  Context& context() { return *map_.context(); }

  void At(SymbolicExpr e) {
    if (e.IsConstant()) return;
    for (const CompiledRule& rule : table_.compiled()) {
      if (rule.rule->is_constraint_rule || !matcher_.Apply(rule, e)) continue;
      Expect(rule, e, FeaturesOf(e));
    }
  }

  void AtFact(const Constraint& fact) {
    Features features = FeaturesOf(fact.expr) | FeaturesOf(ranges_.Of(fact.expr), fact.bounds);
    for (const CompiledRule& rule : table_.compiled()) {
      if (rule.rule->premises.size() != 1) continue;
      auto holds = [&] { return matcher_.ConditionsHold(); };
      if (matcher_.MatchFact(rule, 0, fact, holds)) Expect(rule, fact.expr, features);
    }
  }

  void Expect(const CompiledRule& rule, SymbolicExpr e, Features features) {
    ++applied_;
    Features required = RequiredBy(rule);
    EXPECT_EQ(required & ~(features | kRangeFeatures), 0u)
        << rule.rule->name << " at " << e.ToString() << " in " << map_.ToString();
    EXPECT_TRUE(RangesShow(required, e, ranges_))
        << rule.rule->name << " at " << e.ToString() << " in " << map_.ToString();
  }

  const IndexingMap& map_;
  const RuleTable& table_ = RuleTable::Builtin();
  RangeAnalysis ranges_;
  ExprEngine engine_;
  Matcher matcher_;
  int applied_ = 0;
};

TEST(Features, ARuleThatAppliesIsNotRuledOut) {
  int applied = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Context context;
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 16 + seed % 140);
    fuzz::Choices choices(bytes);
    fuzz::MapLimits limits;
    limits.extreme = seed % 4 == 3;
    IndexingMap map = fuzz::GenerateMap(choices, context, limits);
    if (map.state() == IndexingMap::State::kNormal) applied += EveryRule(map).Run();
  }
  EXPECT_GT(applied, 1000);
}

TEST(RuleTable, HoldsAnyNumberOfRulesForOneHead) {
  constexpr int kRules = 70;
  std::string text;
  for (int i = 0; i < kRules; ++i) {
    std::string c = std::to_string(1000 + i);
    text += "rule r" + c + ": min(x, " + c + ") => x\n  when range(x) within [0, " + c +
            "]\n  why the smaller of two is the minimum\n";
  }
  auto rules = ParseRules(text, "many.rules");
  ASSERT_TRUE(static_cast<bool>(rules)) << llvm::toString(rules.takeError());
  RuleTable table(std::move(*rules));
  for (int i = 0; i <= kRules; ++i) {
    Context context;
    SymbolicExpr d0 = context.Dim(0), least = d0.Min(context.Constant(1000 + i));
    IndexingMap map = IndexingMap::FromShapes(context, {least}, {50}, {});
    EXPECT_EQ(Simplify(map, table).results()[0], i < kRules ? d0 : least) << i;
  }
}

}  // namespace
}  // namespace affirm
