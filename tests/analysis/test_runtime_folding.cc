// Indices that are known at compile time: constants and iotas behind conversions, bitcasts, tuples,
// reshapes and other ops that move elements replace runtime variables, with the values that the
// interpreter gives. The op semantics, which read such constants on their own, agree.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "fuzz/properties/observed_reads.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

// Pairs of integer types of one width.
constexpr std::pair<const char*, const char*> kTypes[] = {
    {"s4", "u4"}, {"s8", "u8"}, {"s16", "u16"}, {"s32", "u32"}, {"s64", "u64"}};

const char* AnyIntType() {
  const auto& [is_signed, is_unsigned] = kTypes[*rc::gen::inRange(0, 5)];
  return *rc::gen::arbitrary<bool>() ? is_signed : is_unsigned;
}

std::string OtherSign(const std::string& type) {
  return (type[0] == 's' ? "u" : "s") + type.substr(1);
}

// A value of the type, small or at its limits.
std::string AnyValue(const std::string& type) {
  const int bits = std::stoi(type.substr(1));
  const bool is_signed = type[0] == 's';
  const uint64_t largest =
      (is_signed ? (uint64_t{1} << (bits - 1)) : uint64_t{0} - 1) - (is_signed ? 1 : 0);
  const uint64_t last = is_signed ? largest : largest >> (64 - bits);
  const auto near = static_cast<uint64_t>(*rc::gen::inRange(0, 8));
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return std::to_string(last - near);
    case 1:
      return (is_signed ? "-" : "") + std::to_string(near);
    default:
      return std::to_string(near);
  }
}

// The lines that compute an index, an s8[3]-like array or a scalar at the end, and its name. Every
// value has a decoy next to it, so that a wrong operand shows.
struct Chain {
  std::string lines, last, type;
  int next = 0;
  bool is_scalar = false;
  bool is_known = true;  // without floats on the way

  void Add(const std::string& shape, const std::string& op) {
    last = "v" + std::to_string(next++);
    lines += "  " + last + " = " + shape + " " + op + "\n";
  }
  std::string Shape() const { return type + (is_scalar ? "[]" : "[2]"); }
};

Chain AnyChain() {
  Chain c;
  c.type = AnyIntType();
  c.lines =
      "  decoy = " + c.type + "[2] constant({3, 5})\n  scalar = " + c.type + "[] constant(4)\n";
  if (*rc::gen::inRange(0, 4) == 0) {
    c.Add(c.Shape(), "iota(), iota_dimension=0");
  } else {
    c.Add(c.Shape(), "constant({" + AnyValue(c.type) + ", " + AnyValue(c.type) + "})");
  }
  for (int steps = *rc::gen::inRange(0, 6); steps > 0; --steps) {
    const std::string was = c.last, shape = c.Shape();
    switch (*rc::gen::inRange(0, 8)) {
      case 5:
        c.type = OtherSign(c.type);
        c.Add(c.Shape(), "bitcast(" + was + ")");
        break;
      case 6:
        if (c.type != "s32" && c.type != "u32") break;
        c.Add("f32" + c.Shape().substr(3), "bitcast(" + was + ")");
        c.type = OtherSign(c.type);
        c.Add(c.Shape(), "bitcast(" + c.last + ")");
        c.is_known = false;
        break;
      case 7:
        if (!c.is_scalar) break;
        c.Add(c.type + "[2,3]", "broadcast(" + was + "), dimensions={}");
        c.Add(c.type + "[3,2]{0,1}", "bitcast(" + c.last + ")");
        c.Add(c.type + "[2,3]", "transpose(" + c.last + "), dimensions={1,0}");
        c.Add(c.type + "[1,1]", "slice(" + c.last + "), slice={[1:2], [2:3]}");
        c.Add(c.Shape(), "reshape(" + c.last + ")");
        break;
      case 0:
        c.type = AnyIntType();
        c.Add(c.Shape(), "convert(" + was + ")");
        break;
      case 1: {
        const bool first = *rc::gen::arbitrary<bool>();
        const std::string other = c.is_scalar ? "scalar" : "decoy";
        const std::string decoy = c.lines.substr(c.lines.find(other + " = ") + other.size() + 3, 8);
        const std::string decoy_shape = decoy.substr(0, decoy.find(']') + 1);
        c.Add("(" + (first ? shape + ", " + decoy_shape : decoy_shape + ", " + shape) + ")",
              "tuple(" + (first ? was + ", " + other : other + ", " + was) + ")");
        c.Add(shape, "get-tuple-element(" + c.last + "), index=" + (first ? "0" : "1"));
        break;
      }
      case 2:
        if (c.is_scalar) break;
        c.Add(shape, "reverse(" + was + "), dimensions={0}");
        break;
      case 3:
        if (c.is_scalar) break;
        c.Add(c.type + "[1]", std::string("slice(") + was + "), slice={" +
                                  (*rc::gen::arbitrary<bool>() ? "[0:1]}" : "[1:2]}"));
        c.is_scalar = true;
        c.Add(c.Shape(), "reshape(" + c.last + ")");
        break;
      default:
        c.Add(shape, "copy(" + was + ")");
    }
  }
  if (!c.is_scalar) {
    c.Add(c.type + "[1]", "slice(" + c.last + "), slice={[1:2]}");
    c.is_scalar = true;
    c.Add(c.Shape(), "reshape(" + c.last + ")");
  }
  return c;
}

