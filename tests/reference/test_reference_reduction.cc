// Reductions and their relatives: reduce, reduce-window, map, scan, sort, topk, select-and-scatter
// and batch-norm.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "tests/reference/run.h"
#include "verify/reference/arguments.h"
#include "verify/reference/scalar_function.h"

namespace affirm::hlo {
namespace {

using P = PrimitiveType;

const std::string kAdd =
    "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n";
const std::string kAddF32 =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
// A function that is neither commutative nor associative, so that every order of the terms shows.
const std::string kMix =
    "mix { a = s32[] parameter(0) b = s32[] parameter(1) three = s32[] constant(3) "
    "t = s32[] multiply(a, three) ROOT r = s32[] add(t, b) }\n";

std::string ReduceText(const std::string& function, const std::vector<int64_t>& dims,
                       const std::vector<int64_t>& out, const std::vector<int64_t>& reduced,
                       const std::string& type = "s32") {
  return "ENTRY e { x = " + type + "[" + Join(dims) + "] parameter(0) i = " + type +
         "[] parameter(1) ROOT r = " + type + "[" + Join(out) + "] reduce(x, i), dimensions={" +
         Join(reduced) + "}, to_apply=" + function + " }";
}

// The interpreter's order: a left fold in row-major order of the reduced dimensions.
RC_GTEST_PROP(Reduce, IsALeftFoldInRowMajorOrder, (int32_t initial)) {
  const std::vector<int64_t> dims =
      *rc::gen::container<std::vector<int64_t>>(3, rc::gen::inRange<int64_t>(0, 5));
  std::vector<int64_t> reduced, kept;
  for (int64_t d = 0; d < 3; ++d) (*rc::gen::arbitrary<bool>() ? reduced : kept).push_back(d);
  std::vector<int64_t> out;
  for (int64_t d : kept) out.push_back(dims[d]);
  const Literal x = Numbered(dims);
  const Literal got = RunHlo(kMix + ReduceText("mix", dims, out, reduced), {x, S32({}, {initial})});
  Literal want(Shape::Array(P::kS32, out));
  for (int64_t i = 0; i < want.NumElements(); ++i) want.SetInt(i, initial);
  for (int64_t a = 0; a < dims[0]; ++a) {
    for (int64_t b = 0; b < dims[1]; ++b) {
      for (int64_t c = 0; c < dims[2]; ++c) {
        const std::vector<int64_t> at = {a, b, c};
        std::vector<int64_t> to;
        for (int64_t d : kept) to.push_back(at[d]);
        const int64_t place = want.Linear(to);
        want.SetInt(place, static_cast<int32_t>(static_cast<uint32_t>(want.GetInt(place)) * 3u +
                                                static_cast<uint32_t>(x.GetInt(x.Linear(at)))));
      }
    }
  }
  RC_ASSERT(got == want);
}

// Terms 1 .. 6 in four slots of two groups.
TEST(Reduce, TakesTermsInAnotherOrder) {
  const std::unique_ptr<Module> module = Parse(kMix + ReduceText("mix", {6}, {}, {0}));
  const std::vector<Literal> arguments = {S32({6}, {1, 2, 3, 4, 5, 6}), S32({}, {100})};
  auto mix = [](int64_t a, int64_t b) { return 3 * a + b; };
  auto in_order = [&](EvaluationOrder order) {
    const EvaluationOrders orders = {{module->entry->root, order}};
    return llvm::cantFail(Interpret(*module->entry, arguments, &orders)).GetInt(0);
  };
  const int64_t slots[] = {mix(1, 5), mix(2, 6), 3, 4};
  EXPECT_EQ(in_order({4, 2}), mix(100, mix(mix(slots[0], slots[1]), mix(slots[2], slots[3]))));
  EXPECT_EQ(in_order({4, 4}), mix(100, mix(mix(slots[0], slots[2]), mix(slots[1], slots[3]))));
  EXPECT_EQ(in_order({4, 1}), in_order({4, 4}));
  EXPECT_EQ(in_order({16, 8}), in_order({16, 16}));  // the second group has no terms
  EXPECT_EQ(in_order({1, 1}), mix(100, mix(mix(mix(mix(mix(1, 2), 3), 4), 5), 6)));
}

// Integers have the same sum in any order, and each term is read once.
RC_GTEST_PROP(Reduce, AnyOrderHasTheSameTerms, ()) {
  const auto rows = *rc::gen::inRange<int64_t>(0, 4), columns = *rc::gen::inRange<int64_t>(0, 40);
  const int64_t slots = int64_t{1} << *rc::gen::inRange(0, 6);
  const int64_t group = std::min(slots, int64_t{1} << *rc::gen::inRange(0, 6));
  const std::unique_ptr<Module> module =
      Parse(kAdd + ReduceText("add", {rows, columns}, {rows}, {1}));
  const Literal x = Numbered({rows, columns}), initial = S32({}, {7});
  const EvaluationOrders orders = {{module->entry->root, {slots, group}}};
  std::vector<std::vector<int64_t>> reads[2];
  Literal results[2];
  for (int ordered : {0, 1}) {
    const ReadObserver observer = [&](const Instruction&, int64_t, int64_t to, int64_t operand,
                                      int64_t, int64_t from) {
      reads[ordered].push_back({to, operand, from});
    };
    const InterpretOptions options{ordered ? &orders : nullptr, nullptr};
    results[ordered] = llvm::cantFail(
        InterpretInstruction(*module->entry->root, {&x, &initial}, &observer, &options));
    llvm::sort(reads[ordered]);
  }
  RC_ASSERT(results[0] == results[1]);
  RC_ASSERT(reads[0] == reads[1]);
}

RC_GTEST_PROP(Reduce, OfAConcatenationIsTheReductionOfTheParts, ()) {
  const int64_t n = *rc::gen::inRange(0, 5), m = *rc::gen::inRange(0, 5);
  const auto shape = [](int64_t k) { return "s32[" + std::to_string(k) + ",3]"; };
  const Literal r = RunHlo(kMix + "ENTRY e { x = " + shape(n) + " parameter(0) y = " + shape(m) +
                               " parameter(1) z = " + shape(n + m) +
                               " concatenate(x, y), dimensions={0} i = s32[] constant(5) "
                               "whole = s32[3] reduce(z, i), dimensions={0}, to_apply=mix "
                               "first = s32[3] reduce(x, i), dimensions={0}, to_apply=mix "
                               "f = s32[1,3] reshape(first) fy = s32[" +
                               std::to_string(m + 1) +
                               ",3] concatenate(f, y), dimensions={0} zero = s32[] constant(0) "
                               "parts = s32[3] reduce(fy, zero), dimensions={0}, to_apply=mix "
                               "ROOT t = (s32[3], s32[3]) tuple(whole, parts) }",
                           {Numbered({n, 3}), Numbered({m, 3})});
  RC_ASSERT(r.tuple()[0] == r.tuple()[1]);
}

// Index of the maximum: two arrays folded together.
TEST(Reduce, Variadic) {
  const Literal r = RunHlo(R"(
    argmax { v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
      keep = pred[] compare(v, w), direction=GE m = f32[] select(keep, v, w)
      k = s32[] select(keep, i, j) ROOT t = (f32[], s32[]) tuple(m, k) }
    ENTRY e { x = f32[2,4] parameter(0) n = s32[2,4] iota(), iota_dimension=1
      low = f32[] constant(-inf) zero = s32[] constant(0)
      ROOT r = (f32[2], s32[2]) reduce(x, n, low, zero), dimensions={1}, to_apply=argmax })",
                           {F32({2, 4}, {1, 5, 5, 2, -3, -1, -2, -1})});
  EXPECT_EQ(FloatValues(r.tuple()[0]), (std::vector<double>{5, -1}));
  EXPECT_EQ(IntValues(r.tuple()[1]), (std::vector<int64_t>{1, 1}));
}

TEST(Reduce, RoundsAfterEveryStep) {
  const std::string text = R"(
    add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
    ENTRY e { x = bf16[4] parameter(0) z = bf16[] constant(256)
      ROOT r = bf16[] reduce(x, z), dimensions={0}, to_apply=add })";
  // 256 + 1 rounds back to 256 in bf16 each time.
  EXPECT_EQ(RunHlo(text, {Floats(P::kBF16, {4}, {1, 1, 1, 1})}).GetFloat(0), 256);
}

