// Inputs of `affirm equiv` and `affirm simplify` besides single maps: MLIR files, dumps of passes,
// streams of questions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

// Names, an attribute in place, an escaped quote in another string, a comment.
constexpr const char* kBefore =
    R"(#map = #xla.indexing_map<"(d0) -> (d0 mod 8), domain: d0 in [0, 7]">
#unused = #xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 1]">
module {
  // #xla.indexing_map<"not a map">
  "a.b"() {text = "a \" #map"} : () -> ()
  %0 = xla.apply_indexing #map(%arg0)
  %1 = xla.apply_indexing #xla.indexing_map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]">(%a, %b)
  %2 = xla.apply_indexing #map(%arg1)
}
)";

std::string After(const std::string& first) {
  return "#map0 = #xla.indexing_map<\"(d0) -> (" + first + "), domain: d0 in [0, 7]\">\n" +
         R"(#map1 = #xla.indexing_map<"(d0, d1) -> (d1 + d0 * 4), domain: d0 in [0, 3], d1 in [0, 3]">
module {
  %0 = xla.apply_indexing #map0(%arg0)
  %1 = xla.apply_indexing #map1(%a, %b)
  %2 = xla.apply_indexing #map0(%arg1)
}
)";
}

std::string WithoutUnused(std::string text) {
  size_t at = text.find("#unused");
  return text.erase(at, text.find('\n', at) + 1 - at);
}

TEST(MlirFiles, MapsOfTwoFilesAreComparedInOrder) {
  TemporaryFile before("before.mlir", WithoutUnused(kBefore)), same("same.mlir", After("d0"));
  RunResult r = RunAffirm({"equiv", "--mlir", before.path(), same.path()});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 3) << r.out;
  EXPECT_NE(r.out.find(before.path() + ":5:27 and " + same.path() + ":4:27: equal"),
            std::string::npos)
      << r.out;
  TemporaryFile other("other.mlir", After("7 - d0"));
  r = RunAffirm({"equiv", "--mlir", before.path(), other.path()});
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("d0 = 0: lhs {(0)}, rhs {(7)}"), std::string::npos) << r.out;
}

TEST(MlirFiles, UnevenFilesAreNotCompared) {
  TemporaryFile before("before.mlir", kBefore), after("after.mlir", After("d0"));
  RunResult r = RunAffirm({"equiv", "--mlir", before.path(), after.path()});
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.out.find("4 maps against 3: they cannot be paired"), std::string::npos) << r.out;
}

std::string Dump(const std::string& when, const std::string& pass, const std::string& text) {
  return "// -----// IR Dump " + when + " " + pass + " //----- //\n" + text + "\n\n";
}

TEST(PassDumps, EachPassIsCompared) {
  std::string start = WithoutUnused(kBefore);
  TemporaryFile file("dump.mlir", Dump("Before", "Simplify (simplify)", start) +
                                      Dump("After", "Simplify (simplify)", After("d0")) +
                                      Dump("Before", "Wrong (wrong)", After("d0")) +
                                      Dump("After", "Wrong (wrong)", After("d0 floordiv 2")));
  RunResult r = RunAffirm({"equiv", "--mlir", "--json", file.path()});
  EXPECT_EQ(r.status, 1) << r.err;
  std::vector<std::pair<std::string, std::string>> found;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(r.out).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto value = llvm::json::parse(line);
    ASSERT_TRUE(static_cast<bool>(value)) << line.str();
    const llvm::json::Object& object = *value->getAsObject();
    found.emplace_back(object.getObject("id")->getString("pass")->str(),
                       object.getString("verdict")->str());
  }
  std::string simplify = "Simplify (simplify)", wrong = "Wrong (wrong)";
  EXPECT_EQ(found, (std::vector<std::pair<std::string, std::string>>{{simplify, "equal"},
                                                                     {simplify, "equal"},
                                                                     {simplify, "equal"},
                                                                     {wrong, "different"},
                                                                     {wrong, "equal"},
                                                                     {wrong, "different"}}));
  EXPECT_NE(r.out.find(file.path() + ":6:27"), std::string::npos) << r.out;
}

