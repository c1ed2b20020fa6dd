// Generated maps are legal and varied; edits make them simpler and keep them legal.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "fuzz/generators/simplifier_inputs.h"
#include "fuzz/reducer/map_edits.h"
#include "verify/maps/maps.h"

namespace affirm::fuzz {
namespace {

WrittenMap MapOf(uint64_t seed, Context& context, TermLanguage language) {
  const std::vector<uint8_t> bytes = SeededBytes(seed, 1024);
  Choices choices(bytes);
  return GenerateSimplifierInput(choices, context, language);
}

RC_GTEST_PROP(SimplifierInputs, AreLegalAndReadBack, (uint64_t seed, bool all)) {
  Context context;
  std::string text =
      ToString(MapOf(seed, context, all ? TermLanguage::kAll : TermLanguage::kAffine));
  auto read = ParseWrittenMap(text, context);
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(ToString(*read) == text);
  auto map = ParseIndexingMap(text, context);
  RC_ASSERT(static_cast<bool>(map));
}

// Each shape that the generator promises is there among a few hundred maps.
TEST(SimplifierInputs, HaveTheShapesThatSimplifiersBreakOn) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Context context;
    WrittenMap map = MapOf(seed, context, TermLanguage::kAffine);
    for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
      for (const Variable& v : map.of(kind)) {
        if (v.bounds.IsEmpty()) seen.insert("empty bounds");
        if (v.bounds == Interval{0, -1}) seen.insert("size of zero");
        if (v.bounds.upper > INT32_MAX) seen.insert("large bounds");
      }
    }
    if (!map.of(VarKind::kRuntime).empty()) seen.insert("runtime variable");
    auto see = [&](SymbolicExpr root) {
      root.Walk([&](SymbolicExpr e) {
        const bool floordiv = e.kind() == ExprKind::kFloorDiv && e.op(1).IsConstant();
        if (floordiv && e.op(1).value() < 0) seen.insert("negative divisor");
        if (e.kind() == ExprKind::kMul && e.value() < 0) seen.insert("negative factor");
        if (e.kind() == ExprKind::kMul && e.value() > INT32_MAX) seen.insert("large factor");
      });
    };
    for (SymbolicExpr e : map.results) see(e);
    for (size_t i = 0; i < map.constraints.size(); ++i) {
      const Constraint& c = map.constraints[i];
      see(c.expr);
      int variables = 0;
      c.expr.Walk([&](SymbolicExpr e) { variables += e.IsVariable(); });
      if (variables > 1) seen.insert("several variables");
      if (c.expr.HasVariables(VarKind::kRuntime)) seen.insert("runtime constraint");
      if (c.bounds.IsEmpty()) seen.insert("empty constraint");
      if (c.expr.kind() == ExprKind::kMod && c.bounds.upper >= c.expr.op(1).value()) {
        seen.insert("residue out of range");
      }
      if (i > 0 && c.expr == map.constraints[i - 1].expr) seen.insert("the same term twice");
      if (i > 0 && c.expr.kind() == ExprKind::kMod &&
          map.constraints[i - 1].expr.kind() == ExprKind::kMod &&
          !CheckedMul(c.expr.op(1).value(), map.constraints[i - 1].expr.op(1).value())) {
        seen.insert("least common multiple past int64");
      }
    }
  }
  for (const char* shape :
       {"empty bounds", "size of zero", "large bounds", "runtime variable", "negative divisor",
        "negative factor", "large factor", "several variables", "runtime constraint",
        "empty constraint", "residue out of range", "the same term twice",
        "least common multiple past int64"}) {
    EXPECT_TRUE(seen.contains(shape)) << shape;
  }
}

RC_GTEST_PROP(MapEdits, MakeLegalMapsThatAreSimpler, (uint64_t seed, bool all)) {
  Context context;
  WrittenMap map = MapOf(seed, context, all ? TermLanguage::kAll : TermLanguage::kAffine);
  for (const WrittenMap& simpler : SimplerMaps(map, context)) {
    RC_ASSERT(ComplexityOf(simpler) < ComplexityOf(map));
    auto read = ParseWrittenMap(ToString(simpler), context);
    RC_ASSERT(static_cast<bool>(read));
  }
}

// Edits that keep something true of a map end at the smallest one.
TEST(MapEdits, LeadToTheSmallestMap) {
  Context context;
  auto start = ParseWrittenMap(
      "(d0, d1)[s0]{rt0} -> (d1 * 7, ((d0 * 5 + rt0 * 3 - 17) mod 24 + s0) floordiv 6), domain: "
      "d0 in [0, 99], d1 in [0, 9], s0 in [-4, 8], rt0 in [0, 5], d0 + s0 * 2 in [3, 50]",
      context);
  ASSERT_TRUE(static_cast<bool>(start));
  auto has_mod = [](const WrittenMap& map) {
    bool found = false;
    for (SymbolicExpr root : map.results) {
      root.Walk([&](SymbolicExpr e) { found |= e.kind() == ExprKind::kMod; });
    }
    return found;
  };
  WrittenMap best = *start;
  for (bool changed = true; changed;) {
    changed = false;
    for (const WrittenMap& simpler : SimplerMaps(best, context)) {
      if (!has_mod(simpler)) continue;
      best = simpler;
      changed = true;
      break;
    }
  }
  EXPECT_EQ(ToString(best), "(d0) -> (d0 mod 2), domain: d0 in [0, 0]");
}

}  // namespace
}  // namespace affirm::fuzz
