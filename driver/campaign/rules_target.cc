// The target `rules`: what the prover says of mutants of the built-in rules, against what they do.
#include "core/simplify/simplify.h"
#include "driver/campaign/fuzz_target.h"
#include "driver/errors.h"
#include "driver/shell_command.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/enumerated_map.h"
#include "verify/rules/mutants.h"
#include "verify/rules/reduction_order.h"

namespace affirm::driver {
namespace {

constexpr int kMaps = 100;  // that a proved rule is tried on

class RulesTarget : public FuzzTarget {
 public:
  // A rule of the table, or one of its mutants.
  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override {
    fuzz::Choices choices(bytes);
    const std::vector<Rule>& rules = RuleTable::Builtin().rules();
    const Rule& rule = rules[choices.Below(rules.size())];
    std::vector<Mutant> mutants = Mutate(rule);
    uint64_t which = choices.Below(mutants.size() + 1);
    return ToString(which == 0 ? rule : mutants[which - 1].rule) + "\n";
  }

  Outcome Check(const std::string& text) override {
    auto rules = ParseRules(text, "mutant.rules");
    if (!rules) return FindingIn("the rule does not read back", MessageOf(rules.takeError()));
    const Rule& rule = rules->front();
    if (ToString(rule) + "\n" != text)
      return FindingIn("the rule prints differently when read", text);
    Budget budget;
    budget.z3_rlimit = 1'000'000;
    budget.wall_ms = 600'000;
    RuleProofResult verdict = ProveRule(rule, budget);
    // Right, but for reasons that are no part of the theorem.
    const bool is_right = verdict.vacuous || verdict.holds_of_ranges;
    if (verdict.verdict == Verdict::kUnknown && is_right) return {};
    if (verdict.verdict == Verdict::kUnknown) {
      return {Outcome::Kind::kUnknown, BucketOf(verdict.reason), verdict.reason};
    }
    // Only a rule that lowers the reduction order may be run.
    if (verdict.verdict == Verdict::kRefuted || !CheckReductionOrder(rule).lowers) return {};
    return Try(std::move(*rules), text);
  }

  std::string Replay(const std::string& file) const override {
    return "affirm audit " + ShellQuoted(file);
  }
  const char* extension() const override { return "rules"; }

 private:
  static Outcome Try(std::vector<Rule> rules, const std::string& text) {
    RuleTable table(std::move(rules));
    for (int i = 0; i < kMaps; ++i) {
      Context context;
      std::vector<uint8_t> bytes = fuzz::SeededBytes(i, 400);
      fuzz::Choices choices(bytes);
      fuzz::MapLimits limits;
      limits.max_points = 300;
      IndexingMap map = fuzz::GenerateMap(choices, context, limits);
      IndexingMap after = Simplify(map, table);
      if (after == map) continue;
      auto meant = fuzz::Enumerate(map), means = fuzz::Enumerate(after);
      if (!meant || !means) continue;
      std::string difference = fuzz::Difference(*meant, *means);
      if (difference.empty()) continue;
      return FindingIn(
          "a proved rule changes a map",
          text + map.ToString() + " to " + after.ToString() + " differs " + difference);
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<FuzzTarget> MakeRulesTarget(const fuzz::HloLimits&, uint64_t) {
  return std::make_unique<RulesTarget>();
}

}  // namespace affirm::driver
