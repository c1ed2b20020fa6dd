// Sizes and preconditions that roundings decide, by execution.
#include <gtest/gtest.h>

#include <string>

#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

// Executed counts as unknown.
Verdict VerdictOf(const std::string& a, const std::string& b, bool rounding = false) {
  EquivalenceOptions options;
  options.rounding = rounding;
  const Verdict verdict = Compare("HloModule a\n" + a, "HloModule b\n" + b, options).verdict;
  return verdict == Verdict::kExecuted ? Verdict::kUnknown : verdict;
}

const std::string kPlain = "e = f32[4] copy(d) ",
                  kRounded = "b = bf16[4] convert(d) e = f32[4] convert(b) ";

// x with a size of `mask` & dot(e, e), which `sizing` gives.
std::string Sized(const std::string& functions, const std::string& factors,
                  const std::string& sizing, const std::string& mask = "3",
                  const std::string& precision = "default") {
  return functions + "ENTRY e { x = f32[4] parameter(0) d = f32[4] parameter(1) " + factors +
         "\nq = f32[] dot(e, e), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
         "operand_precision={" +
         precision + "," + precision + "} i = s32[] convert(q) m = s32[] constant(" + mask +
         ") n = s32[] and(i, m)\n" + sizing + " }\n";
}

const std::string kSetter =
    "f { x = f32[4] parameter(0) n = s32[] parameter(1) ROOT s = f32[<=4] set-dimension-size(x, "
    "n), dimensions={0} }\n";

TEST(DecidedByRoundings, SizesInCalledComputationsMayBeRounded) {
  const std::string branch =
      "f { t = (f32[4], s32[]) parameter(0) x = f32[4] get-tuple-element(t), index=0 n = s32[] "
      "get-tuple-element(t), index=1 ROOT s = f32[<=4] set-dimension-size(x, n), dimensions={0} "
      "}\n";
  const std::string by_branch =
      "t = (f32[4], s32[]) tuple(x, n) p = pred[] parameter(2) ROOT r = f32[<=4] conditional(p, t, "
      "t), true_computation=f, false_computation=f";
  const std::string loop =
      "c { t = (s32[], f32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = "
      "s32[] constant(1) ROOT r = pred[] compare(i, one), direction=LT }\n"
      "f { t = (s32[], f32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 x = "
      "f32[<=4] get-tuple-element(t), index=1 n = s32[] get-tuple-element(t), index=2 one = s32[] "
      "constant(1) j = s32[] add(i, one) z = f32[4] constant({1,2,3,4}) s = f32[<=4] "
      "set-dimension-size(z, n), dimensions={0} ROOT r = (s32[], f32[<=4], s32[]) tuple(j, s, n) "
      "}\n";
  const std::string by_loop =
      "o = s32[] constant(0) two = s32[] constant(2) y = f32[<=4] set-dimension-size(x, two), "
      "dimensions={0} t = (s32[], f32[<=4], s32[]) tuple(o, y, n) w = (s32[], f32[<=4], s32[]) "
      "while(t), condition=c, body=f ROOT r = f32[<=4] get-tuple-element(w), index=1";
  const std::pair<std::string, std::string> callers[] = {
      {"", "ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0}"},
      {kSetter, "ROOT r = f32[<=4] call(x, n), to_apply=f"},
      {kSetter, "ROOT r = f32[<=4] fusion(x, n), kind=kLoop, calls=f"},
      {branch, by_branch},
      {loop, by_loop}};
  for (const auto& [functions, sizing] : callers) {
    const std::string a = Sized(functions, kPlain, sizing);
    EXPECT_EQ(VerdictOf(a, Sized(functions, kRounded, sizing)), Verdict::kUnknown) << sizing;
    // The highest precision rounds nothing.
    EXPECT_EQ(VerdictOf(Sized(functions, kPlain, sizing, "3", "highest"),
                        Sized(functions, kRounded, sizing, "3", "highest")),
              Verdict::kRefuted)
        << sizing;
  }
  // Another size, whatever is rounded.
  const std::string by_call = "ROOT r = f32[<=4] call(x, n), to_apply=f";
  EXPECT_EQ(VerdictOf(Sized(kSetter, kPlain, by_call), Sized(kSetter, kPlain, by_call, "1")),
            Verdict::kRefuted);
}

// A size that the product has no part in.
TEST(DecidedByRoundings, SizesOfIntegersAreNotRounded) {
  const auto sized = [](const std::string& mask) {
    return Sized(kSetter, kPlain,
                 "k = s32[] parameter(2) c = s32[] constant(" + mask +
                     ") l = s32[] and(k, c) b = f32[4] broadcast(q), dimensions={} y = f32[4] "
                     "multiply(x, b) ROOT r = f32[<=4] call(y, l), to_apply=f");
  };
  EXPECT_EQ(VerdictOf(sized("3"), sized("1")), Verdict::kRefuted);
}

