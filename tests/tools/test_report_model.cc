// Reports: what a record says is in every format, whatever bytes it holds; a summary fits a screen;
// findings that a baseline knows stand, and others do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "driver/progress.h"
#include "driver/report_model/baseline.h"
#include "driver/report_model/escape.h"
#include "driver/report_model/run_report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

using ::testing::HasSubstr;

// Text that may be the name of a file or an instruction.
rc::Gen<std::string> OddText() {
  return rc::gen::container<std::string>(rc::gen::weightedOneOf<char>(
      {{3, rc::gen::inRange('a', 'z')},
       {2, rc::gen::elementOf(std::string("<>&\"'`|]\\[\n\t\r\x01\x7F{}%$#/.: "))},
       {1, rc::gen::arbitrary<char>()}}));
}

rc::Gen<ReportRecord> AnyRecord() {
  return rc::gen::map(rc::gen::tuple(rc::gen::element(Verdict::kProved, Verdict::kExecuted,
                                                      Verdict::kRefuted, Verdict::kUnknown),
                                     rc::gen::element<std::string>("map", "bounds", "pass", "rule"),
                                     OddText(), OddText(), OddText(), rc::gen::inRange(0, 9)),
                      [](const auto& parts) {
                        const auto& [verdict, claim, file, subject, text, line] = parts;
                        return ReportRecord{.verdict = verdict,
                                            .claim = claim,
                                            .where = {file, line, line / 2},
                                            .scope = subject + "/e",
                                            .subject = subject,
                                            .text = text,
                                            .details = {text + "!"},
                                            .element = subject,
                                            .expected = text,
                                            .actual = file,
                                            .engine = "terms",
                                            .ms = 1.5,
                                            .replay = "affirm " + file};
                      });
}

RunReport ReportOf(std::vector<ReportRecord> records, const std::string& file = "m.hlo") {
  RunReport report{.verb = "check",
                   .file = file,
                   .headline = file + ": module m",
                   .coverage = {{"maps", "2 of 2 are proved", 1.0}, {"memory", "none"}},
                   .notes = {},
                   .records = std::move(records),
                   .verdict = "affirmed",
                   .verdict_line = "affirmed: 3 of 3"};
  report.outcome = OutcomeOf(report);
  return report;
}

std::string Rendered(void (*render)(llvm::ArrayRef<RunReport>, llvm::raw_ostream&),
                     const RunReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  render({report}, os);
  return text;
}

std::string SummaryOf(const RunReport& report, bool color = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os.enable_colors(color);
  PrintSummary(report, os);
  return text;
}

ReportRecord FindingOf(Verdict verdict, const std::string& subject, int64_t line = 1,
                       const std::string& claim = "map") {
  return {.verdict = verdict,
          .claim = claim,
          .where = {"m.hlo", line, 3},
          .scope = "m/e",
          .subject = subject,
          .aspect = "map of '" + subject + "'",
          .text = "map of '" + subject + "': d0 = " + std::to_string(line),
          .replay = "affirm check m.hlo"};
}

// The value that an attribute or element of XML has: what a reader makes of it.
std::string Unescaped(std::string text) {
  for (const auto& [escaped, c] :
       {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""),
        std::pair("&#39;", "'"), std::pair("&#10;", "\n"), std::pair("&#9;", "\t"),
        std::pair("&#13;", "\r"), std::pair("&amp;", "&")}) {
    for (size_t at = 0; (at = text.find(escaped, at)) != std::string::npos; ++at)
      text.replace(at, std::string(escaped).size(), c);
  }
  return text;
}

RC_GTEST_PROP(Escape, XmlHoldsNoMarkupAndSaysTheText, ()) {
  const std::string text = *OddText();
  const std::string xml = XmlText(text);
  RC_ASSERT(xml.find_first_of("<>\"'\n\t\r") == std::string::npos);
  RC_ASSERT(llvm::json::isUTF8(xml));
  for (char c : xml) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  const bool plain = llvm::json::isUTF8(text) && llvm::all_of(text, [](char c) {
                       return static_cast<unsigned char>(c) >= 0x20
                                  ? c != 0x7F
                                  : c == '\n' || c == '\t' || c == '\r';
                     });
  if (plain && text.find("\xEF\xBF") == std::string::npos) RC_ASSERT(Unescaped(xml) == text);
}