TEST(PassDumps, AfterAllAloneComparesNeighbours) {
  TemporaryFile file("dump.mlir", Dump("After", "One (one)", After("d0 mod 8")) +
                                      Dump("After", "Two (two)", After("d0")));
  RunResult r = RunAffirm({"equiv", "--mlir", file.path()});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find(", Two (two): equal"), std::string::npos) << r.out;
}

// A pass runs on each function by itself: the dump above may be of another one.
TEST(PassDumps, DumpsOfDifferentOperationsAreNotCompared) {
  const std::string f = " ('func.func' operation: @f)", g = " ('func.func' operation: @g)";
  auto status = [&](const std::string& second, const std::string& around, const std::string& map) {
    auto text = [&](const std::string& result) {
      return around + " {\n  %0 = xla.apply_indexing #xla.indexing_map<\"(d0) -> (" + result +
             "), domain: d0 in [0, 7]\">(%a)\n}\n";
    };
    TemporaryFile file("dump.mlir", Dump("After", "One (one)" + f, text("d0")) +
                                        Dump("After", "One (one)" + second, text(map)));
    return RunAffirm({"equiv", "--mlir", file.path()}).status;
  };
  EXPECT_EQ(status(g, "func.func @h()", "d0 + 1"), 2);
  EXPECT_EQ(status(g, "func.func @h()", "d0"), 2);
  EXPECT_EQ(status(f, "func.func @h()", "d0"), 0);
  EXPECT_EQ(status(f, "func.func @h()", "d0 + 1"), 1);
  // Whole modules, whatever the pass ran on.
  EXPECT_EQ(status(g, "module", "d0"), 0);
}

TEST(MlirFiles, SimplifyTakesEveryUse) {
  TemporaryFile file("m.mlir", kBefore);
  RunResult r = RunAffirm({"simplify", "--mlir", file.path()});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("// " + file.path() + ":6:27\n(d0) -> (d0), domain: d0 in [0, 7]\n"),
            std::string::npos)
      << r.out;
  r = RunAffirm({"simplify", "--mlir", "--json", file.path()});
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 4) << r.out;
}

TEST(MlirFiles, BadOnesAreErrorsWithAPlace) {
  TemporaryFile bad("bad.mlir", "module {\n  #xla.indexing_map<\"(d0) -> (d1)\">\n}\n");
  RunResult r = RunAffirm({"simplify", "--mlir", bad.path()});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find(bad.path() + ":2:3: error: in this map: "), std::string::npos) << r.err;
  r = RunAffirm({"equiv", "--mlir", bad.path(), bad.path()});
  EXPECT_EQ(r.status, 3);
  TemporaryFile none("none.mlir", "module { \"unfinished #xla.indexing_map<\"");
  EXPECT_EQ(RunAffirm({"simplify", "--mlir", none.path()}).status, 3);
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", none.path()}).status, 3);
  EXPECT_EQ(RunAffirm({"equiv", "--mlir"}).status, 3);
}

std::string Applied(const std::string& map) {
  return "#map = #xla.indexing_map<" + map +
         ">\nmodule {\n  func.func @f(%i: index) {\n    %0 = xla.apply_indexing #map(%i)\n  }\n}\n";
}

// A name means in each part of a file what that part says.
TEST(MlirFiles, NamesBelongToTheirPart) {
  auto file = [](const std::string& first, const std::string& second) {
    return Applied("\"(d0) -> (d0 " + first + "), domain: d0 in [0, 7]\"") + "// -----\r\n" +
           Applied("\"(d0) -> (d0 " + second + "),\" \" domain: d0 in [0, 7]\"");
  };
  TemporaryFile a("a.mlir", file("mod 3", "mod 5")), b("b.mlir", file("floordiv 3", "mod 5"));
  RunResult r = RunAffirm({"equiv", "--mlir", a.path(), b.path()});
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 3) << r.out;
  r = RunAffirm({"simplify", "--mlir", a.path()});
  EXPECT_NE(r.out.find("(d0) -> (d0 mod 3)"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("(d0) -> (d0 mod 5)"), std::string::npos) << r.out;
}

