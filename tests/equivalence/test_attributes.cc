// Attributes that differ between two modules: notes, promises and meanings.
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/attribute_roles.h"
#include "core/hlo/attribute_rules.h"
#include "tests/equivalence/compare_modules.h"

namespace affirm::driver {
namespace {

Verdict VerdictOf(const std::string& a, const std::string& b) {
  return Compare(a, b, {.execute = false}).verdict;
}

TEST(Attributes, EveryAttributeHasARole) {
  for (const llvm::StringRef key : hlo::AttributesOfOps())
    EXPECT_TRUE(hlo::HasRole(key)) << key.str() << " has no row";
  hlo::Instruction op;
  op.opcode = hlo::Opcode::kAdd;
  EXPECT_EQ(hlo::RoleOf(op, "an_attribute_of_the_future"), hlo::AttributeRole::kMeaning);
}

struct Difference {
  const char* says;
  std::string body;  // with %s in the place of the attribute
  const char *a, *b;
  bool equal;
};

TEST(Attributes, MeaningsAreComparedAndNotesAreNot) {
  const std::string call = "x = f32[4] parameter(0) ROOT r = f32[4] custom-call(x), ";
  const std::string mine = call + "custom_call_target=\"my_lib\"%s";
  const std::string send =
      "x = f32[4] parameter(0) t = token[] after-all() s = (f32[4], u32[], token[]) send(x, t), "
      "channel_id=1%s sd = token[] send-done(s), channel_id=1 r = (f32[4], u32[], token[]) "
      "recv(sd), channel_id=1%s rd = (f32[4], token[]) recv-done(r), channel_id=1 "
      "ROOT y = f32[4] get-tuple-element(rd), index=0";
  const std::string permute =
      "x = f32[4] parameter(0) ROOT r = f32[4] collective-permute(x), "
      "source_target_pairs={{0,1}}, channel_id=1%s";
  const std::string shard =
      "x = f32[4] parameter(0) c = f32[4] copy(x)%s ROOT r = f32[2] custom-call(c), "
      "custom_call_target=\"SPMDFullToShardShape\", sharding={manual}";
  const std::string add = "x = f32[4] parameter(0) ROOT r = f32[4] add(x, x)%s";
  const std::string pairs = ", frontend_attributes={_xla_send_recv_source_target_pairs=";
  const std::string forth = pairs + "\"{{0,1}}\"}", back = pairs + "\"{{1,0}}\"}";
  const Difference kDifferences[] = {
      {"the configuration of a call", mine, ", backend_config=\"a\"", ", backend_config=\"b\"",
       false},
      {"its interface", mine, ", api_version=API_VERSION_ORIGINAL",
       ", api_version=API_VERSION_TYPED_FFI", false},
      {"its notes", mine, ", frontend_attributes={k=\"1\"}", ", frontend_attributes={k=\"2\"}",
       false},
      {"its aliases", mine, "", ", output_to_operand_aliasing={{}: (0, {})}", false},
      {"where it comes from", mine, "", ", metadata={op_name=\"f\"}", true},
      {"its target", call + "custom_call_target=%s", "\"f\"", "\"g\"", false},
      {"who sends to whom", send, forth.c_str(), back.c_str(), false},
      {"valid trips of a transfer", permute, "",
       ", frontend_attributes={_xla_send_recv_validation="
       "\"{{0,7}}\"}",
       false},
      {"how a transfer is computed", permute, "", ", backend_config={\"a\":\"b\"}", true},
      {"which part of an array a device has", shard, ", sharding={devices=[2]0,1}",
       ", sharding={devices=[2]1,0}", false},
      {"notes of a sum", add, "", ", frontend_attributes={k=\"1\"}", true},
      {"where a sum is kept", add, "", ", sharding={replicated}", true},
      {"how a sum is computed", add, "", ", backend_config={\"a\":\"b\"}", true},
  };
  for (const Difference& of : kDifferences) {
    auto module = [&](const char* attribute) {
      std::string text = of.body;
      for (size_t at; (at = text.find("%s")) != std::string::npos;) text.replace(at, 2, attribute);
      return "HloModule m\n" + Entry(text);
    };
    EXPECT_EQ(VerdictOf(module(of.a), module(of.a)), Verdict::kProved) << of.says;
    EXPECT_EQ(VerdictOf(module(of.a), module(of.b)) == Verdict::kProved, of.equal) << of.says;
    EXPECT_EQ(VerdictOf(module(of.b), module(of.a)) == Verdict::kProved, of.equal) << of.says;
  }
}

// A device that takes the branch may wait for one that does not.
TEST(Attributes, CollectivesInBranchesMayNotEnd) {
  const auto module = [](const std::string& rest) {
    return "HloModule m, replica_count=2\nadd { a = s32[] parameter(0) b = s32[] parameter(1) "
           "ROOT r = s32[] add(a, b) }\nb0 { p = s32[] parameter(0) ROOT r = s32[] all-reduce(p), "
           "replica_groups={}, to_apply=add }\nb1 { ROOT p = s32[] parameter(0) }\n" +
           Entry("x = s32[] parameter(0) p = pred[] parameter(1)\n" + rest +
                 " ROOT r = s32[] negate(x)");
  };
  const std::string branch =
      "c = s32[] conditional(p, x, x), true_computation=b0, false_computation=b1";
  EXPECT_EQ(VerdictOf(module(""), module(branch)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(module(branch), module(branch)), Verdict::kProved);
  EXPECT_EQ(VerdictOf(module(branch), module("")), Verdict::kProved);
}

// The short form of an asynchronous call has its configuration once, for the call too.
TEST(Attributes, AsynchronousCallsHaveTheirConfiguration) {
  const auto started = [](const std::string& attributes) {
    return "HloModule m\n" +
           Entry(
               "x = f32[4] parameter(0) s = ((f32[4]), f32[4], s32[]) custom-call-start(x), "
               "custom_call_target=\"foo\"" +
               attributes + " ROOT d = f32[4] custom-call-done(s)");
  };
  for (const char* key : {", backend_config=\"%\"", ", frontend_attributes={mode=\"%\"}",
                          ", sharding={devices=[2]%,1}"}) {
    const auto with = [&](char of) {
      std::string text = key;
      text[text.find('%')] = of;
      return started(text);
    };
    EXPECT_EQ(VerdictOf(with('0'), with('0')), Verdict::kProved) << key;
    EXPECT_EQ(VerdictOf(with('0'), with('1')), Verdict::kUnknown) << key;
  }
}

TEST(Attributes, CountsOfDevicesCountWhereValuesDependOnThem) {
  auto module = [](const std::string& header, const std::string& body) {
    return "HloModule m" + header + "\n" + kCombiners + Entry(body);
  };
  const std::string reduced =
      "x = f32[4] parameter(0) ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=sum";
  const std::string number = "ROOT r = u32[] partition-id()";
  const std::string alone = "x = f32[4] parameter(0) ROOT r = f32[4] negate(x)";
  const char *two = ", replica_count=2", *four = ", replica_count=4", *parts = ", num_partitions=2";
  EXPECT_EQ(VerdictOf(module(two, reduced), module(two, reduced)), Verdict::kProved);
  EXPECT_EQ(VerdictOf(module(two, reduced), module(four, reduced)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(module("", number), module(parts, number)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(module(two, alone), module(four, alone)), Verdict::kProved);
}

// XLA runs as many trips as are claimed. A claim that the condition bears out says nothing more.
TEST(Attributes, ClaimsOfTripsAreProvedOrCompared) {
  auto loop = [](const std::string& claim, const std::string& limit = "3") {
    return R"(HloModule m
c { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant()" +
           limit + R"() ROOT r = pred[] compare(i, n), direction=LT }
b { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 o = s32[] constant(1)
  j = s32[] add(i, o) x = f32[] get-tuple-element(p), index=1 y = f32[] add(x, x)
  ROOT t = (s32[], f32[]) tuple(j, y) }
)" +
           Entry(
               "x = f32[] parameter(0) z = s32[] constant(0) t = (s32[], f32[]) tuple(z, x) "
               "w = (s32[], f32[]) while(t), condition=c, body=b" +
               (claim.empty() ? "" : ", backend_config={" + claim + "}") +
               " ROOT r = f32[] get-tuple-element(w), index=1");
  };
  const std::string three = R"("known_trip_count":{"n":"3"})",
                    five = R"("known_trip_count":{"n":"5"})";
  const std::string steps = R"(,"known_init_step":{"init":"0","step":"1"},)"
                            R"("known_induction_variable":{"tuple_index":"0"})",
                    wrong = R"(,"known_init_step":{"init":"1","step":"1"},)"
                            R"("known_induction_variable":{"tuple_index":"0"})";
  EXPECT_EQ(VerdictOf(loop(""), loop(three)), Verdict::kProved);
  EXPECT_EQ(VerdictOf(loop(three), loop("")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(loop(""), loop(three + steps)), Verdict::kProved);
  EXPECT_EQ(VerdictOf(loop(""), loop(three + wrong)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(loop(""), loop(five)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(loop(five), loop("")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(loop(three), loop(five)), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(loop(five), loop(five)), Verdict::kProved);
  // A loop in a computation that one instruction calls starts from what it is given.
  auto called = [&](const std::string& claim) {
    std::string text = loop(claim);
    text.replace(text.find("ENTRY e {"), 9, "f {");
    text.replace(text.find("z = s32[] constant(0)"), 21, "z = s32[] parameter(1)");
    return text + Entry(
                      "x = f32[] parameter(0) o = s32[] constant(0) "
                      "ROOT r = f32[] call(x, o), to_apply=f");
  };
  EXPECT_EQ(VerdictOf(called(""), called(three)), Verdict::kProved);
  EXPECT_EQ(VerdictOf(called(""), called(five)), Verdict::kUnknown);
  // With five trips either way the condition need not be asked, but it is compared.
  EXPECT_EQ(VerdictOf(loop(five), loop(five, "4")), Verdict::kUnknown);
}

// Each scatter makes its own promise; so does one in a loop.
TEST(Attributes, PromisesAreMadeByEachInstruction) {
  auto scatters = [](const std::string& first, const std::string& second) {
    const std::string of =
        ", to_apply=sum, update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1";
    return "HloModule m\n" + std::string(kCombiners) +
           Entry(
               "x = f32[4] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) "
               "c = s32[3,1] constant({{0},{1},{2}}) y = f32[4] scatter(x, c, u)" +
               of + first + " ROOT z = f32[4] scatter(y, i, u)" + of + second);
  };
  auto two = [](const std::string& first, const std::string& second) {
    const std::string of =
        ", to_apply=sum, update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1";
    return "HloModule m\n" + std::string(kCombiners) +
           Entry(
               "x = f32[4] parameter(0) i = s32[3,1] parameter(1) j = s32[3,1] parameter(2) "
               "u = f32[3] parameter(3) y = f32[4] scatter(x, i, u)" +
               of + first + " z = f32[4] scatter(x, j, u)" + of + second +
               " ROOT s = f32[4] add(y, z)");
  };
  const std::string unique = ", unique_indices=true", sorted = ", indices_are_sorted=true";
  for (const std::string& promise : {unique, sorted}) {
    EXPECT_NE(Compare(scatters(promise, ""), scatters(promise, promise)).verdict, Verdict::kProved);
    EXPECT_EQ(Compare(scatters(promise, ""), scatters(promise, "")).verdict, Verdict::kProved);
    // A pass may take a promise away, and make one that constants keep.
    EXPECT_EQ(Compare(scatters(promise, promise), scatters(promise, "")).verdict, Verdict::kProved);
    EXPECT_EQ(Compare(scatters("", promise), scatters(promise, promise)).verdict, Verdict::kProved);
    // Two scatters at indices that no constant gives.
    EXPECT_NE(Compare(two("", promise), two(promise, promise)).verdict, Verdict::kProved);
    EXPECT_EQ(Compare(two(promise, promise), two(promise, promise)).verdict, Verdict::kProved);
  }
}

TEST(Attributes, PromisesInLoopsAreMatchedThere) {
  auto loop = [](const std::string& promise, const std::string& value) {
    return R"(HloModule m
c { p = (s32[], f32[4], s32[3,1]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }
)" + std::string(kCombiners) +
           R"(b { p = (s32[], f32[4], s32[3,1]) parameter(0) i = s32[] get-tuple-element(p), index=0
  o = s32[] constant(1) j = s32[] add(i, o) x = f32[4] get-tuple-element(p), index=1
  k = s32[3,1] get-tuple-element(p), index=2 f = f32[] constant(2)
  u = f32[3] broadcast(f), dimensions={} v = f32[3] )" +
           value + R"(
  y = f32[4] scatter(x, k, v), to_apply=sum, update_window_dims={}, inserted_window_dims={0}, )" +
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1" + promise +
           " ROOT t = (s32[], f32[4], s32[3,1]) tuple(j, y, k) }\n" +
           Entry(
               "x = f32[4] parameter(0) k = s32[3,1] parameter(1) z = s32[] constant(0) "
               "t = (s32[], f32[4], s32[3,1]) tuple(z, x, k) "
               "w = (s32[], f32[4], s32[3,1]) while(t), condition=c, body=b "
               "ROOT r = f32[4] get-tuple-element(w), index=1");
  };
  const std::string unique = ", unique_indices=true";
  EXPECT_EQ(VerdictOf(loop(unique, "copy(u)"), loop(unique, "copy(u)")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(loop("", "copy(u)"), loop(unique, "copy(u)")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(loop(unique, "copy(u)"), loop(unique, "add(u, u)")), Verdict::kUnknown);
  // The same values otherwise written, and the same promise.
  EXPECT_EQ(VerdictOf(loop(unique, "copy(u)"), loop(unique, "reverse(u), dimensions={0}")),
            Verdict::kProved);
}

TEST(Attributes, ProductsMayNotRoundMoreThanBefore) {
  auto module = [](const std::string& precision) {
    return Entry(
        "x = f32[4,4] parameter(0) y = f32[4,4] parameter(1) ROOT r = f32[4,4] dot(x, y), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
        (precision.empty() ? "" : ", operand_precision={" + precision + "}"));
  };
  const std::string highest = module("highest,highest"), high = module("highest,high");
  EXPECT_EQ(VerdictOf(highest, highest), Verdict::kProved);
  EXPECT_EQ(VerdictOf(module(""), highest), Verdict::kProved);
  EXPECT_EQ(VerdictOf(highest, module("")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(highest, high), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(high, module("default,highest")), Verdict::kUnknown);
}

// Each product of B stands for one of A: that another one may round is no licence.
TEST(Attributes, ProductsMayNotSwapTheirPrecisions) {
  auto module = [](const std::string& first, const std::string& second, const std::string& x) {
    const std::string dims = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
    return Entry(
        "x = f32[4,4] parameter(0) y = f32[4,4] parameter(1) n = f32[4,4] negate(x) "
        "m = f32[4,4] negate(n) a = f32[4,4] dot(" +
        x + ", y)" + dims + ", operand_precision={" + first + "," + first +
        "} b = f32[4,4] dot(y, x)" + dims + ", operand_precision={" + second + "," + second +
        "} ROOT r = f32[4,4] subtract(a, b)");
  };
  const std::string mixed = module("default", "highest", "x");
  EXPECT_EQ(VerdictOf(mixed, mixed), Verdict::kProved);
  EXPECT_EQ(VerdictOf(mixed, module("default", "highest", "m")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(mixed, module("highest", "highest", "x")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(mixed, module("highest", "default", "x")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(mixed, module("default", "default", "x")), Verdict::kUnknown);
}

// Products of x [4,8] and y [8,4]: `dot` may round its operands, `sums` multiplies f32 and adds up.
std::string Products(const std::string& body) {
  return std::string(kCombiners) +
         Entry(
             "x = f32[4,8] parameter(0) y = f32[8,4] parameter(1) "
             "u = f32[4,8,4] broadcast(x), dimensions={0,1} "
             "v = f32[4,8,4] broadcast(y), dimensions={1,2} m = f32[4,8,4] multiply(u, v) "
             "z = f32[] constant(0) "
             "sums = f32[4,4] reduce(m, z), dimensions={1}, to_apply=sum " +
             body);
}
constexpr char kDims[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";

TEST(Attributes, ProductMayNotRoundWhatWasMultipliedElementByElement) {
  const std::string sums = Products("ROOT r = f32[4,4] copy(sums)");
  const std::string dot = Products(std::string("ROOT r = f32[4,4] dot(x, y)") + kDims);
  EXPECT_EQ(VerdictOf(sums, dot), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(dot, sums), Verdict::kProved);
  const std::string highest =
      dot.substr(0, dot.rfind("\n}")) + ", operand_precision={highest,highest}\n}\n";
  EXPECT_EQ(VerdictOf(sums, highest), Verdict::kProved);
  EXPECT_EQ(VerdictOf(dot, highest), Verdict::kProved);
  const std::string convolution = Products(
      "a = f32[4,8] copy(x) b = f32[8,4] copy(y) "
      "ROOT r = f32[4,4] convolution(a, b), dim_labels=bf_io->bf");
  EXPECT_EQ(VerdictOf(sums, convolution), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(dot, convolution), Verdict::kProved);
}

// A product that rounds elsewhere in A, even the same one, is no licence.
TEST(Attributes, EachResultMayRoundAsThatOfTheOtherModule) {
  const std::string d = std::string("d = f32[4,4] dot(x, y)") + kDims;
  auto both = [&](const std::string& first, const std::string& second) {
    return Products(d + " ROOT t = (f32[4,4], f32[4,4]) tuple(" + first + ", " + second + ")");
  };
  EXPECT_EQ(VerdictOf(both("d", "sums"), both("d", "d")), Verdict::kUnknown);
  EXPECT_EQ(VerdictOf(both("d", "d"), both("d", "d")), Verdict::kProved);
  // One of two products is written out.
  auto two = [&](const std::string& second) {
    return Products(d + " n = f32[4,8] negate(x) p = f32[4,4] dot(n, y)" + kDims +
                    " q = f32[4,4] negate(sums) ROOT t = (f32[4,4], f32[4,4]) tuple(d, " + second +
                    ")");
  };
  EXPECT_EQ(VerdictOf(two("p"), two("p")), Verdict::kProved);
  EXPECT_EQ(VerdictOf(two("q"), two("p")), Verdict::kUnknown);
}

// A result that is not proved says nothing about the roundings of others.
TEST(Attributes, ProvedResultsMayNotRoundMoreBesideOthers) {
  const std::string d = std::string("d = f32[4,4] dot(x, y)") + kDims;
  auto promise = [&](const std::string& of_a, const std::string& of_b) {
    auto three = [&](const std::string& results) {
      return Products(d + " n = f32[4,4] negate(d) k = f32[4,4] abs(d) ROOT t = " +
                      "(f32[4,4], f32[4,4], f32[4,4]) tuple(" + results + ")");
    };
    const ModuleEquivalence of = Compare(three(of_a), three(of_b), {.execute = false});
    EXPECT_EQ(of.verdict, Verdict::kUnknown);
    return of.promise;
  };
  EXPECT_EQ(promise("d, d, n", "d, d, k"), "");
  EXPECT_EQ(promise("n, d, d", "k, d, d"), "");
  EXPECT_EQ(promise("n, d, sums", "k, d, sums"), "");
  EXPECT_NE(promise("sums, sums, n", "d, d, k"), "");
  EXPECT_NE(promise("n, sums, sums", "k, d, d"), "");
}

// A product in another form rounds the same operands.
TEST(Attributes, TransposedProductRoundsAsBefore) {
  const std::string dot = Products(std::string("ROOT r = f32[4,4] dot(x, y)") + kDims);
  const std::string transposed = Products(
      "s = f32[8,4] transpose(x), dimensions={1,0} d = f32[4,4] dot(y, s), "
      "lhs_contracting_dims={0}, rhs_contracting_dims={0} "
      "ROOT r = f32[4,4] transpose(d), dimensions={1,0}");
  EXPECT_EQ(VerdictOf(dot, transposed), Verdict::kProved);
}

TEST(Attributes, EachOperandHasItsPrecision) {
  auto module = [](const std::string& precisions, const std::string& x) {
    return Products("n = f32[4,8] negate(x) k = f32[4,8] negate(n) ROOT r = f32[4,4] dot(" + x +
                    ", y)" + kDims + ", operand_precision={" + precisions + "}");
  };
  EXPECT_EQ(VerdictOf(module("default,highest", "x"), module("default,highest", "k")),
            Verdict::kProved);
  EXPECT_EQ(VerdictOf(module("default,highest", "x"), module("highest,default", "k")),
            Verdict::kUnknown);
}

TEST(Attributes, CallsThatNobodyDefinesAreAssumedToBeFunctions) {
  auto module = [](const std::string& call) {
    return Entry(
        "x = f32[4] parameter(0) a = f32[4] reverse(x), dimensions={0} b = f32[4] reverse(a), "
        "dimensions={0} ROOT r = f32[4] custom-call(" +
        call + "), custom_call_target=\"my_lib\"");
  };
  const ModuleEquivalence same = Compare(module("x"), module("b"), {.execute = false});
  EXPECT_EQ(VerdictLine(same), "equal, assuming my_lib is a function");
  const ModuleEquivalence other = Compare(module("x"), module("a"), {.execute = false});
  EXPECT_EQ(VerdictLine(other), "unknown");
  const std::string none = Entry("ROOT x = f32[4] parameter(0)");
  EXPECT_EQ(VerdictLine(Compare(none, none)), "equal");
}

}  // namespace
}  // namespace affirm::driver