// The fence is longer than any run of backticks, so that nothing inside ends it.
RC_GTEST_PROP(Escape, MarkdownStaysInItsFence, ()) {
  const std::string text = *OddText();
  const std::string block = MarkdownBlock(text);
  const std::string fence = block.substr(0, block.find('\n'));
  RC_ASSERT(fence.size() >= 3u);
  RC_ASSERT(block.find(fence, fence.size()) == block.size() - fence.size() - 1);
  const std::string code = MarkdownCode(text);
  RC_ASSERT(code.find('\n') == std::string::npos);
  for (size_t at = code.find('|'); at != std::string::npos; at = code.find('|', at + 1))
    RC_ASSERT(at > 0 && code[at - 1] == '\\');
}

TEST(Escape, OfPaths) {
  EXPECT_EQ(UriOf("corpus/hlo/a b.hlo"), "corpus/hlo/a%20b.hlo");
  EXPECT_EQ(UriOf("/tmp/\xFF\"]]>.hlo"), "file:///tmp/%FF%22%5D%5D%3E.hlo");
  EXPECT_EQ(UriOf("<stdin>"), "%3Cstdin%3E");
}

RC_GTEST_PROP(RunReportJson, ReadsBack, ()) {
  const RunReport report = ReportOf(*rc::gen::container<std::vector<ReportRecord>>(AnyRecord()));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(ToJson(report));
  auto json = llvm::json::parse(text);
  RC_ASSERT(static_cast<bool>(json));
  auto read = RunReportFrom(*json->getAsObject());
  RC_ASSERT(static_cast<bool>(read));
  std::string again;
  llvm::raw_string_ostream(again) << llvm::json::Value(ToJson(*read));
  RC_ASSERT(again == text);
  RC_ASSERT(FingerprintsOf(*read) == FingerprintsOf(report));
}

RC_GTEST_PROP(Sarif, HasARuleAndAPlaceForEachFinding, ()) {
  const RunReport report = ReportOf(*rc::gen::container<std::vector<ReportRecord>>(AnyRecord()));
  auto json = llvm::json::parse(Rendered(RenderSarif, report));
  RC_ASSERT(static_cast<bool>(json));
  const llvm::json::Object& run = *(*json->getAsObject()->getArray("runs"))[0].getAsObject();
  const llvm::json::Array& rules = *run.getObject("tool")->getObject("driver")->getArray("rules");
  const llvm::json::Array& results = *run.getArray("results");
  RC_ASSERT(std::ssize(results) == llvm::count_if(report.records, [&](const ReportRecord& record) {
              return report.IsFinding(record);
            }));
  for (const llvm::json::Value& value : results) {
    const llvm::json::Object& result = *value.getAsObject();
    const llvm::json::Object& rule = *rules[*result.getInteger("ruleIndex")].getAsObject();
    RC_ASSERT(rule.getString("id") == result.getString("ruleId"));
    const auto* place =
        (*result.getArray("locations"))[0].getAsObject()->getObject("physicalLocation");
    RC_ASSERT(*place->getObject("region")->getInteger("startLine") >= 1);
    RC_ASSERT(!place->getObject("artifactLocation")->getString("uri")->contains(' '));
  }
}

// Eighty kinds of each, with long texts, many notes and details.
TEST(Summary, HasFortyLinesAtMost) {
  RunReport report = ReportOf({});
  for (int k = 0; k < 80; ++k) {
    const std::string name(k + 1, 'x');
    for (Verdict verdict : {Verdict::kUnknown, Verdict::kRefuted}) {
      ReportRecord record = FindingOf(verdict, "s");
      record.text = "of " + name + std::string(300, ' ') + "\nand more";
      record.details.assign(30, "detail");
      report.records.push_back(record);
      record.state = BaselineState::kKnown;
      report.records.push_back(record);
    }
    report.notes.push_back({"note " + name, "text"});
  }
  for (int k = 0; k < 10; ++k) report.coverage.push_back({"row", "text"});
  const std::string text = SummaryOf(report);
  EXPECT_LE(llvm::StringRef(text).count('\n'), 40u) << text;
  EXPECT_THAT(text, HasSubstr("\nREFUTED 1:3: of x"));
  EXPECT_THAT(text, HasSubstr("\nUNKNOWN 1:3: of x"));
  // Lines that are left out are counted.
  EXPECT_THAT(text, ::testing::ContainsRegex("and 7[0-9] more of other kinds"));
  EXPECT_THAT(text, HasSubstr("and 160 more of other kinds (-v)"));
}