// The text of a map is all of its strings.
TEST(MlirFiles, StringsAreJoined) {
  auto file = [](const std::string& bounds) {
    return Applied("\"(d0) -> (d0), domain: d0 in [0, 7],\"\n  \"d0 mod 2 in " + bounds + "\"");
  };
  TemporaryFile a("a.mlir", file("[0, 0]")), b("b.mlir", file("[1, 1]"));
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", a.path(), b.path()}).status, 1);
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", a.path(), a.path()}).status, 0);
}

// The symbols of an affine map are parameters.
TEST(MlirFiles, AffineMapsAreFunctionsOfTheirSymbols) {
  TemporaryFile a("a.mlir", "#m = affine_map<()[s0] -> (s0 mod 8)>\n"),
      b("b.mlir", "#m = affine_map<()[s0] -> (s0 - (s0 floordiv 8) * 8)>\n"),
      c("c.mlir", "#m = affine_map<()[s0] -> ((s0 + 1) mod 8)>\n"),
      d("d.mlir", "#m = affine_map<(d0) -> (d0 mod 8)>\n"),
      e("e.mlir", "#m = affine_map<()[s0] -> (s0 mod s0)>\n"),
      f("f.mlir", "#xla.indexing_map<\"(d0) -> (d0), domain: d0 in [0, 3]\">\n");
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", a.path(), b.path()}).status, 0);
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", a.path(), c.path()}).status, 1);
  // s0 mod s0 is 0 where s0 is positive, and has no value elsewhere.
  EXPECT_EQ(RunAffirm({"equiv", "--mlir", a.path(), e.path()}).status, 1);
  for (const TemporaryFile* other : {&d, &f})
    EXPECT_EQ(RunAffirm({"equiv", "--mlir", a.path(), other->path()}).status, 3) << other->path();
}

struct AffineCase {
  const char *a, *b;
  int status;
  const char* says;  // in the answer or the error
};

void PrintTo(const AffineCase& c, std::ostream* os) { *os << c.a << " and " << c.b; }

class AffineTexts : public ::testing::TestWithParam<AffineCase> {};

TEST_P(AffineTexts, AreComparedOrRefusedWithAPlace) {
  RunResult r = RunAffirm({"equiv", GetParam().a, GetParam().b});
  EXPECT_EQ(r.status, GetParam().status) << r.out << r.err;
  EXPECT_NE((r.out + r.err).find(GetParam().says), std::string::npos) << r.out << r.err;
}

constexpr const char* kFree = "\n  dims have no bounds\n";
constexpr const char* kParameters = "\n  dims and symbols are parameters, without bounds";
constexpr const char* kPositive = "without bounds, where s0 >= 1\n";

INSTANTIATE_TEST_SUITE_P(
    Compared, AffineTexts,
    ::testing::Values(
        AffineCase{"affine_map<(d0) -> (d0 mod 4)>", "affine_map<(x) -> (x - (x floordiv 4) * 4)>",
                   0, kFree},
        AffineCase{"affine_map<(i, j)[N] -> (i + N, j)>", "affine_map<(a, b)[M] -> (M + a, b)>", 0,
                   kParameters},
        // As a range variable of XLA, s0 would run over all integers, and so would both sums.
        AffineCase{"affine_map<(d0)[s0] -> (d0 + s0)>", "affine_map<(d0)[s0] -> (s0)>", 1,
                   kParameters},
        AffineCase{"affine_map<(d0)[s0] -> (s0 * (d0 floordiv s0) + d0 mod s0)>",
                   "affine_map<(d0)[s0] -> (d0)>", 0, kPositive},
        AffineCase{"affine_map<(d0)[s0] -> (d0 ceildiv s0)>",
                   "affine_map<(d0)[s0] -> ((d0 + s0 - 1) floordiv s0)>", 0, kPositive},
        AffineCase{"affine_map<(d0)[s0] -> (d0 ceildiv s0)>",
                   "affine_map<(d0)[s0] -> (d0 floordiv s0)>", 1, kPositive},
        AffineCase{"affine_map<(d0)[s0] -> ((1 floordiv s0) * 0 + d0)>",
                   "affine_map<(d0)[s0] -> (d0)>", 0, kPositive},
        AffineCase{"affine_map<(d0)[s0] -> (d0 mod (s0 - 3), 5)>",
                   "affine_map<(d0)[s0] -> (d0 mod (s0 - 3), 6)>", 1, "where s0 - 3 >= 1\n"},
        AffineCase{"affine_map<() -> ()>", "affine_map<() -> ()>", 0, kFree},
        AffineCase{"affine_set<(d0)[s0] : (d0 >= 0, s0 - d0 - 1 >= 0)>",
                   "affine_set<(d0)[s0]:(s0 >= d0 + 1, 0 <= d0)>", 0, kParameters},
        AffineCase{"affine_set<(d0)[s0] : (d0 >= 0, s0 - d0 - 1 >= 0)>",
                   "affine_set<(d0)[s0] : (s0 >= d0, d0 >= 0)>", 1, "lhs {}"},
        AffineCase{"affine_set<(d0) : (d0 mod 2 == 0)>",
                   "affine_set<(d0) : (d0 - (d0 floordiv 2) * 2 == 0)>", 0, kFree},
        AffineCase{"affine_set<(d0) : (1 == 0)>", "affine_set<(d0) : (d0 >= 1, -d0 >= 0)>", 0,
                   kFree},
        AffineCase{"affine_set<(d0) : (1 >= 0, d0 == 3)>", "affine_set<(d0) : (d0 == 3)>", 0,
                   kFree}));

