// Indices that are known at compile time: constants and iotas behind conversions, tuples, reshapes
// and other ops that move elements replace runtime variables, with the values that the interpreter
// gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "fuzz/properties/observed_reads.h"

namespace affirm {
namespace {

const char* AnyIntType() {
  return *rc::gen::element("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64");
}

// The lines that compute an index, an s8[3]-like array or a scalar at the end, and its name. Every
// value has a decoy next to it, so that a wrong operand shows.
struct Chain {
  std::string lines, last, type;
  int next = 0;
  bool is_scalar = false;

  void Add(const std::string& shape, const std::string& op) {
    last = "v" + std::to_string(next++);
    lines += "  " + last + " = " + shape + " " + op + "\n";
  }
  std::string Shape() const { return type + (is_scalar ? "[]" : "[2]"); }
};

Chain AnyChain() {
  Chain c;
  c.type = *rc::gen::element("s8", "s32", "s64", "u8");
  const int64_t low = c.type == "u8" ? 0 : -9;
  auto number = [&] { return std::to_string(*rc::gen::inRange<int64_t>(low, 12)); };
  c.lines =
      "  decoy = " + c.type + "[2] constant({3, 5})\n  scalar = " + c.type + "[] constant(4)\n";
  c.Add(c.Shape(), "constant({" + number() + ", " + number() + "})");
  for (int steps = *rc::gen::inRange(0, 6); steps > 0; --steps) {
    const std::string was = c.last, shape = c.Shape();
    switch (*rc::gen::inRange(0, 5)) {
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
  RC_ASSERT(folded.maps[0][0].map.runtime().empty());
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