// A sentence may be longer than a line; the element, the values and how to see it again stand
// there all the same.
TEST(Summary, CutsNeitherValuesNorReplay) {
  for (const size_t length : {10, 150, 300, 3000}) {
    ReportRecord record = FindingOf(Verdict::kRefuted, "s");
    record.text =
        "map of 's': " + std::string(length, 'm') + " d0 = 4: lhs {(0)}, rhs {(4)}\n  in all";
    record.replay = "affirm check " + std::string(length, 'f');
    const std::string text = SummaryOf(ReportOf({record}));
    EXPECT_THAT(text, HasSubstr("d0 = 4: lhs {(0)}, rhs {(4)} in all\n"));
    EXPECT_THAT(text, HasSubstr("    replay: " + record.replay + "\n"));
    // In the middle of the sentence, or nowhere in it.
    for (const char* before : {"", "element [7, 9] is 1.5, not 2.5, "}) {
      record.element = "[7, 9]";
      record.expected = "2.5";
      record.actual = "1.5";
      record.text = std::string(length / 2, 'x') + " " + before + std::string(length / 2, 'x');
      const std::string values = SummaryOf(ReportOf({record}));
      EXPECT_THAT(values, HasSubstr("[7, 9]"));
      EXPECT_THAT(values, HasSubstr("2.5"));
      EXPECT_THAT(values, HasSubstr("1.5"));
    }
  }
}

// Formats with a limit leave out what is unknown first.
TEST(Formats, SayFirstWhatIsRefuted) {
  RunReport report = ReportOf({});
  for (int k = 0; k < 80; ++k)
    report.records.push_back(FindingOf(Verdict::kUnknown, "u" + std::to_string(k)));
  report.records.push_back(FindingOf(Verdict::kRefuted, "r"));
  for (const std::string& text : {Rendered(RenderMarkdown, report), Rendered(RenderHtml, report)}) {
    const size_t refuted = text.find("REFUTED: "), unknown = text.find("UNKNOWN: ");
    EXPECT_LT(refuted, unknown);
    EXPECT_NE(unknown, std::string::npos);
  }
}

// Claims with one reason are one line, which names the claims.
TEST(Summary, ClaimsOfAKernelWithOneReasonAreOneLine) {
  RunReport report = ReportOf({});
  for (const char* claim : {"bounds", "races", "values"}) {
    report.records.push_back(FindingOf(Verdict::kUnknown, "k", 1, claim));
  }
  EXPECT_THAT(SummaryOf(report),
              HasSubstr("\nUNKNOWN bounds, races, values (3 alike) 1:3: map of"));
}

TEST(Summary, IsColoredWhereTheStreamIs) {
  const RunReport report = ReportOf({FindingOf(Verdict::kRefuted, "r")});
  EXPECT_EQ(SummaryOf(report).find('\x1b'), std::string::npos);
  EXPECT_THAT(SummaryOf(report, true), HasSubstr("\x1b[0;1;31mREFUTED\x1b[0m"));
}

TEST(Fingerprints, DoNotDependOnLinesAndValues) {
  RunReport before = ReportOf({FindingOf(Verdict::kRefuted, "r", 4)});
  RunReport after = ReportOf({FindingOf(Verdict::kRefuted, "r", 90)});
  EXPECT_EQ(FingerprintsOf(before), FingerprintsOf(after));
  // But on what is found: a refuted map is not the unknown one that was there before.
  for (const ReportRecord& other :
       {FindingOf(Verdict::kUnknown, "r"), FindingOf(Verdict::kRefuted, "s"),
        FindingOf(Verdict::kRefuted, "r", 4, "values")}) {
    EXPECT_NE(FingerprintsOf(before), FingerprintsOf(ReportOf({other})));
  }
  ReportRecord operand = FindingOf(Verdict::kRefuted, "r", 4);
  operand.aspect = "map of 'r' for operand 1";
  EXPECT_NE(FingerprintsOf(before), FingerprintsOf(ReportOf({operand})));
}

