// Dynamic dimensions: no map and no access relation takes a bound for a size, wherever the dynamic
// dimension comes from, and the interpreter computes what the op does at the actual sizes.
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/reference/interpreter.h"

namespace affirm {
namespace {

struct DynamicModule {
  const char* name;
  const char* text;
  // The instructions, in all computations, that use dynamic sizes; the others do not.
  std::vector<const char*> uses;
  // The ops whose sizes can be followed to the scalars that set them: they have maps.
  std::vector<const char*> has_maps = {};
};

const DynamicModule kModules[] = {
    {"Sum",
     R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1) z = f32[] constant(0)
  s = f32[<=5] set-dimension-size(p, n), dimensions={0}
  ROOT t = f32[] reduce(s, z), dimensions={0}, to_apply=sum })",
     {"s", "t"},
     {"s", "t"}},
    {"ConcatenateAndReverse",
     R"(HloModule m
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1)
  s = f32[<=5] set-dimension-size(p, n), dimensions={0}
  c = f32[<=10] concatenate(s, p), dimensions={0}
  ROOT t = f32[<=10] reverse(c), dimensions={0} })",
     {"s", "c", "t"},
     {"s"}},
    {"TurnedAndSpread",
     R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY e { p = f32[5,3] parameter(0) n = s32[] parameter(1) k = s32[] parameter(2)
  z = f32[] constant(0)
  s = f32[<=5,3] set-dimension-size(p, n), dimensions={0}
  u = f32[<=5,<=3] set-dimension-size(s, k), dimensions={1}
  v = f32[<=5,<=3] reverse(u), dimensions={0,1}
  w = f32[<=3,<=5] transpose(v), dimensions={1,0}
  b = f32[2,<=3,<=5] broadcast(w), dimensions={1,2}
  c = f32[2,<=3,<=5] clamp(z, b, z)
  d = f32[2,<=3,<=5] add(c, b)
  ROOT t = f32[2,<=5] reduce(d, z), dimensions={1}, to_apply=sum })",
     {"s", "u", "v", "w", "b", "c", "d", "t"},
     {"s", "u", "v", "w", "b", "c", "d", "t"}},
    // Sizes that two scalars set are not known to be equal, and those of a parameter are not known.
    {"SizesApart",
     R"(HloModule m
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1) k = s32[] parameter(2) q = f32[<=5] parameter(3)
  s = f32[<=5] set-dimension-size(p, n), dimensions={0}
  u = f32[<=5] set-dimension-size(p, k), dimensions={0}
  a = f32[<=5] add(s, u) b = f32[<=5] add(s, p) c = f32[<=5] add(s, q)
  d = f32[5] negate(s) f = f32[<=5] negate(p)
  ROOT r = f32[<=5] reverse(a), dimensions={0} })",
     {"q", "s", "u", "a", "b", "c", "d", "f", "r"},
     {"s", "u"}},
    {"Parameter",
     R"(HloModule m
ENTRY e { p = f32[<=5,3] parameter(0) ROOT t = f32[3,<=5] transpose(p), dimensions={1,0} })",
     {"p", "t"}},
    // The result of the first op is written as if it were static, and so are those that follow.
    {"WrittenStatic",
     R"(HloModule m
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1)
  s = f32[5] set-dimension-size(p, n), dimensions={0} ROOT t = f32[5] negate(s) })",
     {"s"}},
    {"WrittenStaticOfDynamic",
     R"(HloModule m
ENTRY e { p = f32[<=5] parameter(0) ROOT t = f32[5] reverse(p), dimensions={0} })",
     {"p", "t"}},
    {"WholeSize",
     R"(HloModule m
ENTRY e { p = f32[5] parameter(0) n = s32[] constant(5)
  s = f32[5] set-dimension-size(p, n), dimensions={0} ROOT t = f32[5] negate(s) })",
     {}},
    {"NotTheWholeSize",
     R"(HloModule m
ENTRY e { p = f32[5] parameter(0) n = s32[] constant(4)
  ROOT s = f32[5] set-dimension-size(p, n), dimensions={0} })",
     {"s"}},
    {"TupleLeaves",
     R"(HloModule m
ENTRY e { p = f32[<=5] parameter(0) q = f32[3] parameter(1) t = (f32[<=5], f32[3]) tuple(p, q)
  a = f32[<=5] get-tuple-element(t), index=0 ROOT b = f32[3] get-tuple-element(t), index=1 })",
     {"p", "t", "a", "b"}},
    {"Called",
     R"(HloModule m
f { x = f32[<=5] parameter(0) ROOT y = f32[<=5] negate(x) }
ENTRY e { p = f32[<=5] parameter(0) a = f32[<=5] call(p), to_apply=f
  ROOT b = f32[<=5] fusion(a), kind=kLoop, calls=f })",
     {"x", "y", "p", "a", "b"}},
    {"Loop",
     R"(HloModule m
c { x = (f32[<=5], pred[]) parameter(0) ROOT y = pred[] get-tuple-element(x), index=1 }
b { u = (f32[<=5], pred[]) parameter(0) v = f32[<=5] get-tuple-element(u), index=0
  k = pred[] constant(false) ROOT w = (f32[<=5], pred[]) tuple(v, k) }
ENTRY e { p = f32[<=5] parameter(0) t = pred[] constant(true) s = (f32[<=5], pred[]) tuple(p, t)
  ROOT l = (f32[<=5], pred[]) while(s), condition=c, body=b })",
     {"x", "y", "u", "v", "w", "p", "s", "l"}},
    {"Unbounded",
     R"(HloModule m
ENTRY e { p = f32[?] parameter(0) ROOT t = f32[?] negate(p) })",
     {"p", "t"}},
    {"NoDynamicOperand",
     R"(HloModule m
ENTRY e { p = f32[6] parameter(0) n = s32[] parameter(1) k = s32[] parameter(2)
  d = f32[<=2,<=3] dynamic-reshape(p, n, k) ROOT c = f32[<=6] custom-call(p), custom_call_target="SliceToDynamic" })",
     {"d", "c"}},
    {"HeaderBinding",
     R"(HloModule m, dynamic_parameter_binding={(1, {}) -> (0, {}, 0)}
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1) ROOT t = f32[5] negate(p) })",
     {"p", "n", "t"}},
    {"EmptyHeaderBinding",
     R"(HloModule m, dynamic_parameter_binding={}
ENTRY e { p = f32[5] parameter(0) ROOT t = f32[5] negate(p) })",
     {}},
    {"HeaderLayout",
     R"(HloModule m, entry_computation_layout={(f32[<=5]{0})->f32[5]{0}}
ENTRY e { p = f32[5] parameter(0) ROOT t = f32[5] negate(p) })",
     {"p", "t"}},
    {"HeaderLayoutThatIsShown",
     R"(HloModule m, entry_computation_layout={(f32[<=5]{0}, f32[3]{0})->f32[3]{0}}
ENTRY e { p = f32[<=5] parameter(0) q = f32[3] parameter(1) ROOT t = f32[3] negate(q) })",
     {"p"}},
};