RC_GTEST_PROP(Folding, IsWhatRunningGives, ()) {
  const Chain c = AnyChain();
  const std::string text = "HloModule m\nENTRY e {\n  x = f32[7] parameter(0)\n" + c.lines +
                           "  ROOT r = f32[2] dynamic-slice(x, " + c.last +
                           "), dynamic_slice_sizes={2}\n}\n";
  RC_LOG() << text;
  auto module = hlo::ParseModule(text, "t");
  if (!module) RC_FAIL(llvm::toString(module.takeError()));
  auto run = fuzz::Observe(**module, 1);
  if (!run) RC_FAIL(llvm::toString(run.takeError()));
  int64_t claims = 0;
  for (bool fold : {true, false}) {
    const std::string wrong = fuzz::Disagreement(*run, Direction::kOutputToInput,
                                                 {.exact = true, .fold_runtime = fold}, claims);
    RC_LOG() << wrong;
    RC_ASSERT(wrong.empty());
  }
  Context context;
  const InstructionIndexing folded = OutputToInput(*(*module)->entry->root, 0, context);
  RC_LOG() << folded.maps[0][0].map.ToString();
  RC_ASSERT(folded.maps[0][0].map.runtime().empty() == c.is_known);
  const auto relation = AccessRelationOf(*(*module)->entry->root, 0, 0, context);
  RC_ASSERT(relation.has_value());
  auto verdict = [&](llvm::ArrayRef<LabeledMap> maps) {
    return ProveMaps(*relation, maps, Direction::kOutputToInput).verdict;
  };
  RC_ASSERT(verdict(folded.maps[0]) == Verdict::kProved);
  if (!c.is_known) return;
  std::vector<LabeledMap> moved = folded.maps[0];
  moved[0].map.SetResults({moved[0].map.results()[0] + 1});
  RC_ASSERT(verdict(moved) == Verdict::kRefuted);
}

// A bitcast of a constant to a type that reads its bits as another number.
TEST(Folding, BitcastsReadTheBitsAgain) {
  struct Case {
    const char* constant;
    const char* type;
    const char* map;
  };
  const Case cases[] = {
      {"u32[] constant(4294967295)", "s32[]", "(d0) -> (d0),\ndomain:\nd0 in [0, 1]"},
      {"s32[] constant(-1)", "u32[]", "(d0) -> (d0 + 5),\ndomain:\nd0 in [0, 1]"},
      {"u4[] constant(15)", "s4[]", "(d0) -> (d0),\ndomain:\nd0 in [0, 1]"},
      {"s8[] constant(3)", "u8[]", "(d0) -> (d0 + 3),\ndomain:\nd0 in [0, 1]"},
  };
  for (const Case& c : cases) {
    const std::string text = std::string("HloModule m\nENTRY e { x = f32[7] parameter(0)\nc = ") +
                             c.constant + "\nb = " + c.type +
                             " bitcast(c)\nROOT r = f32[2] dynamic-slice(x, b), "
                             "dynamic_slice_sizes={2} }";
    auto module = hlo::ParseModule(text, "t");
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    Context context;
    auto expected = ParseIndexingMap(c.map, context);
    ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
    EXPECT_EQ(OutputToInput(*(*module)->entry->root, 0, context).maps[0][0].map, *expected) << text;
  }
}

// An iota behind conversions is known as long as every type on the way counts that far.
TEST(Folding, IotasThroughNarrowTypes) {
  for (const bool wide : {true, false}) {
    const std::string text =
        std::string("HloModule m\nENTRY e { x = f32[300] parameter(0)\n") +
        "i = s32[200,1] iota(), iota_dimension=0\nn = " + (wide ? "u8" : "s8") +
        "[200,1] convert(i)\nw = s64[200,1] convert(n)\n" +
        "ROOT r = f32[200] gather(x, w), offset_dims={}, "
        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
        "slice_sizes={1} }";
    auto module = hlo::ParseModule(text, "t");
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    Context context;
    const InstructionIndexing maps = OutputToInput(*(*module)->entry->root, 0, context);
    EXPECT_EQ(maps.maps[0][0].map.runtime().empty(), wide) << maps.maps[0][0].map.ToString();
  }
}

}  // namespace
}  // namespace affirm
