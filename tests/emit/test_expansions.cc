// Ops that are written with other ops: their kernels, one after the other, give what the
// interpreter gives. Cumulative windows, select-and-scatter, random bits, elements of rows.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "emit/plan/expand.h"
#include "tests/emit/kernel_testing.h"
#include "tests/parse_module.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

// The expansion by the interpreter, and its kernels on the emulator, against the op; how many
// kernels there are. 0: the op is not expanded.
int64_t IsTheOp(const std::string& text, hlo::ArgumentKind kind = hlo::ArgumentKind::kSmall) {
  auto module = ParseOrFail(text);
  if (!module) return 0;
  const hlo::Computation& entry = *module->entry;
  const emit::Expansion expansion = emit::Expand(entry);
  if (expansion.module == nullptr) return 0;
  const auto arguments = hlo::MakeArguments(entry, 7, kind);
  auto expected = hlo::Interpret(entry, arguments);
  auto expanded = hlo::Interpret(*expansion.computation, arguments);
  if (!expected || !expanded) {
    ADD_FAILURE() << llvm::toString(expected.takeError()) << llvm::toString(expanded.takeError());
    return 0;
  }
  EXPECT_TRUE(SameValue(*expected, *expanded)) << text;
  return NumKernelsThatMatch(entry, arguments);
}

std::string Cumulative(const std::string& type, const std::string& operation, int64_t size,
                       bool from_start) {
  const std::string shape = type + "[3," + std::to_string(size) + "]";
  const std::string most = std::to_string(size - 1);
  return "f { a = " + type + "[] parameter(0) b = " + type + "[] parameter(1) ROOT r = " + type +
         "[] " + operation + "(a, b) }\nENTRY e { p = " + shape + " parameter(0) init = " + type +
         "[] parameter(1) ROOT r = " + shape + " reduce-window(p, init), window={size=1x" +
         std::to_string(size) + " pad=0_0x" + (from_start ? most + "_0" : "0_" + most) +
         "}, to_apply=f }";
}

TEST(CumulativeWindows, AreTakenInSteps) {
  for (const char* operation : {"add", "multiply", "maximum", "minimum", "and", "xor"}) {
    for (bool from_start : {true, false}) {
      EXPECT_EQ(IsTheOp(Cumulative("s32", operation, 40, from_start)), 3);
    }
  }
  EXPECT_EQ(IsTheOp(Cumulative("f32", "maximum", 33, true)), 3);
  EXPECT_EQ(IsTheOp(Cumulative("pred", "or", 32, false)), 2);
  // As many elements as steps reach, one more, one less.
  for (int64_t size : {63, 64, 65, 100}) IsTheOp(Cumulative("u8", "add", size, true));
  // 2^10 elements take ten steps.
  EXPECT_EQ(IsTheOp(Cumulative("s16", "add", 1000, false)), 4);
}

TEST(CumulativeWindows, OfFewElementsAreNot) {
  EXPECT_EQ(IsTheOp(Cumulative("s32", "add", 31, true)), 0);
}