constexpr const char* kMap = "affine_map<(d0) -> (d0)>";
constexpr const char* kSet = "affine_set<(d0) : (d0 >= 0)>";

INSTANTIATE_TEST_SUITE_P(
    Refused, AffineTexts,
    ::testing::Values(
        AffineCase{kMap, "affine_map<(d0, d1) -> (d0)>", 3, "<second>:1:1: error: against"},
        AffineCase{kMap, "affine_map<(d0) -> (d0, d0)>", 3, "dims, symbols or results"},
        AffineCase{kMap, "affine_map<()[s0] -> (s0)>", 3, "dims, symbols or results"},
        AffineCase{kMap, "(d0) -> (d0), domain: d0 in [0, 3]", 3, "<second>:1:1: error: one map"},
        AffineCase{"(d0) -> (d0), domain: d0 in [0, 3]", kMap, 3, "<first>:1:1: error: one map"},
        AffineCase{kSet, kMap, 3, "one is a map and the other a set"},
        AffineCase{"affine_map<(d0){rt0} -> (d0)>", kMap, 3, "no variables in braces"},
        AffineCase{"affine_map<(d0) -> (d0 * d0)>", kMap, 3, "a product of dims"},
        AffineCase{"affine_map<(d0) -> (5 mod d0)>", kMap, 3, "a divisor uses dims"},
        AffineCase{"affine_map<(d0) -> (d0 mod -3)>", kMap, 3, "<first>:1:28: error: "},
        AffineCase{"affine_map<(d0) -> (d0 floordiv -2)>", kMap, 3, "is not positive"},
        AffineCase{"affine_map<(d0) -> (min(d0, 3))>", kMap, 3, "min and max"},
        AffineCase{"affine_map<(d0) -> (d1)>", kMap, 3, "<first>:1:21: error: unknown variable"},
        AffineCase{"affine_map<(d0) -> (d0)", kMap, 3, "<first>:1:24: error: expected '>'"},
        AffineCase{"affine_map<(d0) ->", kMap, 3, "expected '>' at the end"},
        AffineCase{"affine_map", kMap, 3, "<first>:1:11: error: expected '<'"},
        AffineCase{"affine_mapping<(d0) -> (d0)>", kMap, 3, "<first>:1:11: error: expected '<'"},
        AffineCase{"affine_map<(d0) -> (d0)> d", kMap, 3, "expected '>' at the end"},
        AffineCase{"affine_map<(d0)[s0, s0] -> (d0)>", kMap, 3, "declared twice"},
        AffineCase{"affine_map<(d0) -> (d0), domain: d0 in [0, 3]>", kMap, 3, ":1:24: error: "},
        AffineCase{"affine_set<(d0) : (d0 > 0)>", kSet, 3, "<first>:1:20: error: expected '>='"},
        AffineCase{"affine_set<(d0) : (d0 >= )>", kSet, 3, "on both sides"},
        AffineCase{"affine_set<(d0) : ()>", kSet, 3, "<first>:1:20: error: expected '>='"},
        AffineCase{"affine_map<(d0)[s0] -> (d0 floordiv s0)>",
                   "affine_map<(d0)[s0] -> (7 floordiv (-s0))>", 3,
                   "no values of its variables at which s0 >= 1 and -s0 >= 1"},
        AffineCase{"affine_map<(d0)[s0] -> (d0 mod (s0 * s0 * -1))>", "affine_map<(d0)[s0] -> (7)>",
                   3, "no values of its variables at which"},
        AffineCase{"affine_set<(d0) : (d0 >= 0, d1 >= 0)>", kSet, 3, "<first>:1:29: error: unk"},
        AffineCase{"affine_set<(d0) : d0 >= 0>", kSet, 3, "<first>:1:19: error: expected '('"},
        AffineCase{"affine_set<(d0) -> (d0)>", kSet, 3, "expected ':'"}));