// The reader refuses dynamic_parameter_binding; a program may set it.
std::unique_ptr<hlo::Module> Parse(std::string text) {
  const std::string mark = ", dynamic_parameter_binding=";
  const size_t at = text.find(mark), end = text.find('\n', at);
  const bool has_binding = at != std::string::npos;
  const std::string binding =
      has_binding ? text.substr(at + mark.size(), end - at - mark.size()) : "";
  if (has_binding) text.erase(at, end - at);
  auto module = hlo::ParseModule(text, "text");
  EXPECT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  if (module && has_binding)
    (*module)->extra_attributes.emplace_back("dynamic_parameter_binding", binding);
  return module ? std::move(*module) : nullptr;
}

class DynamicSizes : public testing::TestWithParam<DynamicModule> {};

TEST_P(DynamicSizes, AreSeen) {
  auto module = Parse(GetParam().text);
  ASSERT_TRUE(module);
  for (const auto& computation : module->computations) {
    for (const auto& op : computation->instructions) {
      const bool expected = llvm::is_contained(GetParam().uses, llvm::StringRef(op->name));
      EXPECT_EQ(hlo::UsesDynamicSizes(*op), expected) << op->name;
    }
  }
  EXPECT_EQ(hlo::UsesDynamicSizes(*module->entry), !GetParam().uses.empty());
}