// A detour through a transpose keeps a computation from being compiled to steps; the bits must not
// change.
TEST(ScalarFunction, BothWaysGiveTheSameBits) {
  for (const char* op : {"add", "multiply", "maximum", "minimum", "subtract", "power", "atan2"}) {
    for (P type : {P::kF16, P::kBF16, P::kF32, P::kF64, P::kF8E5M2, P::kC64}) {
      if (type == P::kC64 && llvm::StringRef(op).ends_with("imum")) continue;
      const std::string scalar = Name(type).str() + "[]";
      const std::string head =
          "f { a = " + scalar + " parameter(0) b = " + scalar + " parameter(1) ";
      const std::string fast = head + "ROOT r = " + scalar + " " + op + "(a, b) }\n";
      const std::string slow = head + "c = " + scalar +
                               " transpose(a), dimensions={} ROOT r = " + scalar + " " + op +
                               "(c, b) }\n";
      const std::string entry = ReduceText("f", {7, 9}, {7}, {1}, Name(type).str());
      const auto module = Parse(fast + entry);
      const std::vector<Literal> arguments = MakeArguments(*module->entry, 11);
      const Literal quick = RunHlo(fast + entry, arguments),
                    thorough = RunHlo(slow + entry, arguments);
      EXPECT_EQ(quick, thorough) << op << " " << Name(type).str() << quick.ToString()
                                 << thorough.ToString();
      const auto slow_module = Parse(slow + entry);
      const auto compiled = [&](const Module& m) {
        auto function =
            ScalarFunction::Create(*m.entry->root, *m.FindComputation("f"), {type, type}, type);
        return function && function->is_compiled();
      };
      EXPECT_TRUE(compiled(*module));
      EXPECT_FALSE(compiled(*slow_module));
    }
  }
}