// The reader says how it read a pair in a stream too, and a report says how to ask again.
TEST(AffineAttributes, AreReadInStreamsAndReplayed) {
  TemporaryFile a("a.mlir", "#m = affine_map<(d0)[s0] -> (d0 mod s0)>\n"),
      b("b.mlir", "#m = affine_map<(d0)[s0] -> (d0)>\n"), report("r.txt", "");
  RunResult r = RunAffirm({"equiv", "--mlir", a.path(), b.path(), "--report", report.path()});
  EXPECT_EQ(r.status, 1) << r.err;
  EXPECT_NE(r.out.find(kPositive), std::string::npos) << r.out;
  EXPECT_NE(ReadFile(report.path()).find("--map-a 'affine_map<(d0)[s0] -> (d0 mod s0)>'"),
            std::string::npos);
  r = RunAffirm({"equiv", "--mlir", "--json", a.path(), b.path()});
  EXPECT_NE(r.out.find("\"reading\":\"dims and symbols are parameters"), std::string::npos);
}

// Each form in which XLA prints a map is the text of one, and no name of a file.
TEST(MapTexts, NeedNoArrow) {
  const std::string empty = "(d0) -> (d0), domain: d0 in [1, 0]",
                    attribute = "#xla.indexing_map<\"KNOWN EMPTY\">";
  for (const std::string& text :
       {std::string("KNOWN EMPTY"), std::string(" KNOWN  EMPTY\n"), attribute}) {
    EXPECT_EQ(RunAffirm({"equiv", "--map-a", text, "--map-b", empty}).status, 0) << text;
    EXPECT_EQ(RunAffirm({"equiv", empty, text}).status, 0) << text;
    EXPECT_EQ(RunAffirm({"equiv", text, "-"}, "(d0) -> (d0), domain: d0 in [0, 1]").status, 1);
    EXPECT_EQ(RunAffirm({"bijection", text, "--shape", "0"}).status, 0) << text;
    EXPECT_EQ(RunAffirm({"width", text, "--width", "32"}).status, 0) << text;
  }
  EXPECT_EQ(RunAffirm({"equiv", "undefined", "KNOWN EMPTY"}).status, 2);
  EXPECT_EQ(RunAffirm({"equiv", "UNDEFINED", "KNOWN EMPTY"}).status, 2);
  // --map-a and --map-b are texts, also where a file has such a name.
  const TemporaryFile file("x.map", empty);
  EXPECT_EQ(RunAffirm({"equiv", file.path(), empty}).status, 0);
  const RunResult r = RunAffirm({"equiv", "--map-a", file.path(), "--map-b", empty});
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("<map>:1:1: error: expected '('"), std::string::npos) << r.err;
  EXPECT_EQ(RunAffirm({"equiv", "#xla.indexing_map<\"KNOWN\">", empty}).status, 3);
}