// Two arrays, each by an operation of its own.
TEST(CumulativeWindows, OfTwoArrays) {
  for (const char* window : {"size=70 pad=69_0", "size=70 pad=0_69"}) {
    EXPECT_EQ(IsTheOp(std::string(R"(both {
      a = s32[] parameter(0) b = u8[] parameter(1) c = s32[] parameter(2) d = u8[] parameter(3)
      f = s32[] add(a, c) g = u8[] maximum(b, d)
      ROOT both = (s32[], u8[]) tuple(f, g) }
    ENTRY e { p = s32[70] parameter(0) q = u8[70] parameter(1) i = s32[] parameter(2)
      j = u8[] parameter(3)
      ROOT r = (s32[70], u8[70]) reduce-window(p, q, i, j), window={)") +
                      window + "}, to_apply=both }"),
              3);
  }
}

// By what is not associative each window is folded in its order.
TEST(CumulativeWindows, OfWhatIsNotAssociativeAreNot) {
  EXPECT_EQ(IsTheOp(Cumulative("s32", "subtract", 40, true)), 0);
  EXPECT_EQ(IsTheOp(Cumulative("f32", "add", 40, true)), 0);
}

// Windows that do not reach the end of the row are no cumulative ones.
TEST(CumulativeWindows, ReachToTheEnd) {
  for (const char* window : {"size=40 pad=38_1", "size=39 pad=38_0", "size=40 pad=39_0 stride=2"}) {
    const std::string result =
        std::string(window).find("stride") != std::string::npos ? "20" : "40";
    EXPECT_EQ(IsTheOp("f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) "
                      "}\nENTRY e { p = s32[40] parameter(0) z = s32[] constant(0) ROOT r = s32[" +
                      result + "] reduce-window(p, z), window={" + window + "}, to_apply=f }"),
              0);
  }
}

std::string SelectAndScatter(const std::string& type, const std::string& operand,
                             const std::string& source, const std::string& window,
                             const std::string& select, const std::string& scatter) {
  return "select { a = " + type + "[] parameter(0) b = " + type +
         "[] parameter(1) ROOT r = pred[] compare(a, b), direction=" + select +
         " }\nscatter { a = " + type + "[] parameter(0) b = " + type +
         "[] parameter(1) ROOT r = " + type + "[] " + scatter + "(a, b) }\nENTRY e { x = " + type +
         "[" + operand + "] parameter(0) s = " + type + "[" + source +
         "] parameter(1) i = " + type + "[] parameter(2) ROOT r = " + type + "[" + operand +
         "] select-and-scatter(x, s, i), window={" + window + "}, select=select, scatter=scatter }";
}

TEST(SelectAndScatter, IsTwoKernels) {
  EXPECT_EQ(IsTheOp(SelectAndScatter("f32", "8,10", "4,5", "size=2x2 stride=2x2", "GE", "add")), 2);
  // Windows that meet, are padded, and leave elements between them.
  EXPECT_EQ(IsTheOp(SelectAndScatter("f32", "9,14", "5,7", "size=3x3 stride=2x2 pad=1_1x0_1", "GE",
                                     "add")),
            2);
  EXPECT_EQ(IsTheOp(SelectAndScatter("s32", "11", "4", "size=2 stride=3", "LE", "add")), 2);
  // The order in which windows send counts.
  EXPECT_EQ(IsTheOp(SelectAndScatter("s32", "12", "10", "size=3", "GT", "subtract")), 2);
  EXPECT_EQ(IsTheOp(SelectAndScatter("bf16", "2,9,3", "2,5,3",
                                     "size=1x3x1 stride=1x2x1 pad=0_0x1_1x0_0", "GE", "add")),
            2);
}

// The comparison says which of equal elements is kept.
TEST(SelectAndScatter, OfElementsThatAreEqual) {
  for (const char* select : {"GE", "GT", "LE", "LT"}) {
    IsTheOp(
        "select { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), "
        "direction=" +
        std::string(select) +
        " }\nscatter { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) "
        "}\nENTRY e { s = s32[4] parameter(0) i = s32[] parameter(1) x = s32[12] constant({1, 2, "
        "2, 5, 5, 5, 3, 1, 3, 0, 0, 0}) ROOT r = s32[12] select-and-scatter(x, s, i), "
        "window={size=3 stride=3}, select=select, scatter=scatter }");
  }
}

std::string RandomBits(int64_t numbers, const std::string& bits, const std::string& algorithm) {
  const std::string state = "u64[" + std::to_string(numbers) + "]";
  return "ENTRY e { s = " + state + " parameter(0) ROOT r = (" + state + ", " + bits +
         ") rng-bit-generator(s), algorithm=" + algorithm + " }";
}

TEST(RandomBits, AreThoseOfTheInterpreter) {
  for (const char* bits :
       {"u32[]", "u32[9]", "s8[3,4]", "u16[5,6]", "u64[5]", "s64[2,3]", "u32[3,5,7]", "u8[1]"}) {
    for (const char* algorithm : {"rng_philox", "rng_default", "rng_three_fry"}) {
      EXPECT_GE(IsTheOp(RandomBits(2, bits, algorithm), hlo::ArgumentKind::kSpecial), 1) << bits;
    }
    EXPECT_GE(IsTheOp(RandomBits(3, bits, "rng_philox"), hlo::ArgumentKind::kSpecial), 1) << bits;
  }
}

// The counter carries into its upper half, in the elements and in the state.
TEST(RandomBits, CarryIntoTheUpperHalf) {
  IsTheOp(
      "ENTRY e { s = u64[3] constant({12345678901234567, 18446744073709551614, "
      "18446744073709551615}) ROOT r = (u64[3], u32[21]) rng-bit-generator(s), "
      "algorithm=rng_philox }");
  IsTheOp(
      "ENTRY e { s = u64[2] constant({12345678901234567, 18446744073709551614}) ROOT r = "
      "(u64[2], u64[21]) rng-bit-generator(s), algorithm=rng_three_fry }");
}

// Runs the op on every kind of arguments, infinities and NaNs among them; returns the number of
// kernels.
int64_t IsTheOpOnAll(const std::string& text) {
  int64_t kernels = 0;
  for (hlo::ArgumentKind kind : {hlo::ArgumentKind::kSmall, hlo::ArgumentKind::kRounding,
                                 hlo::ArgumentKind::kSpecial, hlo::ArgumentKind::kWide}) {
    kernels = IsTheOp(text, kind);
  }
  return kernels;
}

TEST(Transforms, AreProductsWithRoots) {
  for (const char* fft : {"c64[3,8] fft(x), fft_type=FFT, fft_length={8}",
                          "c64[3,7] fft(x), fft_type=IFFT, fft_length={7}",
                          "c128[4,3,5] fft(x), fft_type=FFT, fft_length={3,5}",
                          "c64[4,6] fft(x), fft_type=IFFT, fft_length={4,6}",
                          "c64[2,5] fft(x), fft_type=RFFT, fft_length={8}|f32[2,8]",
                          "c64[3,3] fft(x), fft_type=RFFT, fft_length={3,5}|f32[3,5]",
                          "f32[2,8] fft(x), fft_type=IRFFT, fft_length={8}|c64[2,5]",
                          "f64[4,7] fft(x), fft_type=IRFFT, fft_length={4,7}|c128[4,4]",
                          "c64[2,131] fft(x), fft_type=FFT, fft_length={131}",
                          "f32[2,144] fft(x), fft_type=IRFFT, fft_length={144}|c64[2,73]"}) {
    auto [op, given] = llvm::StringRef(fft).split('|');
    const std::string shape =
        (given.empty() ? op.take_until([](char c) { return c == ' '; }) : given).str();
    EXPECT_GT(IsTheOpOnAll("ENTRY e { x = " + shape + " parameter(0) ROOT r = " + op.str() + " }"),
              0)
        << fft;
  }
  EXPECT_EQ(IsTheOp("ENTRY e { x = c64[5000] parameter(0) ROOT r = c64[5000] fft(x), fft_type=FFT, "
                    "fft_length={5000} }"),
            0);
}

TEST(ScaledDots, AreDotsOfScaledOperands) {
  EXPECT_GT(IsTheOpOnAll("ENTRY e { a = f8e4m3fn[2,64] parameter(0) b = bf16[48,64] parameter(1)\n"
                         "s = f8e8m0fnu[2,2] parameter(2) t = bf16[] parameter(3)\n"
                         "ROOT r = f32[2,48] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={1} }"),
            0);
  EXPECT_GT(
      IsTheOpOnAll("ENTRY e { a = f32[3,4,6] parameter(0) b = f32[3,6,5] parameter(1)\n"
                   "s = f32[3,2,3] parameter(2) t = f32[1,6,5] parameter(3)\n"
                   "ROOT r = bf16[3,4,5] scaled-dot(a, b, s, t), lhs_batch_dims={0}, "
                   "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }"),
      0);
}

// The sizes of groups are small numbers here, some negative, mostly with rows behind the last one.
TEST(RaggedDots, AreADotForEachGroup) {
  for (const char* ragged :
       {"f32[6,5] ragged-dot(a, b, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
        "lhs_ragged_dims={0}, rhs_group_dims={0}|f32[6,4]|f32[3,4,5]|s32[3]",
        "bf16[2,6,5] ragged-dot(a, b, s), lhs_batch_dims={0}, rhs_batch_dims={2}, "
        "lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={1}, "
        "rhs_group_dims={0}|bf16[2,6,4]|bf16[3,4,2,5]|s64[2,3]",
        "f32[3,6,5] ragged-dot(a, b, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
        "lhs_ragged_dims={1}|f32[6,4]|f32[4,5]|s32[3]",
        "f64[2,3,6] ragged-dot(a, b, s), lhs_contracting_dims={2,0}, rhs_contracting_dims={0,2}, "
        "lhs_ragged_dims={0}|f64[5,3,4]|f64[4,6,5]|s32[4,2]",
        "f32[4,6,5] ragged-dot(a, b, s), lhs_batch_dims={0}, rhs_batch_dims={0}, "
        "lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={0}|f32[4,6,3]|"
        "f32[4,3,5]|s32[2]"}) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(ragged).split(parts, '|');
    const std::string text =
        "ENTRY e { a = " + parts[1].str() + " parameter(0) b = " + parts[2].str() +
        " parameter(1) s = " + parts[3].str() + " parameter(2) ROOT r = " + parts[0].str() + " }";
    EXPECT_GT(IsTheOpOnAll(text), 0) << text;
  }
}