// Comparators as passes write them, of the bits of what is compared.
TEST(ScalarFunction, MovesAreCompiled) {
  for (auto [type, bits] : {std::pair{P::kF32, P::kS32},
                            {P::kBF16, P::kU16},
                            {P::kF64, P::kS64},
                            {P::kF8E5M2, P::kS8},
                            {P::kS32, P::kF32}}) {
    const std::string x = Name(type).str() + "[]", y = Name(bits).str() + "[]";
    auto text = [&](const std::string& detour) {
      return "f { a = " + x + " parameter(0) b = " + x + " parameter(1) c = " + x + detour +
             " d = " + x + " copy(c) e = " + y + " bitcast-convert(d) g = " + y +
             " broadcast(e), dimensions={} h = " + y + " add(g, g) i = " + x +
             " bitcast(h) ROOT r = " + x + " maximum(i, b) }\n" +
             ReduceText("f", {7, 9}, {7}, {1}, Name(type).str());
    };
    const std::string quick = text(" reshape(a)"), thorough = text(" transpose(a), dimensions={}");
    const auto module = Parse(quick);
    const std::vector<Literal> arguments = MakeArguments(*module->entry, 3);
    EXPECT_EQ(RunHlo(quick, arguments), RunHlo(thorough, arguments)) << x;
    auto function = ScalarFunction::Create(*module->entry->root, *module->FindComputation("f"),
                                           {type, type}, type);
    EXPECT_TRUE(function && function->is_compiled());
  }
}

TEST(Map, AppliesToEveryElement) {
  const Literal r = RunHlo(kMix +
                               "ENTRY e { x = s32[2,2] parameter(0) y = s32[2,2] parameter(1) "
                               "ROOT r = s32[2,2] map(x, y), dimensions={0,1}, to_apply=mix }",
                           {Numbered({2, 2}), S32({2, 2}, {10, 20, 30, 40})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{10, 23, 36, 49}));
}

// A window over everything is a reduction over everything.
RC_GTEST_PROP(ReduceWindow, WholeWindowIsReduce, ()) {
  const std::vector<int64_t> dims =
      *rc::gen::container<std::vector<int64_t>>(2, rc::gen::inRange<int64_t>(1, 5));
  const std::string size = std::to_string(dims[0]) + "x" + std::to_string(dims[1]);
  const Literal x = Numbered(dims);
  const Literal window = RunHlo(kMix + "ENTRY e { x = " + Text(P::kS32, dims) +
                                    " parameter(0) i = s32[] parameter(1) ROOT r = s32[1,1] "
                                    "reduce-window(x, i), window={size=" +
                                    size + "}, to_apply=mix }",
                                {x, S32({}, {2})});
  const Literal reduce = RunHlo(kMix + ReduceText("mix", dims, {}, {0, 1}), {x, S32({}, {2})});
  RC_ASSERT(IntValues(window) == IntValues(reduce));
}