// Maps of other numbers of dims or runtime variables are of other points, whoever asks.
TEST(MapsOfOtherPoints, AreBadInput) {
  const std::string one = "(d0) -> (d0), domain: d0 in [0, 0]",
                    two = "(d0, d1) -> (d0), domain: d0 in [0, 0], d1 in [0, 0]",
                    at_run_time = "(d0){rt0} -> (d0), domain: d0 in [0, 0], rt0 in [0, 3]",
                    range = "(d0)[s0] -> (d0), domain: d0 in [0, 0], s0 in [0, 3]",
                    results = "(d0) -> (d0, d0), domain: d0 in [0, 0]", empty = "KNOWN EMPTY";
  auto expect = [&](const std::string& a, const std::string& b, int status,
                    const std::string& says) {
    for (const std::string relation : {"equal", "covers"}) {
      RunResult r = RunAffirm({"equiv", "--map-a", a, "--map-b", b, "--relation", relation});
      EXPECT_EQ(r.status, status) << a << b;
      EXPECT_NE((r.out + r.err).find((says.empty() ? "" : "<second>:1:1: error: ") + says),
                std::string::npos)
          << r.err;
      r = RunAffirm({"equiv", "--jsonl", "--relation", relation},
                    "\n{\"id\": 7, \"lhs\": \"" + a + "\", \"rhs\": \"" + b + "\"}\n");
      EXPECT_EQ(r.status, status) << a << b;
      if (!says.empty()) {
        EXPECT_EQ(r.out, "{\"id\":7,\"error\":\"<stdin>:2:rhs:1:1: error: " + says + "\"}\n");
      }
      auto mlir = [](const std::string& map) {
        return "\"a.b\"() {m = #xla.indexing_map<\"" + map + "\">} : () -> ()\n";
      };
      const TemporaryFile first("a.mlir", mlir(a)), second("b.mlir", mlir(b));
      r = RunAffirm({"equiv", "--mlir", first.path(), second.path(), "--relation", relation});
      EXPECT_EQ(r.status, status) << a << b;
      EXPECT_NE((r.out + r.err).find((says.empty() ? "" : second.path() + ":1:14: error: ") + says),
                std::string::npos)
          << r.err;
    }
  };
  const std::string same = ", expected maps of the same ones";
  expect(one, two, 3, "the first map has 1 dimensions and the second 2" + same);
  expect(two, one, 3, "the first map has 2 dimensions and the second 1" + same);
  expect(one, at_run_time, 3, "the first map has 0 runtime variables and the second 1" + same);
  expect(at_run_time, one, 3, "the first map has 1 runtime variables and the second 0" + same);
  expect(one, range, 0, "");
  expect(one, results, 1, "");
  expect(empty, one, 1, "");
  // A report has the error where it had an answer that its replay line did not give.
  const RunResult r = RunAffirm({"equiv", "--jsonl", "--format", "markdown"},
                                "{\"lhs\": \"" + one + "\", \"rhs\": \"" + two + "\"}\n");
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.out.find("BAD INPUT: read of `line 1`"), std::string::npos) << r.out;
}

TEST(Smt2, WritesWholeQuestions) {
  TemporaryFile place("unused", "x");
  std::string folder = place.path() + ".queries";
  // A pair that is settled by enumeration.
  RunResult r = RunAffirm({"equiv", "--smt2", folder, "--map-a",
                           "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]", "--map-b",
                           "(d0)[s0] -> (3 - s0), domain: d0 in [0, 3], s0 in [0, 3]"});
  EXPECT_EQ(r.status, 0) << r.err;
  r = RunAffirm(
      {"bijection", "(d0) -> (d0), domain: d0 in [0, 3]", "--shape", "4", "--smt2", folder});
  EXPECT_EQ(r.status, 0) << r.err;
  std::string all;
  for (const std::string& file : FilesIn(folder, ".smt2")) all += ReadFile(file);
  EXPECT_NE(all.find("(exists ((v"), std::string::npos) << all;
  EXPECT_NE(all.find("(check-sat)"), std::string::npos);
  // Each with affirm's answer, as SMT-LIB has it.
  EXPECT_NE(all.find("(set-info :status unsat)"), std::string::npos);
  EXPECT_EQ(all.find("(set-info :status sat)"), std::string::npos);
  r = RunAffirm({"equiv", "--smt2", folder, "--map-a", "(d0) -> (d0), domain: d0 in [0, 3]",
                 "--map-b", "(d0) -> (d0 + 1), domain: d0 in [0, 3]"});
  EXPECT_EQ(r.status, 1) << r.err;
  all.clear();
  for (const std::string& file : FilesIn(folder, ".smt2")) all += ReadFile(file);
  EXPECT_NE(all.find("(set-info :status sat)"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace affirm::testing