// Whether elements keep their index whatever the sizes are, so that the maps at the bounds give a
// superset of what is read.
bool MayBeCovered(const hlo::Instruction& op) {
  return hlo::IsElementwise(op.opcode) || op.opcode == hlo::Opcode::kBroadcast ||
         op.opcode == hlo::Opcode::kReduce || op.opcode == hlo::Opcode::kReshape ||
         op.opcode == hlo::Opcode::kTranspose;
}

// Whether all maps are unknown, or over-approximate where MayBeCovered says that they may be.
bool MakeNoClaim(const hlo::Instruction& op, const std::vector<std::vector<LabeledMap>>& lists,
                 size_t expected) {
  size_t maps = 0;
  for (const std::vector<LabeledMap>& list : lists) {
    for (const LabeledMap& m : list) {
      const bool covers = MayBeCovered(op) && m.exactness == Exactness::kOverApproximate;
      if (!covers && (m.exactness != Exactness::kUnknown || !m.map.IsUndefined())) return false;
      ++maps;
    }
  }
  return maps >= expected;
}

TEST_P(DynamicSizes, HaveMapsWhereTheyCanBeFollowed) {
  auto module = Parse(GetParam().text);
  ASSERT_TRUE(module);
  Context context;
  for (const auto& computation : module->computations) {
    for (const auto& op : computation->instructions) {
      const bool has_maps = llvm::is_contained(GetParam().has_maps, llvm::StringRef(op->name));
      for (int64_t id = 0; id < NumLeaves(op->shape); ++id) {
        if (!hlo::UsesDynamicSizes(*op, id)) continue;
        InstructionIndexing there = OutputToInput(*op, id, context);
        EXPECT_TRUE(has_maps || MakeNoClaim(*op, there.maps, op->operands.size())) << op->name;
        for (size_t k = 0; k < op->operands.size(); ++k) {
          InstructionIndexing back = InputToOutput(*op, static_cast<int64_t>(k), context);
          EXPECT_TRUE(has_maps || MakeNoClaim(*op, back.maps, 1)) << op->name;
          for (int64_t leaf = 0; leaf < NumLeaves(op->operands[k]->shape); ++leaf) {
            auto relation = AccessRelationOf(*op, id, static_cast<int64_t>(k), context, leaf);
            ASSERT_EQ(relation.has_value(), has_maps) << op->name;
            if (!has_maps) continue;
            ASSERT_EQ(there.maps[k].size(), 1u);
            EXPECT_EQ(there.maps[k][0].exactness, Exactness::kExact);
            for (auto [maps, direction] : {std::pair(there.maps[k], Direction::kOutputToInput),
                                           std::pair(back.maps[id], Direction::kInputToOutput)}) {
              MapProofResult answer = ProveMaps(*relation, maps, direction);
              EXPECT_EQ(answer.verdict, Verdict::kProved)
                  << op->name << ": " << answer.reason << "\n"
                  << maps[0].map.ToString();
              // The map at the bounds is wrong.
              LabeledMap bounds = maps[0];
              bounds.map.SetConstraints({});
              if (bounds.map == maps[0].map) continue;
              EXPECT_EQ(ProveMap(*relation, bounds, direction).verdict, Verdict::kRefuted)
                  << bounds.map.ToString();
            }
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modules, DynamicSizes, testing::ValuesIn(kModules),
                         [](const auto& info) { return std::string(info.param.name); });

// For the size of a parameter, only the bound is known.
TEST(DynamicParameters, AreCoveredWhereElementsKeepTheirIndices) {
  auto module = Parse(R"(HloModule m
ENTRY e { p = f32[<=5] parameter(0) n = f32[<=5] negate(p) r = f32[1,<=5] reshape(n)
  b = f32[1,2,<=5] broadcast(r), dimensions={0,2} v = f32[<=5] reverse(p), dimensions={0}
  q = f32[2,<=5] parameter(1) f = f32[<=10] reshape(q)
  ROOT t = (f32[1,2,<=5], f32[<=5], f32[<=10]) tuple(b, v, f) })");
  ASSERT_TRUE(module);
  Context context;
  for (const char* name : {"n", "r", "b"}) {
    InstructionIndexing maps = OutputToInput(*module->entry->Find(name), 0, context);
    ASSERT_EQ(maps.maps[0].size(), 1u) << name;
    EXPECT_EQ(maps.maps[0][0].exactness, Exactness::kOverApproximate) << name;
    EXPECT_FALSE(maps.maps[0][0].map.IsUndefined()) << name;
  }
  // For these ops the index of the element that is read depends on the size.
  for (const char* name : {"v", "f"}) {
    InstructionIndexing maps = OutputToInput(*module->entry->Find(name), 0, context);
    ASSERT_EQ(maps.maps[0].size(), 1u) << name;
    EXPECT_EQ(maps.maps[0][0].exactness, Exactness::kUnknown) << name;
  }
}

// A leaf of static size is not affected by a dynamic one beside it.
TEST(DynamicLeaves, LeaveOthersAlone) {
  auto module = Parse(R"(HloModule m
ENTRY e { p = f32[<=5] parameter(0) q = f32[3] parameter(1) t = (f32[<=5], f32[3]) tuple(p, q)
  a = f32[<=5] get-tuple-element(t), index=0 ROOT b = f32[3] get-tuple-element(t), index=1 })");
  ASSERT_TRUE(module);
  const hlo::Instruction& element = *module->entry->Find("b");
  Context context;
  InstructionIndexing maps = OutputToInput(element, 0, context);
  ASSERT_EQ(maps.maps[0].size(), 1u);
  EXPECT_EQ(maps.maps[0][0].exactness, Exactness::kExact);
  auto relation = AccessRelationOf(element, 0, 0, context, 1);
  ASSERT_TRUE(relation.has_value());
  EXPECT_EQ(ProveMaps(*relation, maps.maps[0], Direction::kOutputToInput).verdict,
            Verdict::kProved);
}

// Dynamic arrays may occur only between the parameters and the result of a fusion.
TEST(DynamicSizesInside, OfAFusion) {
  auto module = Parse(R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
f { p = f32[5] parameter(0) n = s32[] parameter(1) z = f32[] constant(0)
  s = f32[<=5] set-dimension-size(p, n), dimensions={0}
  ROOT t = f32[] reduce(s, z), dimensions={0}, to_apply=sum }
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1)
  ROOT t = f32[] fusion(p, n), kind=kInput, calls=f })");
  ASSERT_TRUE(module);
  Context context;
  const hlo::Instruction& fusion = *module->entry->root;
  InstructionIndexing maps = OutputToInput(fusion, 0, context);
  ASSERT_EQ(maps.maps[0].size(), 1u);
  EXPECT_EQ(maps.maps[0][0].map.ToString(),
            "()[s0]{rt0, rt1} -> (s0), domain: s0 in [0, 4], rt0 in [0, 5], rt1 in [0, 5], "
            "s0 - rt0 in [-5, -1], s0 - rt1 in [-5, -1]");
  for (const MapProofResult& a : ProveFusion(fusion, 0, maps.maps, context)) {
    EXPECT_EQ(a.verdict, Verdict::kProved) << a.reason;
  }
  // The map that the shapes suggest is wrong, and it is not proved.
  LabeledMap all;
  all.map = llvm::cantFail(ParseIndexingMap("()[s0] -> (s0), domain: s0 in [0, 4]", context));
  all.exactness = Exactness::kExact;
  std::vector<std::vector<LabeledMap>> wrong = maps.maps;
  wrong[0] = {all};
  EXPECT_NE(ProveFusion(fusion, 0, wrong, context)[0].verdict, Verdict::kProved);
  wrong[0].clear();
  EXPECT_NE(ProveFusion(fusion, 0, wrong, context)[0].verdict, Verdict::kProved);
  // Where the size cannot be followed to a scalar, the maps are unknown.
  auto apart = Parse(R"(HloModule m
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
f { p = f32[5] parameter(0) n = s32[] parameter(1) z = f32[] constant(0)
  s = f32[<=5] set-dimension-size(p, n), dimensions={0}
  c = f32[<=10] concatenate(s, p), dimensions={0}
  ROOT t = f32[] reduce(c, z), dimensions={0}, to_apply=sum }
ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1)
  ROOT t = f32[] fusion(p, n), kind=kInput, calls=f })");
  ASSERT_TRUE(apart);
  for (auto claimed : {wrong, {{all}, {}}}) {
    EXPECT_EQ(ProveFusion(*apart->entry->root, 0, claimed, context)[0].verdict, Verdict::kUnknown);
  }
}

// The result of a call that hands a dynamic array through has elements up to its size, not its
// bound.
TEST(DynamicSizesInside, OfACallThatDoesNothing) {
  auto module = Parse(R"(HloModule m
f { ROOT x = f32[<=5] parameter(0) }
ENTRY e { p = f32[<=5] parameter(0) ROOT t = f32[<=5] call(p), to_apply=f })");
  ASSERT_TRUE(module);
  Context context;
  LabeledMap all;
  all.map = llvm::cantFail(ParseIndexingMap("(d0) -> (d0), domain: d0 in [0, 4]", context));
  all.exactness = Exactness::kExact;
  EXPECT_EQ(ProveFusion(*module->entry->root, 0, {{all}}, context)[0].verdict, Verdict::kUnknown);
}

// Where an element of a reversed dynamic array comes from depends on the size, so the value of an
// index that is taken from there is not known.
TEST(DynamicSizesInside, OfAnIndex) {
  for (const char* array : {"c = s32[5] constant({0,1,2,3,4}) n = s32[] constant(2) "
                            "s = s32[<=5] set-dimension-size(c, n), dimensions={0}",
                            "s = s32[<=5] iota(), iota_dimension=0"}) {
    auto module = Parse(std::string("HloModule m\nENTRY e { p = f32[9] parameter(0) ") + array + R"(
  r = s32[<=5] reverse(s), dimensions={0}
  f = s32[1] slice(r), slice={[0:1]}
  i = s32[] reshape(f)
  ROOT d = f32[3] dynamic-slice(p, i), dynamic_slice_sizes={3} })");
    ASSERT_TRUE(module);
    Context context;
    InstructionIndexing maps = OutputToInput(*module->entry->root, 0, context);
    ASSERT_EQ(maps.maps[0].size(), 1u);
    EXPECT_EQ(maps.maps[0][0].map.runtime().size(), 1u);
    auto relation = AccessRelationOf(*module->entry->root, 0, 0, context);
    ASSERT_TRUE(relation.has_value());
    EXPECT_FALSE(relation->runtime_operands[0].known_value);
    LabeledMap folded;
    folded.map =
        llvm::cantFail(ParseIndexingMap("(d0) -> (d0 + 4), domain: d0 in [0, 2]", context));
    folded.exactness = Exactness::kExact;
    EXPECT_NE(ProveMap(*relation, folded, Direction::kOutputToInput).verdict, Verdict::kProved);
  }
}