// Padding and base dilation as a pad beforehand.
RC_GTEST_PROP(ReduceWindow, PaddingAndDilationsAreAPad, ()) {
  const int64_t n = *rc::gen::inRange(1, 7), size = *rc::gen::inRange(1, 4);
  const int64_t stride = *rc::gen::inRange(1, 4), lo = *rc::gen::inRange(0, 4),
                hi = *rc::gen::inRange(0, 4);
  const int64_t base = *rc::gen::inRange(1, 4), spread = *rc::gen::inRange(1, 4);
  const int64_t padded = (n - 1) * base + 1 + lo + hi, extent = (size - 1) * spread + 1;
  RC_PRE(padded >= extent);
  const int64_t places = (padded - extent) / stride + 1;
  const auto s = [](int64_t v) { return std::to_string(v); };
  const Literal x = Numbered({n});
  const Literal direct = RunHlo(
      kAdd + "ENTRY e { x = s32[" + s(n) + "] parameter(0) z = s32[] constant(0) ROOT r = s32[" +
          s(places) + "] reduce-window(x, z), window={size=" + s(size) + " stride=" + s(stride) +
          " pad=" + s(lo) + "_" + s(hi) + " lhs_dilate=" + s(base) + " rhs_dilate=" + s(spread) +
          "}, to_apply=add }",
      {x});
  std::vector<int64_t> line(padded, 0), want;
  for (int64_t i = 0; i < n; ++i) line[lo + i * base] = i;
  for (int64_t p = 0; p < places; ++p) {
    int64_t sum = 0;
    for (int64_t k = 0; k < size; ++k) sum += line[p * stride + k * spread];
    want.push_back(sum);
  }
  RC_ASSERT(IntValues(direct) == want);
}

// Results go on where the one before them is; who asks what is read has each window folded.
TEST(ReduceWindow, CumulativeFoldsAreThoseOfEachWindow) {
  const std::unique_ptr<Module> module = Parse(R"(
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    ENTRY e { x = f32[3,50,2] parameter(0) i = f32[] parameter(1)
      ROOT r = f32[3,50,2] reduce-window(x, i), window={size=1x50x1 pad=0_0x49_0x0_0}, to_apply=sum })");
  ASSERT_NE(module, nullptr);
  const std::vector<Literal> arguments = MakeArguments(*module->entry, 5, ArgumentKind::kRounding);
  const std::vector<const Literal*> operands = {&arguments[0], &arguments[1]};
  int64_t reads = 0;
  const ReadObserver observer = [&](const auto&...) { ++reads; };
  auto fast = Interpret(*module->entry, arguments);
  auto each = InterpretInstruction(*module->entry->root, operands, &observer);
  ASSERT_TRUE(fast && each);
  EXPECT_EQ(*fast, *each);
  EXPECT_GT(reads, 3 * 2 * 50 * 50 / 2);
}

// Folds are taken side by side, but one after the other where reads are observed.
TEST(Reduce, SideBySideIsOneAfterTheOther) {
  const std::string header = R"(
    sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(b, a) }
    least { v = f32[] parameter(0) i = s32[] parameter(1) w = f32[] parameter(2) j = s32[] parameter(3)
      keep = pred[] compare(v, w), direction=LE m = f32[] select(keep, v, w)
      k = s32[] select(keep, i, j) ROOT t = (f32[], s32[]) tuple(m, k) }
    ENTRY e { x = f32[40,30] parameter(0) y = s32[40,30] parameter(1) i = f32[] parameter(2)
      j = s32[] parameter(3) ROOT r = )";
  for (const std::string op :
       {"f32[40] reduce(x, i), dimensions={1}, to_apply=sum",
        "f32[30] reduce(x, i), dimensions={0}, to_apply=sum",
        "f32[] reduce(x, i), dimensions={0,1}, to_apply=sum",
        "(f32[30], s32[30]) reduce(x, y, i, j), dimensions={0}, to_apply=least",
        "f32[38,28] reduce-window(x, i), window={size=3x3}, to_apply=sum",
        "f32[41,15] reduce-window(x, i), window={size=4x3 stride=1x2 pad=2_2x1_0}, to_apply=sum",
        "(f32[40,30], s32[40,30]) reduce-window(x, y, i, j), window={size=3x5 pad=1_1x2_2}, "
        "to_apply=least",
        "f32[36,61] reduce-window(x, i), window={size=3x2 pad=0_0x1_2 lhs_dilate=1x2 "
        "rhs_dilate=2x1}, to_apply=sum"}) {
    const std::unique_ptr<Module> module = Parse(header + op + " }");
    ASSERT_NE(module, nullptr);
    const std::vector<Literal> arguments =
        MakeArguments(*module->entry, 5, ArgumentKind::kRounding);
    std::vector<const Literal*> operands;
    for (const Instruction* operand : module->entry->root->operands)
      operands.push_back(&arguments[operand->parameter_number]);
    const ReadObserver observer = [](const auto&...) {};
    auto fast = Interpret(*module->entry, arguments);
    auto each = InterpretInstruction(*module->entry->root, operands, &observer);
    ASSERT_TRUE(fast && each);
    EXPECT_EQ(*fast, *each) << op;
  }
}