// (k * (1/49)) * 49, and (k / 49) * 49, as an integer.
std::string Scaled(bool divides, const std::string& mask, const std::string& result) {
  return Entry(std::string("x = f32[4] parameter(0) k = s8[] parameter(1) f = f32[] convert(k) t = "
                           "f32[] constant(0.0204081633) h = f32[] constant(49)\n") +
               (divides ? "p = f32[] divide(f, h)" : "p = f32[] multiply(f, t)") +
               " q = f32[] multiply(p, h) i = s32[] convert(q) m = s32[] constant(" + mask +
               ") n = s32[] and(i, m)\n" + result);
}

TEST(DecidedByRoundings, SizesAreRoundedWhereEverythingIs) {
  const std::string sized = "ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0}";
  const std::string a = Scaled(false, "3", sized), b = Scaled(true, "3", sized);
  EXPECT_EQ(VerdictOf(a, b, /*rounding=*/true), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(a, b), Verdict::kRefuted);
  EXPECT_EQ(VerdictOf(a, Scaled(true, "1", sized), /*rounding=*/true), Verdict::kRefuted);
}

// Where A is the first module, and B the second one: x at {i, 4} by `reads`, which says that the
// indices ascend or are unique. i is dot(z, 1) as an integer, for z = w * `factor`, of which
// `round` makes e.
std::string Indexed(const std::string& functions, const std::string& round,
                    const std::string& reads, const std::string& factor = "4.999",
                    const std::string& precision = "default") {
  return functions +
         Entry(
             "x = f32[8] parameter(0) k = s8[1] parameter(1) w = f32[1] convert(k) t = f32[1] "
             "constant({" +
             factor + "}) d = f32[1] multiply(w, t)\n" + round +
             " h = f32[1] constant({1}) q = f32[] dot(e, h), lhs_contracting_dims={0}, "
             "rhs_contracting_dims={0}, operand_precision={" +
             precision + "," + precision +
             "} i = s32[] convert(q) l = s32[1] reshape(i) c = s32[1] constant({4}) j = s32[2] "
             "concatenate(l, c), dimensions={0} n = s32[2,1] reshape(j)\n" +
             reads);
}

const std::string kOne = "e = f32[1] copy(d)", kOneRounded =
                                                   "b = bf16[1] convert(d) e = f32[1] "
                                                   "convert(b)";
const std::string kGather =
    "gather(x, n), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1}";

// 4.999 is 5 in bf16, and {5, 4} do not ascend.
TEST(DecidedByRoundings, ARoundedProductMayBreakAPromise) {
  const std::string sorted = kGather + ", indices_are_sorted=true";
  const std::string function =
      "f { x = f32[8] parameter(0) n = s32[2,1] parameter(1) ROOT r = f32[2] " + sorted + " }\n";
  const std::string branch =
      "f { t = (f32[8], s32[2,1]) parameter(0) x = f32[8] get-tuple-element(t), index=0 n = "
      "s32[2,1] get-tuple-element(t), index=1 ROOT r = f32[2] " +
      sorted + " }\n";
  const std::string add =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";
  auto scatter = [](const std::string& promise) {
    return "u = f32[2] constant({1,2}) ROOT r = f32[8] scatter(x, n, u), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, " +
           promise + "=true, to_apply=add";
  };
  const std::pair<std::string, std::string> readers[] = {
      {"", "ROOT r = f32[2] " + sorted},
      {function, "ROOT r = f32[2] call(x, n), to_apply=f"},
      {function, "ROOT r = f32[2] fusion(x, n), kind=kLoop, calls=f"},
      {branch,
       "a = (f32[8], s32[2,1]) tuple(x, n) p = pred[] parameter(2) ROOT r = f32[2] conditional(p, "
       "a, a), true_computation=f, false_computation=f"},
      {add, scatter("indices_are_sorted")},
  };
  for (const auto& [functions, reads] : readers) {
    const std::string rounded = Indexed(functions, kOneRounded, reads);
    EXPECT_EQ(VerdictOf(Indexed(functions, kOne, reads), rounded), Verdict::kUnknown) << reads;
    EXPECT_EQ(VerdictOf(Indexed(functions, kOne, reads, "4.999", "highest"),
                        Indexed(functions, kOneRounded, reads, "4.999", "highest")),
              Verdict::kRefuted)
        << reads;
    // B alone promises it, or A does not round its product.
    std::string plain = Indexed(functions, kOne, reads);
    const std::string promise = ", indices_are_sorted=true";
    plain.erase(plain.find(promise), promise.size());
    EXPECT_EQ(VerdictOf(plain, rounded), Verdict::kRefuted) << reads;
  }
  // 4.999 and 4 are two windows as they are executed, and one in bf16.
  const std::string unique = scatter("unique_indices");
  EXPECT_EQ(
      VerdictOf(Indexed(add, kOne, unique, "3.999"), Indexed(add, kOneRounded, unique, "3.999")),
      Verdict::kUnknown);
}

