// Rules that are wrong only where constants are large are never proved. The instances are evaluated
// in integers of any size by code of this test, not by the prover's.
#include <gtest/gtest.h>

#include <cstdio>

#include "fuzz/generators/choices.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "tests/rules/random_rules.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/prove.h"

namespace affirm {
namespace {

using Big = llvm::DynamicAPInt;
using Values = std::vector<Big>;
using fuzz::Choices;

// The value of a term; nullopt where there is none.
std::optional<Big> ValueOf(const Term& t, const Values& values) {
  if (t.kind == TermKind::kNumber) return Big(t.number);
  if (t.kind == TermKind::kMetavariable) return values[t.metavariable];
  std::vector<Big> ops;
  for (const Term& op : t.ops) {
    auto v = ValueOf(op, values);
    if (!v) return std::nullopt;
    ops.push_back(*v);
  }
  Big r = ops[0];
  switch (t.kind) {
    case TermKind::kFloorDiv:
    case TermKind::kCeilDiv:
      if (ops[1] == 0) return std::nullopt;
      return t.kind == TermKind::kFloorDiv ? floorDiv(r, ops[1]) : ceilDiv(r, ops[1]);
    case TermKind::kMod:
      if (ops[1] <= 0) return std::nullopt;
      return r - floorDiv(r, ops[1]) * ops[1];
    default:
      break;
  }
  for (size_t i = 1; i < ops.size(); ++i) {
    bool less = ops[i] < r;
    if (t.kind == TermKind::kAdd) r = r + ops[i];
    if (t.kind == TermKind::kMul) r = r * ops[i];
    if ((t.kind == TermKind::kMin && less) || (t.kind == TermKind::kMax && !less)) r = ops[i];
  }
  return r;
}

bool Holds(const BoundPattern& f, const Values& values) {
  auto e = ValueOf(f.expr, values);
  if (!e) return false;
  auto end = [&](const Term& t, bool infinite, bool lower) {
    auto v = infinite ? e : ValueOf(t, values);
    return v && (lower ? *v <= *e : *e <= *v);
  };
  return end(f.lower, f.lower_infinite, true) && end(f.upper, f.upper_infinite, false);
}

bool Holds(const Condition& c, const Values& values) {
  if (c.kind == ConditionKind::kWithin)
    return Holds(BoundPattern{c.lhs, c.lower, c.upper, c.lower_infinite, c.upper_infinite}, values);
  auto a = ValueOf(c.lhs, values), b = ValueOf(c.rhs, values);
  if (!a || !b) return false;
  if (c.kind == ConditionKind::kDivides) return *a != 0 && *b % *a == 0;
  switch (c.op) {
    case CompareOp::kEq:
      return *a == *b;
    case CompareOp::kNe:
      return *a != *b;
    case CompareOp::kLt:
      return *a < *b;
    case CompareOp::kLe:
      return *a <= *b;
    case CompareOp::kGt:
      return *a > *b;
    default:
      return *a >= *b;
  }
}

// Whether the rule is wrong at the instance.
bool Breaks(const Rule& rule, const Values& values) {
  for (const Condition& c : rule.when)
    if (!Holds(c, values)) return false;
  if (!rule.is_constraint_rule) {
    auto left = ValueOf(rule.lhs, values), right = ValueOf(rule.rhs, values);
    return left && left != right;
  }
  auto all = [&](const std::vector<BoundPattern>& facts) {
    for (const BoundPattern& f : facts)
      if (!Holds(f, values)) return false;
    return true;
  };
  for (const BoundPattern& p : rule.premises)
    if (!ValueOf(p.expr, values)) return false;
  return all(rule.premises) != (!rule.concludes_false && all(rule.conclusions));
}

// A rule with its constants pinned, mostly to large ones, and values for its expressions to try.
struct LargeRule {
  std::string text;
  std::vector<std::string> corners;  // terms of constants, near which the rule may go wrong
};

class Generator {
 public:
  explicit Generator(Choices& choices) : choices_(choices) {}

  LargeRule Run() {
    const std::string p = Sum(), q = choices_.OneIn(3) ? Near(p) : Sum();
    std::string text;
    switch (choices_.Below(10)) {
      case 0:
        text = "x + " + p + " => x + " + q + " when ";
        break;
      case 1:
        text = "x floordiv (" + p + ") => x floordiv (" + q + ") when ";
        break;
      case 2:
        text = "x mod (" + p + ") => x when range(x) within [0, " + q + "], ";
        break;
      case 3:
        text = "min(x, y + " + p + ") => x when range(y - x) within [-1 * (" + q + "), inf], ";
        break;
      case 4:
        text = "x in [l, h] => false when l == " + p + ", h == " + q + ", ";
        break;
      case 5:
        text = "x in [l, h] => true when range(x) within [" + p + ", " + q + "], l == " + Near(p) +
               ", h == " + Near(q) + ", ";
        break;
      case 6:
        text = "(" + p + ") * x in [l, h] => x in [l ceildiv (" + q + "), h floordiv (" + p +
               ")] when ";
        break;
      case 7:
        text = "(x + " + p + ") mod m => x mod m when m == " + q + ", ";
        break;
      case 8:
        text = "(x mod (" + p + ")) mod (" + q + ") => x mod (" + q + ") when ";
        break;
      default:
        text =
            "(x floordiv (" + p + ")) floordiv (" + q + ") => x floordiv (" + Near(p) + ") when ";
        break;
    }
    return {"rule r: " + text + Pins() + " why w", {p, q, "(" + p + ") * (" + q + ")"}};
  }