TEST(Fingerprints, AreOfTheOptionsThatAreClaimed) {
  RunReport nine = ReportOf({FindingOf(Verdict::kRefuted, "r", 4)}), ten = nine;
  nine.asked = "--shape 9";
  ten.asked = "--shape 10";
  EXPECT_NE(FingerprintsOf(nine), FingerprintsOf(ten));
  EXPECT_EQ(FingerprintsOf(nine), FingerprintsOf(llvm::cantFail(RunReportFrom(ToJson(nine)))));
}

Baseline BaselineOf(const std::vector<RunReport>& reports) {
  return llvm::cantFail(Baseline::Read(BaselineText(reports), "known.json"));
}

TEST(Baselines, KnownFindingsStandAndNewOnesFail) {
  const RunReport before =
      ReportOf({FindingOf(Verdict::kRefuted, "r", 4), FindingOf(Verdict::kUnknown, "u", 5)});
  Baseline baseline = BaselineOf({before});
  RunReport same =
      ReportOf({FindingOf(Verdict::kUnknown, "u", 50), FindingOf(Verdict::kRefuted, "r", 40)});
  EXPECT_EQ(same.status(), 1);
  baseline.Apply(same);
  EXPECT_EQ(same.status(), 0);
  EXPECT_EQ(same.Worst(), nullptr);
  EXPECT_THAT(same.verdict_line, HasSubstr("; against known.json: 0 new, 2 known"));
  // Once known is not twice known.
  baseline = BaselineOf({before});
  RunReport twice =
      ReportOf({FindingOf(Verdict::kRefuted, "r"), FindingOf(Verdict::kRefuted, "r")});
  baseline.Apply(twice);
  EXPECT_EQ(twice.status(), 1);
  // A finding that was unknown and is refuted is new.
  baseline = BaselineOf({before});
  RunReport worse = ReportOf({FindingOf(Verdict::kRefuted, "u")});
  baseline.Apply(worse);
  EXPECT_EQ(worse.status(), 1);
  EXPECT_EQ(worse.records[0].state, BaselineState::kNew);
}

TEST(Baselines, SayWhatHasVanishedOfFilesThatWereLookedAt) {
  RunReport other = ReportOf({FindingOf(Verdict::kRefuted, "o")}, "other.hlo");
  other.records[0].where.file = "other.hlo";
  Baseline baseline = BaselineOf({ReportOf({FindingOf(Verdict::kRefuted, "r")}), other});
  RunReport now = ReportOf({});
  baseline.Apply(now);
  baseline.AddVanished(now);
  ASSERT_EQ(now.records.size(), 1u);
  EXPECT_EQ(now.records[0].subject, "r");
  EXPECT_EQ(now.records[0].state, BaselineState::kVanished);
  EXPECT_EQ(now.status(), 0);
  EXPECT_EQ(now.Count(Verdict::kRefuted), 0);
  EXPECT_EQ(Rendered(RenderJunit, now).find("testcase"), std::string::npos);
}

TEST(Baselines, HoldTheOptionsThatAreClaimed) {
  RunReport nine = ReportOf({FindingOf(Verdict::kRefuted, "r", 4)}), ten = nine;
  nine.asked = "--shape 9";
  ten.asked = "--shape 10";
  Baseline baseline = BaselineOf({nine});
  baseline.Apply(ten);
  EXPECT_EQ(ten.status(), 1);
  // This run does not check --shape 9, so it cannot tell that the finding is gone.
  baseline.AddVanished(ten);
  EXPECT_EQ(ten.records.size(), 1u);
  baseline.Apply(nine);
  EXPECT_EQ(nine.status(), 0);
}

// A status that no finding explains is not talked away.
TEST(Baselines, DoNotHideAnUnknownWithoutAFinding) {
  RunReport report = ReportOf({});
  report.outcome = Verdict::kUnknown;
  Baseline baseline = BaselineOf({});
  baseline.Apply(report);
  EXPECT_EQ(report.status(), 2);
}