// Operands that have few bits are not rounded, so that A keeps its promise.
TEST(DecidedByRoundings, ExactProductsKeepPromises) {
  // All elements are one, so that A and B differ where B has no result alone.
  const std::string sorted =
      "one = f32[] constant(1) x1 = f32[8] broadcast(one), dimensions={} ROOT r = f32[2] "
      "gather(x1, n), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}, indices_are_sorted=true";
  EXPECT_EQ(VerdictOf(Indexed("", kOne, sorted, "1"),
                      Indexed("", "o = f32[1] constant({4}) e = f32[1] add(d, o)", sorted, "1")),
            Verdict::kRefuted);
}

// A product decides whether A runs what breaks a promise.
TEST(DecidedByRoundings, BranchesOfProductsMayBreakPromises) {
  const auto branches = [](const std::string& round, const std::string& promise) {
    const std::string sorted =
        " c = s32[2,1] constant({{5},{4}}) ROOT r = f32[2] gather(x, c), offset_dims={}, "
        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}";
    return "f { x = f32[8] parameter(0)" + sorted + promise + " }\ng { x = f32[8] parameter(0)" +
           sorted + " }\n" +
           Indexed("", round,
                   "five = s32[] constant(5) p = pred[] compare(i, five), direction=EQ ROOT r = "
                   "f32[2] conditional(p, x, x), true_computation=f, false_computation=g");
  };
  const std::string sorted = ", indices_are_sorted=true";
  EXPECT_EQ(VerdictOf(branches(kOne, sorted), branches(kOneRounded, sorted)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(branches(kOne, ""), branches(kOneRounded, sorted)), Verdict::kRefuted);
}

// The largest numbers are infinities in bf16, and their difference is NaN.
TEST(DecidedByRoundings, ARoundedProductMayHaveNoOrder) {
  const auto sorted = [](const std::string& type, const std::string& round,
                         const std::string& precision) {
    return "lt { p = f32[] parameter(0) q = f32[] parameter(1) ROOT c = pred[] compare(p, q), "
           "direction=LT, type=" +
           type + " }\n" +
           Entry(
               "k = s8[2] parameter(0) w = f32[2] convert(k) c = f32[] constant(2.677e36) b = "
               "f32[2] broadcast(c), dimensions={} z = f32[2] multiply(w, b) d = f32[2,1] "
               "reshape(z)\n" +
               round +
               " h = f32[1] constant({0.5}) q = f32[2] dot(e, h), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={0}, operand_precision={" +
               precision + "," + precision +
               "} s = f32[2] subtract(q, q) o = f32[1] constant({1}) j = f32[3] concatenate(s, "
               "o), dimensions={0} ROOT r = f32[3] sort(j), dimensions={0}, to_apply=lt");
  };
  const std::string plain = "e = f32[2,1] copy(d)",
                    rounded = "g = bf16[2,1] convert(d) e = f32[2,1] convert(g)";
  EXPECT_EQ(VerdictOf(sorted("FLOAT", plain, "default"), sorted("FLOAT", rounded, "default")),
            Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(sorted("FLOAT", plain, "highest"), sorted("FLOAT", rounded, "highest")),
            Verdict::kRefuted);
  // The total order has a place for NaNs, and B has none.
  EXPECT_EQ(VerdictOf(sorted("TOTALORDER", plain, "default"), sorted("FLOAT", rounded, "default")),
            Verdict::kRefuted);
}

// (k * (1/49)) * 49 as an index, where all roundings are allowed.
TEST(DecidedByRoundings, RoundingsMayBreakPromises) {
  const std::string reads =
      "l = s32[1] reshape(i) c = s32[1] constant({6}) j = s32[2] concatenate(l, c), "
      "dimensions={0} v = s32[2,1] reshape(j) ROOT r = f32[2] gather(x, v), "
      "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}, indices_are_sorted=true";
  const auto read = [&](bool divides) {
    std::string text = Scaled(divides, "3", reads);
    return text.replace(text.find("x = f32[4]"), 10, "x = f32[9]");
  };
  EXPECT_EQ(VerdictOf(read(false), read(true), /*rounding=*/true), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(read(false), read(true)), Verdict::kRefuted);
}

}  // namespace
}  // namespace affirm::driver