TEST(Scans, AreTakenTripByTrip) {
  for (const char* reverse : {"", ", is_reverse=true"}) {
    const std::string text =
        std::string(
            "f { x = s32[4] parameter(0) c = s32[4] parameter(1) d = s32[] parameter(2)\n"
            "b = s32[4] broadcast(d), dimensions={} y = s32[4] subtract(c, x)\n"
            "z = s32[4] multiply(y, b) one = s32[] constant(1) e = s32[] add(d, one)\n"
            "ROOT t = (s32[4], s32[4], s32[]) tuple(z, y, e) }\n"
            "ENTRY e { x = s32[4,19] parameter(0) c = s32[4] parameter(1)\n"
            "d = s32[] parameter(2) ROOT r = (s32[4,19], s32[4], s32[]) scan(x, c, d), "
            "dimensions={1}, num_carries=2, to_apply=f") +
        reverse + " }";
    EXPECT_GT(IsTheOpOnAll(text), 1) << text;
  }
}

// An op at `at`: {row, label}, or the other way round, of x: f32[rows,5].
std::string AtRows(std::string row, const std::string& op, std::string type = "s32",
                   int64_t rows = 3, const std::string& columns = "r1, l1") {
  std::string text =
      R"(sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
    set { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }
    from { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] subtract(a, b) }
    ENTRY e { x = f32[N,5] parameter(0) label = T[N] parameter(1) w = f32[N] parameter(2)
      zero = T[] constant(0) zeros = T[N] broadcast(zero), dimensions={}
      two = T[] constant(2) twos = T[N] broadcast(two), dimensions={}
      half = f32[] constant(0.5) halves = f32[N,5] broadcast(half), dimensions={}
      i = T[N] iota(), iota_dimension=0
      ROW
      r1 = T[N,1] reshape(row) l1 = T[N,1] reshape(label)
      at = T[N,2] concatenate(COLUMNS), dimensions={1}
      OP })";
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"ROW", row},
                                    {"OP", op},
                                    {"COLUMNS", columns},
                                    {"T[", type + "["},
                                    {"[N", "[" + std::to_string(rows)}}) {
    for (size_t k = 0; (k = text.find(name, k)) != std::string::npos; k += value.size())
      text.replace(k, name.size(), value);
  }
  return text;
}