hlo::Literal Numbers(int64_t count) {
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kS32, {count}));
  for (int64_t i = 0; i < count; ++i) literal.SetInt(i, i + 1);
  return literal;
}

hlo::Literal Scalar(int64_t v) {
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kS32, {}));
  literal.SetInt(0, v);
  return literal;
}

std::string RunDynamic(const std::string& entry, std::vector<hlo::Literal> arguments) {
  auto module = Parse(
      "HloModule m\nsum { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) "
      "}\n"
      "negated { x = s32[<=5] parameter(0) ROOT r = s32[<=5] negate(x) }\n"
      "ENTRY e { p = s32[5] parameter(0) n = s32[] parameter(1) z = s32[] constant(0)\n"
      "  s = s32[<=5] set-dimension-size(p, n), dimensions={0}\n" +
      entry + " }");
  if (!module) return "";
  auto value = hlo::Interpret(*module->entry, arguments);
  return value ? value->ToString() : "error: " + llvm::toString(value.takeError());
}

// Compares each op with itself on static arrays of the actual size.
TEST(DynamicValues, AreThoseOfTheActualSizes) {
  struct Case {
    const char* dynamic;
    const char* fixed;  // on k elements of p, which it calls s
  };
  const Case cases[] = {
      {"ROOT t = s32[] reduce(s, z), dimensions={0}, to_apply=sum",
       "ROOT t = s32[] reduce(s, z), dimensions={0}, to_apply=sum"},
      {"ROOT t = s32[<=5] reverse(s), dimensions={0}",
       "ROOT t = s32[%] reverse(s), dimensions={0}"},
      {"ROOT t = s32[<=10] concatenate(s, p), dimensions={0}",
       "ROOT t = s32[+] concatenate(s, p), dimensions={0}"},
      {"ROOT t = s32[<=5] multiply(s, s)", "ROOT t = s32[%] multiply(s, s)"},
      {"ROOT t = s32[<=5,2] broadcast(s), dimensions={0}",
       "ROOT t = s32[%,2] broadcast(s), dimensions={0}"},
      {"b = s32[<=5,2] broadcast(s), dimensions={0} ROOT t = s32[2,<=5] transpose(b), "
       "dimensions={1,0}",
       "b = s32[%,2] broadcast(s), dimensions={0} ROOT t = s32[2,%] transpose(b), "
       "dimensions={1,0}"},
      {"ROOT t = s32[] dot(s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "ROOT t = s32[] dot(s, s), lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
      {"ROOT t = s32[] get-dimension-size(s), dimensions={0}",
       "ROOT t = s32[] get-dimension-size(s), dimensions={0}"},
      {"u = (s32[<=5], s32[]) tuple(s, n) v = s32[<=5] get-tuple-element(u), index=0 "
       "ROOT t = s32[<=5] call(v), to_apply=negated",
       "ROOT t = s32[%] negate(s)"},
  };
  for (const Case& c : cases) {
    for (int64_t size = 0; size <= 5; ++size) {
      std::string fixed = c.fixed;
      for (auto [mark, number] : {std::pair('%', size), std::pair('+', size + 5)}) {
        for (size_t at; (at = fixed.find(mark)) != std::string::npos;) {
          fixed.replace(at, 1, std::to_string(number));
        }
      }
      const std::string k = std::to_string(size);
      auto module = Parse(
          "HloModule m\nsum { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, "
          "y) }\n"
          "ENTRY e { p = s32[5] parameter(0) z = s32[] constant(0)\n  s = s32[" +
          k + "] slice(p), slice={[0:" + k + "]}\n" + fixed + " }");
      ASSERT_TRUE(module) << fixed;
      auto expected = hlo::Interpret(*module->entry, {Numbers(5)});
      ASSERT_TRUE(static_cast<bool>(expected)) << llvm::toString(expected.takeError());
      EXPECT_EQ(RunDynamic(c.dynamic, {Numbers(5), Scalar(size)}), expected->ToString())
          << c.dynamic << " of size " << size;
    }
  }
  EXPECT_EQ(RunDynamic("ROOT t = s32[] reduce(s, z), dimensions={0}, to_apply=sum",
                       {Numbers(5), Scalar(2)}),
            "3");
}

TEST(DynamicValues, AreRefusedWhereNothingSaysWhatTheyAre) {
  auto error = [](const std::string& entry, int64_t size) {
    return llvm::StringRef(RunDynamic(entry, {Numbers(5), Scalar(size)})).starts_with("error");
  };
  EXPECT_TRUE(error("ROOT t = s32[<=5] copy(s)", 6));
  EXPECT_TRUE(error("ROOT t = s32[<=5] copy(s)", -1));
  EXPECT_FALSE(error("ROOT t = s32[<=5] copy(s)", 3));
  EXPECT_TRUE(error("ROOT t = s32[<=5] add(s, p)", 3));
  EXPECT_FALSE(error("ROOT t = s32[<=5] add(s, p)", 5));
  EXPECT_TRUE(error("ROOT t = s32[5] reverse(s), dimensions={0}", 3));
  EXPECT_TRUE(error("ROOT t = s32[5] set-dimension-size(p, n), dimensions={0}", 3));
  for (const char* op :
       {"ROOT t = s32[<=4] slice(s), slice={[0:4]}", "ROOT t = s32[<=7] pad(s, z), padding=1_1",
        "ROOT t = s32[<=5,1] reshape(s)", "ROOT t = s32[<=5] bitcast(s)",
        "ROOT t = s32[2] dynamic-slice(s, n), dynamic_slice_sizes={2}",
        "ROOT t = s32[<=5] dynamic-update-slice(s, s, z)",
        "ROOT t = s32[<=5] all-reduce(s), to_apply=sum",
        "ROOT t = s32[<=5] reduce-window(s, z), window={size=1}, to_apply=sum"}) {
    EXPECT_TRUE(error(op, 3)) << op;
  }
}

}  // namespace
}  // namespace affirm