TEST(ReduceWindow, Variadic) {
  const Literal r = RunHlo(R"(
    f { a = s32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = f32[] parameter(3)
      x = s32[] add(a, c) y = f32[] maximum(b, d) ROOT t = (s32[], f32[]) tuple(x, y) }
    ENTRY e { p = s32[4] parameter(0) q = f32[4] parameter(1) z = s32[] constant(0) l = f32[] constant(-inf)
      ROOT r = (s32[2], f32[2]) reduce-window(p, q, z, l), window={size=2 stride=2}, to_apply=f })",
                           {S32({4}, {1, 2, 3, 4}), F32({4}, {1, 0, -2, -1})});
  EXPECT_EQ(IntValues(r.tuple()[0]), (std::vector<int64_t>{3, 7}));
  EXPECT_EQ(FloatValues(r.tuple()[1]), (std::vector<double>{1, -1}));
}

TEST(SelectAndScatter, SourceGoesToTheSelectedElement) {
  const Literal r = RunHlo(R"(
    ge { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
    sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    ENTRY e { x = s32[5] parameter(0) s = s32[3] parameter(1) i = s32[] constant(100)
      ROOT r = s32[5] select-and-scatter(x, s, i), window={size=2 stride=2 pad=0_1}, select=ge, scatter=sum })",
                           {S32({5}, {1, 1, 3, 7, 2}), S32({3}, {1, 2, 3})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{101, 100, 100, 102, 103}));
}

TEST(Scan, RunningValuesAndTheLastCarry) {
  const std::string head = R"(
    step { x = s32[] parameter(0) c = s32[] parameter(1) ten = s32[] constant(10)
      t = s32[] multiply(c, ten) n = s32[] add(t, x) ROOT r = (s32[], s32[]) tuple(n, n) }
    ENTRY e { x = s32[3] parameter(0) i = s32[] parameter(1)
      ROOT r = (s32[3], s32[]) scan(x, i), dimensions={0}, num_carries=1, to_apply=step)";
  const std::vector<Literal> arguments = {S32({3}, {1, 2, 3}), S32({}, {9})};
  const Literal forward = RunHlo(head + " }", arguments);
  EXPECT_EQ(IntValues(forward.tuple()[0]), (std::vector<int64_t>{91, 912, 9123}));
  EXPECT_EQ(forward.tuple()[1].GetInt(0), 9123);
  const Literal backward = RunHlo(head + ", is_reverse=true }", arguments);
  EXPECT_EQ(IntValues(backward.tuple()[0]), (std::vector<int64_t>{9321, 932, 93}));
}

RC_GTEST_PROP(Sort, IsTheStableSort, (const std::vector<int8_t>& keys)) {
  const int64_t n = std::ssize(keys);
  std::vector<int64_t> values(n), order(n);
  for (int64_t i = 0; i < n; ++i) values[i] = keys[i] % 4;
  std::iota(order.begin(), order.end(), 0);
  const std::string s = "s32[" + std::to_string(n) + "]";
  const Literal r = RunHlo(
      "less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] "
      "parameter(3) "
      "ROOT r = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { k = " +
          s + " parameter(0) i = " + s + " iota(), iota_dimension=0 ROOT r = (" + s + ", " + s +
          ") sort(k, i), dimensions={0}, is_stable=true, to_apply=less }",
      {S32({n}, values)});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::pair(values[a], a) < std::pair(values[b], b);
  });
  RC_ASSERT(IntValues(r.tuple()[1]) == order);
  std::sort(values.begin(), values.end());
  RC_ASSERT(IntValues(r.tuple()[0]) == values);
}