// An executed claim is a finding unless the caller accepts execution.
TEST(Outcomes, ExecutedIsAcceptedOnlyWhereAskedFor) {
  RunReport report = ReportOf({FindingOf(Verdict::kExecuted, "values")});
  EXPECT_EQ(report.outcome, Verdict::kExecuted);
  EXPECT_EQ(report.status(), 2);
  ASSERT_NE(report.Worst(), nullptr);
  EXPECT_THAT(Rendered(RenderSarif, report), HasSubstr("map-executed"));
  report.accepted = Verdict::kExecuted;
  EXPECT_EQ(report.status(), 0);
  EXPECT_EQ(report.Worst(), nullptr);
  report.outcome = Verdict::kUnknown;
  EXPECT_EQ(report.status(), 2);
}

RC_GTEST_PROP(Baselines, OfARunKnowEveryFindingOfIt, ()) {
  const RunReport report = ReportOf(*rc::gen::container<std::vector<ReportRecord>>(AnyRecord()));
  Baseline baseline = BaselineOf({report});
  RunReport again = report;
  baseline.Apply(again);
  RC_ASSERT(again.status() == 0);
  const size_t records = again.records.size();
  baseline.AddVanished(again);
  RC_ASSERT(again.records.size() == records);
}

TEST(Baselines, RefuseWhatIsNone) {
  for (const char* text : {"", "[]", "{}", R"({"reports": [3]})",
                           R"({"reports": [{"verb": "check", "records": [{}], "status": 0}]})"}) {
    auto baseline = Baseline::Read(text, "b.json");
    EXPECT_FALSE(static_cast<bool>(baseline)) << text;
    EXPECT_THAT(llvm::toString(baseline.takeError()), HasSubstr("b.json:1:1: error: "));
  }
}

TEST(Junit, CountsWhatFailsAndSkipsWhatIsKnown) {
  RunReport report = ReportOf({FindingOf(Verdict::kRefuted, "r"), FindingOf(Verdict::kUnknown, "u"),
                               FindingOf(Verdict::kProved, "p"), FindingOf(Verdict::kProved, "p")});
  EXPECT_THAT(Rendered(RenderJunit, report),
              HasSubstr(R"(tests="4" failures="1" errors="1" skipped="0")"));
  EXPECT_THAT(Rendered(RenderJunit, report), HasSubstr("name=\"map of p (2)\""));
  // Counted elements stand in their test: one without an outcome has passed.
  auto outcomes = [&](const char* element) {
    return llvm::StringRef(Rendered(RenderJunit, report)).count(element);
  };
  EXPECT_EQ(outcomes("<failure message="), 1U);
  EXPECT_EQ(outcomes("<error message="), 1U);
  EXPECT_EQ(outcomes("<skipped message="), 0U);
  report.records[0].state = BaselineState::kKnown;
  EXPECT_THAT(Rendered(RenderJunit, report),
              HasSubstr(R"(tests="4" failures="0" errors="1" skipped="1")"));
  EXPECT_EQ(outcomes("<failure message="), 0U);
  EXPECT_EQ(outcomes("<error message="), 1U);
  EXPECT_EQ(outcomes("<skipped message="), 1U);
}

TEST(ProgressTest, DrawsABarAndAnEstimate) {
  EXPECT_EQ(ProgressLine("reducing", 9), "reducing");
  EXPECT_EQ(ProgressLine("rule 5 of 20", 0), "[#####               ] rule 5 of 20");
  EXPECT_EQ(ProgressLine("rule 5 of 20", 10),
            "[#####               ] rule 5 of 20, about 31 s left");
  EXPECT_EQ(ProgressLine("[2 of 4, at most 8 s] maps of e", 10),
            "[##########          ] [2 of 4, at most 8 s] maps of e");
  EXPECT_EQ(ProgressLine("20 of 20", 10), "[####################] 20 of 20");
  for (const char* text : {"", "of", "3 of", "maps of e, 3", "7 of 0"})
    EXPECT_EQ(ProgressStepsOf(text), std::nullopt) << text;
  EXPECT_LE(ProgressLine("1 of 99 " + std::string(500, 'x'), 50).size(), 78u);
}

}  // namespace
}  // namespace affirm::driver