 private:
  std::string Product() {
    static constexpr int64_t kNumbers[] = {2, 3, -1, 4096, 65536, 2147483647, 4294967296};
    std::string text = Name();
    for (uint64_t n = choices_.OneIn(2) ? choices_.Below(4) : choices_.Below(18); n > 0; --n) {
      text += " * " + (choices_.OneIn(6) ? std::to_string(kNumbers[choices_.Below(7)]) : Name());
    }
    return text;
  }
  std::string Sum() {
    std::string text = Product();
    for (uint64_t n = choices_.Below(3); n > 0; --n)
      text += choices_.Pick<const char*>({" + ", " - "}) + Product();
    return choices_.OneIn(3) ? Near(text) : text;
  }
  std::string Near(const std::string& term) {
    return term + choices_.Pick<const char*>({" + 1", " - 1", " + a", " - b", ""});
  }
  std::string Name() { return choices_.Pick<const char*>({"a", "b", "a"}); }

  // Mostly a == .., now and then only a bound.
  std::string Pins() {
    std::string text;
    for (const char* name : {"a", "b"}) {
      if (!text.empty()) text += ", ";
      text += name;
      text += choices_.OneIn(5) ? " >= " : " == ";
      text += std::to_string(Number());
    }
    return text;
  }
  int64_t Number() {
    static constexpr int64_t kLarge[] = {int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 62,
                                         3037000500,       3037000499,       65536,
                                         kInt64Max,        int64_t{1} << 40, 10};
    int64_t v = choices_.OneIn(3) ? choices_.Between(-4, 5)
                                  : kLarge[choices_.Below(9)] - choices_.Between(0, 2);
    return choices_.OneIn(4) ? -v : v;
  }

  Choices& choices_;
};

// An instance that breaks the rule, where one is found: constants at their bounds, expressions near
// the corners.
bool IsBroken(const Rule& rule, const LargeRule& large) {
  Values values(rule.metavariables.size());
  for (int round = 0; round < 2; ++round)
    for (const Condition& c : rule.when)
      if (c.kind == ConditionKind::kCompare)
        if (auto v = ValueOf(c.rhs, values)) values[c.lhs.metavariable] = *v;
  std::vector<Big> tries;
  for (const std::string& corner : large.corners) {
    auto term = ParseRules("rule r: z + " + corner + " => z why w", "corner");
    if (!term) {
      llvm::consumeError(term.takeError());
      continue;
    }
    const Rule& read = term->front();
    Values of_corner(read.metavariables.size());
    for (size_t i = 0; i < read.metavariables.size(); ++i) {
      int metavariable = rule.FindMetavariable(read.metavariables[i].name);
      if (metavariable >= 0) of_corner[i] = values[metavariable];
    }
    if (auto v = ValueOf(read.lhs, of_corner))
      for (int64_t offset : {-1, 0, 1})
        for (const Big& near : {*v + offset, -*v + offset}) tries.push_back(near);
  }
  for (int64_t small : {-1, 0, 1, 5}) tries.push_back(Big(small));
  const int x = rule.FindMetavariable("x"), y = rule.FindMetavariable("y"),
            l = rule.FindMetavariable("l"), h = rule.FindMetavariable("h");
  // Ends that no condition pins.
  const bool free_ends = l >= 0 && rule.is_constraint_rule && !rule.conclusions.empty();
  for (const Big& vx : tries) {
    if (x >= 0) values[x] = vx;
    for (const Big& other : y >= 0 || free_ends ? tries : std::vector<Big>{Big(0)}) {
      if (y >= 0) values[y] = vx + other;
      if (free_ends) values[l] = values[h] = other;
      if (Breaks(rule, values)) return true;
    }
  }
  return false;
}

TEST(LargeRules, RulesThatALargeInstanceRefutesAreNotProved) {
  const int64_t cases = NumCases(100), first = FirstCase();
  int64_t broken = 0, proved = 0, tried = 0;
  for (int64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 13 + 3, 400);
    Choices choices(bytes);
    LargeRule large = Generator(choices).Run();
    auto rules = ParseRules(large.text, "large.rules");
    ASSERT_TRUE(static_cast<bool>(rules)) << large.text << llvm::toString(rules.takeError());
    ++tried;
    Budget budget;
    budget.z3_rlimit = 2'000;
    bool wrong = IsBroken(rules->front(), large);
    // The search would hide what the proof lets pass.
    Verdict verdict = choices.OneIn(32) ? ProveRule(rules->front(), budget).verdict
                                        : ProveWithoutSearch(rules->front(), budget).verdict;
    broken += wrong;
    proved += verdict == Verdict::kProved;
    EXPECT_FALSE(wrong && verdict == Verdict::kProved) << large.text;
  }
  std::printf("%ld rules, %ld broken by an instance, %ld proved\n", static_cast<long>(tried),
              static_cast<long>(broken), static_cast<long>(proved));
  EXPECT_GT(broken * 4, tried);
}

}  // namespace
}  // namespace affirm
