// Reports for people: a screen of them, or every record.
#include <algorithm>
#include <regex>

#include "driver/json_text.h"
#include "driver/report_model/run_report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

constexpr size_t kMostGroups = 10;    // of findings that are refuted, and of unknown ones
constexpr size_t kMostKnown = 3;      // of those that a baseline knows
constexpr size_t kMostNotes = 10;     // of notes, where there is room
constexpr size_t kMostDetails = 8;    // lines of the worst finding
constexpr size_t kMostColumns = 200;  // of a line of text from outside of affirm
constexpr size_t kMostOfWrong = 800;  // of what is refuted, of which both ends are kept

using TextColors = llvm::raw_ostream::Colors;

TextColors ColorOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRefuted:
      return TextColors::RED;
    case Verdict::kUnknown:
    case Verdict::kExecuted:
      return TextColors::YELLOW;
    case Verdict::kProved:
      break;
  }
  return TextColors::GREEN;
}

void PaintedText(llvm::raw_ostream& os, TextColors color, llvm::StringRef text) {
  os.changeColor(color, /*Bold=*/true) << text;
  os.resetColor();
}

std::string CutLine(llvm::StringRef text) {
  llvm::StringRef line = text.take_until([](char c) { return c == '\n'; });
  if (line.size() <= kMostColumns) return line.str();
  return line.take_front(kMostColumns - 4).str() + " ...";
}

std::string OneLine(llvm::StringRef text) {
  std::string line;
  for (llvm::StringRef part : llvm::split(text, '\n')) {
    part = part.trim();
    if (!part.empty()) line += (line.empty() ? "" : " ") + part.str();
  }
  return line;
}

// All of what is refuted, in one line: values and counterexamples stand at its end. Only where no
// screen holds it its middle is left out.
std::string WholeLine(llvm::StringRef text) {
  std::string line = OneLine(text);
  if (line.size() <= kMostOfWrong) return line;
  constexpr llvm::StringLiteral kGap = " ... ";
  const size_t end = kMostOfWrong / 2 - kGap.size();
  return line.substr(0, kMostOfWrong / 2) + kGap.str() + line.substr(line.size() - end);
}

// The common part of two lines that say the same about two subjects: no names and numbers.
std::string KindOfText(const std::string& text) {
  static const std::regex kName("'[^']*'"), kNumber(R"([%\w.\-]*\d+)");
  std::string kind = text.substr(0, 400);  // all that a regular expression is asked to look at
  kind = std::regex_replace(kind, kName, "'");
  return std::regex_replace(kind, kNumber, "0");
}

// Alike things: how many, and the first of them.
struct FindingGroup {
  std::string title, first, kind;
  Verdict verdict = Verdict::kProved;  // of findings
  int64_t count = 0;
  const ReportRecord* record = nullptr;
  std::vector<std::string> claims = {};  // of kernels, that it is about

  std::string Heading() const {
    return claims.empty() ? title : title + " " + llvm::join(claims, ", ");
  }
  // The line behind the heading. Of an unknown one the reason is cut.
  std::string Line() const {
    return verdict == Verdict::kRefuted ? WholeLine(first) : CutLine(first);
  }
  // The element and both values, where the line does not say them; a line of its own.
  std::string Values() const {
    if (record == nullptr || verdict != Verdict::kRefuted) return "";
    const std::string line = Line();
    std::string values;
    bool said = line == OneLine(first);
    for (const auto& [name, value] :
         {std::pair("element ", &record->element), std::pair("expected ", &record->expected),
          std::pair("actual ", &record->actual)}) {
      const std::string text = OneLine(*value);
      if (text.empty()) continue;
      // A whole sentence names the element in its own words.
      said = said && (value == &record->element || line.find(text) != std::string::npos);
      values += (values.empty() ? "" : ", ") + (name + text);
    }
    return said ? "" : values;
  }
};