const std::string kTake =
    "ROOT r = f32[N] gather(x, at), offset_dims={}, collapsed_slice_dims={0,1}, "
    "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}";
const std::string kChange =
    "ROOT r = f32[N,5] scatter(halves, at, w), update_window_dims={}, inserted_window_dims={0,1}, "
    "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=";
const std::string kRow = "row = T[N] convert(i)";

TEST(RowElements, AreTakenWhereRowsAreCounted) {
  for (const std::string& op : {kTake, kChange + "sum", kChange + "set", kChange + "from"}) {
    for (const char* type : {"s8", "u8", "s32", "u32", "s64"})
      EXPECT_EQ(IsTheOpOnAll(AtRows(kRow, op, type)), 1) << type << op;
    for (const char* row :
         {"below = pred[N] compare(i, zeros), direction=LT last = T[N] add(i, twos) "
          "row = T[N] select(below, last, i)",
          "row = T[N] constant({0, 1, 2})", "s = s64[N] convert(i) row = T[N] convert(s)"}) {
      EXPECT_EQ(IsTheOpOnAll(AtRows(row, op)), 1) << row;
    }
    EXPECT_EQ(IsTheOpOnAll(AtRows(kRow, op, "s32", 1)), 1);
  }
}

TEST(RowElements, AreNotWhereSomethingElseIsCounted) {
  for (const std::string& op : {kTake, kChange + "sum"}) {
    for (const char* row :
         {"row = T[N] add(i, twos)", "row = T[N] constant({0, 2, 1})",
          "below = pred[N] compare(i, zeros), direction=GE last = T[N] add(i, twos) "
          "row = T[N] select(below, last, i)",
          "below = pred[N] compare(i, twos), direction=LT last = T[N] add(i, twos) "
          "row = T[N] select(below, last, i)",
          "below = pred[N] compare(label, zeros), direction=LT last = T[N] add(i, twos) "
          "row = T[N] select(below, last, i)"}) {
      EXPECT_EQ(IsTheOp(AtRows(row, op)), 0) << row;
    }
    // The place is counted, and not the row.
    EXPECT_EQ(IsTheOp(AtRows(kRow, op, "s32", 3, "l1, r1")), 0);
    // The 257th row is the first again.
    EXPECT_EQ(IsTheOp(AtRows(kRow, op, "u8", 300)), 0);
    EXPECT_EQ(IsTheOp(AtRows(kRow, op, "s8", 200)), 0);
  }
  EXPECT_EQ(IsTheOp(AtRows(kRow, kChange + "sum", "u64")), 0);
}