TEST(Sort, AlongAMiddleDimension) {
  const Literal r = RunHlo(
      "more { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), "
      "direction=GT }\n"
      "ENTRY e { x = s32[2,3,2] parameter(0) ROOT r = s32[2,3,2] sort(x), dimensions={1}, "
      "to_apply=more }",
      {Numbered({2, 3, 2})});
  EXPECT_EQ(IntValues(r), (std::vector<int64_t>{4, 5, 2, 3, 0, 1, 10, 11, 8, 9, 6, 7}));
}

// HLO leaves the result of such a comparator open, so there is no value.
TEST(Sort, AComparatorThatIsNoOrderGivesNoValue) {
  auto error_of = [](const std::string& comparator, const std::vector<double>& values) {
    const std::string x = "f32[" + std::to_string(values.size()) + "]";
    return RunError("less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] " +
                        comparator + " }\nENTRY e { x = " + x + " parameter(0) ROOT r = " + x +
                        " sort(x), dimensions={0}, to_apply=less }",
                    {F32({std::ssize(values)}, values)});
  };
  const double nan = std::nan("");
  const std::string less = "compare(a, b), direction=LT", total = less + ", type=TOTALORDER";
  const std::vector<std::vector<double>> open = {
      {1, nan, 0}, {nan, 0, 1}, {0, nan, 0, 1}, {2, 1, nan}};
  for (const std::vector<double>& values : open) {
    EXPECT_NE(error_of(less, values).find("no strict weak order"), std::string::npos);
    EXPECT_EQ(error_of(total, values), "");
  }
  // Where all are equal by it, it is one.
  for (const std::vector<double>& values : {std::vector<double>{0, nan, -0.0}, {nan}, {}})
    EXPECT_EQ(error_of(less, values), "");
  EXPECT_NE(error_of("constant(true)", {1, 2, 3}), "");
  EXPECT_NE(error_of("compare(a, b), direction=LE", {1, 2, 2}), "");
}

// Any relation of eight numbers, as the bits of a constant: a row has a result where it is one of
// its elements.
RC_GTEST_PROP(Sort, OrdersAreToldFromOtherRelations, ()) {
  std::vector<int64_t> row = *rc::gen::container<std::vector<int64_t>>(
      *rc::gen::inRange<size_t>(2, 6), rc::gen::inRange<int64_t>(0, 8));
  // Mostly an order that was changed in a few places.
  bool less[8][8];
  const auto keys = *rc::gen::container<std::vector<int64_t>>(8, rc::gen::inRange<int64_t>(0, 4));
  for (size_t a = 0; a < 8; ++a) {
    for (size_t b = 0; b < 8; ++b) less[a][b] = keys[a] < keys[b];
  }
  const auto place = rc::gen::inRange<size_t>(0, row.size());
  const auto changed = *rc::gen::container<std::vector<std::pair<size_t, size_t>>>(
      *rc::gen::inRange<size_t>(0, 3), rc::gen::pair(place, place));
  for (const auto& [i, j] : changed) less[row[i]][row[j]] = !less[row[i]][row[j]];
  std::string table;
  for (const auto& of : less) {
    for (bool is : of) table += (table.empty() ? "" : ",") + std::string(is ? "1" : "0");
  }
  bool is_order = true;
  auto equal = [&](int64_t a, int64_t b) { return !less[a][b] && !less[b][a]; };
  for (int64_t a : row) {
    is_order &= !less[a][a];
    for (int64_t b : row) {
      is_order &= !(less[a][b] && less[b][a]);
      for (int64_t c : row) {
        is_order &= !less[a][b] || !less[b][c] || less[a][c];
        is_order &= !equal(a, b) || !equal(b, c) || equal(a, c);
      }
    }
  }
  const std::string x = "s32[" + std::to_string(row.size()) + "]";
  const std::string error = RunError(
      "less { a = s32[] parameter(0) b = s32[] parameter(1) t = s32[64] constant({" + table +
          "}) e = s32[] constant(8) m = s32[] multiply(a, e) i = s32[] add(m, b) "
          "v = s32[1] dynamic-slice(t, i), dynamic_slice_sizes={1} w = s32[] reshape(v) "
          "z = s32[] constant(0) ROOT r = pred[] compare(w, z), direction=NE }\nENTRY e { x = " +
          x + " parameter(0) ROOT r = " + x +
          " sort(x), dimensions={0}, is_stable=true, to_apply=less }",
      {S32({std::ssize(row)}, row)});
  RC_ASSERT(error.empty() == is_order);
}