class FindingGroups {
 public:
  void Add(const std::string& title, const std::string& text, int64_t count = 1,
           const ReportRecord* record = nullptr) {
    // Without the place in front, which stays in what is printed.
    std::string kind = KindOfText(record ? record->text : text);
    auto known = llvm::find_if(groups_, [&](const FindingGroup& group) {
      return group.title == title && group.kind == kind;
    });
    if (known == groups_.end()) {
      groups_.push_back(
          {title, text, std::move(kind), record ? record->verdict : Verdict::kProved, 0, record});
      known = std::prev(groups_.end());
    }
    known->count += count;
    if (record && IsClaimOfKernel(record->claim) &&
        !llvm::is_contained(known->claims, record->claim))
      known->claims.push_back(record->claim);
  }

  // At most that many lines, the last of which counts the rest.
  size_t Lines(size_t most) const {
    size_t lines = groups_.size() <= most ? groups_.size() : most + 1;
    for (const FindingGroup& group : llvm::ArrayRef(groups_).take_front(most))
      lines += !group.Values().empty();
    return lines;
  }
  template <typename PrintGroup>
  void Print(size_t most, llvm::raw_ostream& os, PrintGroup print) const {
    int64_t rest = 0;
    for (const auto& [k, group] : llvm::enumerate(groups_)) {
      if (k < most) {
        print(group);
      } else {
        rest += group.count;
      }
    }
    if (rest > 0) os << "and " << rest << " more of other kinds (-v)\n";
  }

 private:
  std::vector<FindingGroup> groups_;
};

std::string Alike(const FindingGroup& group) {
  return group.count > 1 ? " (" + std::to_string(group.count) + " alike) " : " ";
}

// "4:3: map of reverse 'r': ..."; the file is said where it is not the one above.
std::string Sentence(const RunReport& report, const ReportRecord& record) {
  std::string place, text = record.text;
  // Names of files in the folder that is said above are long enough.
  const std::string folder = report.file + "/";
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  // Sentences about a dump name the pass or the kernel.
  if (report.verb == "xla") return text;
  if (record.where.file != report.file) place = record.where.file;
  if (record.where.line > 0) {
    if (!place.empty()) place += ":";
    place += std::to_string(record.where.line);
    if (record.where.column > 0) place += ":" + std::to_string(record.where.column);
  }
  return place.empty() ? text : place + ": " + text;
}

void PrintCoverageRows(const RunReport& report, llvm::raw_ostream& os) {
  for (const CoverageRow& row : report.coverage) {
    os << "  " << llvm::left_justify(row.name, 16);
    if (row.ms)
      os << llvm::left_justify(row.text, 72) << "  " << Fixed(*row.ms, 1) << " ms\n";
    else
      os << row.text << "\n";
  }
}

struct GroupedFindings {
  FindingGroups wrong, unknown, known;
};

GroupedFindings GroupedFindingsOf(const RunReport& report) {
  GroupedFindings all;
  for (const ReportRecord& record : report.records) {
    // A vanished record belongs to the run, not to a report.
    if (!report.IsFinding(record) || record.state == BaselineState::kVanished) continue;
    const bool stands = record.state == BaselineState::kKnown;
    FindingGroups& groups = stands                                ? all.known
                            : record.verdict == Verdict::kRefuted ? all.wrong
                                                                  : all.unknown;
    const std::string title = stands ? "known: " + record.Title() : record.Title();
    groups.Add(title, Sentence(report, record), record.count, &record);
  }
  return all;
}

// How many lines each part of a summary has: where the screen is full, details of the worst finding
// go first, then what is known, then notes, and kinds of findings last.
struct Share {
  size_t wrong = kMostGroups, unknown = kMostGroups, known = kMostKnown, notes = kMostNotes;
  size_t details = kMostDetails;
};