// A scatter to what is no broadcast need not touch most of it.
TEST(RowElements, AreChangedInPlace) {
  std::string in_place = kChange + "sum";
  in_place.replace(in_place.find("halves"), 6, "x");
  EXPECT_EQ(IsTheOp(AtRows(kRow, in_place)), 0);
}

TEST(FewConditions, AreNoReduction) {
  for (const char* op : {"and", "or"}) {
    for (const char* given : {"p", "both"}) {
      EXPECT_EQ(IsTheOpOnAll(std::string("f { a = pred[] parameter(0) b = pred[] parameter(1) "
                                         "ROOT r = pred[] ") +
                             op +
                             "(a, b) } ENTRY e { p = pred[9,3] parameter(0) x = s32[9,1] "
                             "parameter(1) y = s32[9,2] parameter(2) i = pred[] parameter(3) xy = "
                             "s32[9,3] concatenate(x, y), dimensions={1} limits = s32[9,3] iota(), "
                             "iota_dimension=1 fit = pred[9,3] compare(xy, limits), direction=GT "
                             "both = pred[9,3] and(fit, p) ROOT r = pred[9] reduce(" +
                             given + ", i), dimensions={1}, to_apply=f }"),
                1);
    }
  }
}

}  // namespace
}  // namespace affirm::testing