// In the total order the two zeros differ, and a NaN is beyond infinity.
TEST(TopK, OrdersFloatsTotally) {
  auto places = [](const char* largest) {
    const std::string text =
        std::string(
            "ENTRY e { x = f32[5] parameter(0) t = (f32[3], s32[3]) topk(x), k=3, largest=") +
        largest + " ROOT p = s32[3] get-tuple-element(t), index=1 }";
    return RunHlo(text, {F32({5}, {0.0, -0.0, 1.0, std::nan(""), -1.0})});
  };
  EXPECT_EQ(places("true"), S32({3}, {3, 2, 0}));
  EXPECT_EQ(places("false"), S32({3}, {4, 1, 0}));
  // The bits of the NaN are the least ones: 0, -128, 1, -1.
  EXPECT_EQ(RunHlo("ENTRY e { b = s8[4] constant({0, -128, 1, -1}) x = f8e4m3fnuz[4] "
                   "bitcast-convert(b) t = (f8e4m3fnuz[2], s32[2]) topk(x), k=2, largest=false "
                   "ROOT p = s32[2] get-tuple-element(t), index=1 }",
                   {}),
            S32({2}, {1, 3}));
}

// In a softmax over the last dimension, rows sum to 1, and adding a constant to a row changes
// little.
TEST(Reduce, Softmax) {
  const std::string text = kAddF32 + R"(
    max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
    ENTRY e { x = f32[2,65,125] parameter(0) low = f32[] constant(-inf) zero = f32[] constant(0)
      m = f32[2,65] reduce(x, low), dimensions={2}, to_apply=max
      mb = f32[2,65,125] broadcast(m), dimensions={0,1} d = f32[2,65,125] subtract(x, mb)
      p = f32[2,65,125] exponential(d) s = f32[2,65] reduce(p, zero), dimensions={2}, to_apply=add
      sb = f32[2,65,125] broadcast(s), dimensions={0,1} q = f32[2,65,125] divide(p, sb)
      ROOT t = f32[2,65] reduce(q, zero), dimensions={2}, to_apply=add })";
  const auto module = Parse(text);
  const auto begin = std::chrono::steady_clock::now();
  const Literal sums = RunHlo(text, MakeArguments(*module->entry, 3));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(sums.NumElements(), 130);
  for (double sum : FloatValues(sums)) EXPECT_NEAR(sum, 1, 1e-5);
  RecordProperty("milliseconds", static_cast<int>(seconds.count() * 1000));
  EXPECT_LT(seconds.count(), 5);
}

// Sums over no elements are 0, although the mean of no elements is not a number.
TEST(BatchNorm, GradientsOfNoElements) {
  Literal none(Shape::Array(PrimitiveType::kF64, {0, 1})),
      one(Shape::Array(PrimitiveType::kF64, {1}));
  one.SetFloat(0, 1);
  const Literal y = RunHlo(
      "ENTRY e { x = f64[0,1] parameter(0) v = f64[1] parameter(1) ROOT r = (f64[0,1], f64[1], "
      "f64[1])"
      " batch-norm-grad(x, v, v, v, x), epsilon=0.001, feature_index=1 }",
      {none, one});
  EXPECT_EQ(y.tuple()[1].GetFloat(0), 0);
  EXPECT_EQ(y.tuple()[2].GetFloat(0), 0);
}

// Epsilon is a float of 32 bits, also for arrays of f64.
TEST(BatchNorm, EpsilonIsSinglePrecision) {
  Literal x(Shape::Array(PrimitiveType::kF64, {2, 1})), one(Shape::Array(PrimitiveType::kF64, {1}));
  x.SetFloat(0, 3);
  x.SetFloat(1, 3);
  one.SetFloat(0, 1);
  const Literal zero(one.shape());
  const Literal y = RunHlo(
      "ENTRY e { x = f64[2,1] parameter(0) s = f64[1] parameter(1) o = f64[1] parameter(2)"
      " m = f64[1] parameter(3) v = f64[1] parameter(4) ROOT r = f64[2,1]"
      " batch-norm-inference(x, s, o, m, v), epsilon=0.001, feature_index=1 }",
      {x, one, zero, zero, zero});
  EXPECT_EQ(y.GetFloat(0), 3 * (1 / std::sqrt(double{0.001f})));
}

}  // namespace
}  // namespace affirm::hlo