Share ShareOf(const RunReport& report, const GroupedFindings& findings,
              const FindingGroups& notes) {
  Share share;
  const ReportRecord* worst = report.Worst();
  const size_t all_details = worst == nullptr ? 0 : worst->details.size();
  auto lines = [&] {
    size_t total = 2 + report.coverage.size() + findings.wrong.Lines(share.wrong) +
                   findings.unknown.Lines(share.unknown) + findings.known.Lines(share.known) +
                   notes.Lines(share.notes);
    if (worst != nullptr) total += 2 + std::min(all_details, share.details + 1);
    return static_cast<int64_t>(total);
  };
  for (auto [part, least] :
       {std::pair(&Share::details, size_t{2}), std::pair(&Share::known, size_t{0}),
        std::pair(&Share::notes, size_t{0}), std::pair(&Share::unknown, size_t{4}),
        std::pair(&Share::wrong, size_t{4})}) {
    while (lines() > kScreenLines && share.*part > least) --(share.*part);
  }
  return share;
}

}  // namespace

void PrintVerdictLine(const RunReport& report, llvm::raw_ostream& os) {
  os << "verdict: ";
  // The verdict itself in color, and what it covers as text.
  llvm::StringRef line = report.verdict_line;
  const size_t end = std::min(line.find_first_of(":;( "), line.size());
  PaintedText(os, ColorOf(report.outcome), line.take_front(end));
  for (char c : line.drop_front(end)) os << (c == '\n' ? ' ' : c);
  os << "\n";
}

void PrintSummary(const RunReport& report, llvm::raw_ostream& os) {
  os << report.headline << "\n";
  PrintCoverageRows(report, os);
  const GroupedFindings findings = GroupedFindingsOf(report);
  const ReportRecord* worst = report.Worst();
  FindingGroups notes;
  for (const ReportNote& note : report.notes) notes.Add(note.title, note.text);
  const Share share = ShareOf(report, findings, notes);
  notes.Print(share.notes, os, [&](const FindingGroup& group) {
    os << "  " << group.title << (group.count > 1 ? Alike(group) : ": ") << CutLine(group.first)
       << "\n";
  });
  auto print = [&](const FindingGroup& group) {
    PaintedText(os, ColorOf(group.verdict), group.Heading());
    os << Alike(group) << group.Line() << "\n";
    if (const std::string values = group.Values(); !values.empty()) os << "    " << values << "\n";
    if (group.record != worst) return;
    for (const auto& [k, line] : llvm::enumerate(worst->details)) {
      if (k < share.details) os << "      " << CutLine(line) << "\n";
    }
    if (worst->details.size() > share.details) os << "      ... (-v)\n";
  };
  if (worst != nullptr) os << "\n";
  findings.wrong.Print(share.wrong, os, print);
  findings.unknown.Print(share.unknown, os, print);
  if (worst != nullptr && !worst->replay.empty()) os << "    replay: " << worst->replay << "\n";
  auto print_plain = [&](const FindingGroup& group) {
    os << group.Heading() << Alike(group) << group.Line() << "\n";
    if (const std::string values = group.Values(); !values.empty()) os << "    " << values << "\n";
  };
  findings.known.Print(share.known, os, print_plain);
  PrintVerdictLine(report, os);
}

void PrintRecords(const RunReport& report, llvm::raw_ostream& os) {
  os << report.headline << "\n";
  PrintCoverageRows(report, os);
  for (const ReportNote& note : report.notes) os << "  " << note.title << ": " << note.text << "\n";
  os << "\n";
  for (const ReportRecord& record : report.records) {
    if (record.state != BaselineState::kNoBaseline && record.state != BaselineState::kNew)
      os << Name(record.state) << ": ";
    PaintedText(os, ColorOf(record.verdict), record.VerdictName());
    os << "  " << record.claim;
    if (!record.subject.empty()) os << " of " << record.subject;
    if (!record.scope.empty()) os << " in " << record.scope;
    if (report.verb == "xla" && !record.where.file.empty()) os << " at " << record.where.file;
    if (!record.engine.empty())
      os << " (" << record.engine << ", " << Fixed(record.ms, 1) << " ms)";
    os << "\n";
    if (!record.text.empty()) os << "    " << Sentence(report, record) << "\n";
    for (const std::string& line : record.details) os << "      " << line << "\n";
    if (report.IsFinding(record) && !record.replay.empty())
      os << "    replay: " << record.replay << "\n";
  }
  PrintVerdictLine(report, os);
}

}  // namespace affirm::driver
