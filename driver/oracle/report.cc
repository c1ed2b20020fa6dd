// Reports of audits of programs: as text, as JSON, as markdown to file upstream, as small files.
#include "core/symbolic/error.h"
#include "driver/json_text.h"
#include "driver/oracle/program_audit.h"
#include "driver/output.h"
#include "driver/shell_command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

namespace affirm::driver {
namespace {

// Unknown answers that the text forms list; JSON and --save have them all.
constexpr size_t kListed = 10;

std::string Plural(int64_t n, const char* one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

// "d0 = 3: lhs {(4)}, rhs {(5)}" in three pieces.
struct WitnessText {
  std::string point, of_map, of_answer;
};

WitnessText TextOf(const MapCounterexample& witness, const std::string& map_text) {
  Context context;
  auto map = ParseIndexingMap(map_text, context);
  if (!map) llvm::consumeError(map.takeError());
  const std::string text = witness.ToString(map ? *map : IndexingMap());
  auto [point, sets] = llvm::StringRef(text).split(": lhs ");
  auto [lhs, rhs] = sets.split(", rhs ");
  // A map without dims and runtime variables has a single point.
  return {point == "everywhere" ? "the only point" : point.str(), lhs.str(), rhs.str()};
}

// A pipeline that shows what the program prints, and a command that proves it wrong.
std::string AskCommand(const ProgramAuditReport& report, const std::string& map) {
  return "printf '%s\\n' " + ShellQuoted(map) + " | " + AsPartOfPipe(report.command);
}

std::string ProveCommand(const Cause& cause) {
  if (!cause.witness) return "";
  return "affirm equiv --map-a " + ShellQuoted(cause.map) + " --map-b " + ShellQuoted(cause.answer);
}

// A text of several lines, each behind the same number of spaces.
std::string Indented(llvm::StringRef text, const char* indent) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += indent;
  }
  return out;
}

// "10000 maps tried, 9998 answers proved equal, 2 findings, 0 unknown"
std::string SummaryOfAudit(const ProgramAuditReport& report) {
  std::string text = Plural(report.tried, "map") + " tried, " + std::to_string(report.equal) +
                     " answers proved equal, " + Plural(report.NumFindings(), "finding") + ", " +
                     std::to_string(report.unknown.size()) + " unknown";
  return report.stopped.empty() ? text : text + "; stopped: " + report.stopped;
}

// "2 result wrong, 1 crash; 3 of them were reduced, to 2 causes"
std::string Kinds(const ProgramAuditReport& report) {
  std::string text;
  for (int k = 0; k < kNumFaultKinds; ++k) {
    const int64_t findings = report.kinds[static_cast<size_t>(k)];
    if (findings == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(findings) + " " +
            Name(static_cast<FaultKind>(k));
  }
  return text + "; " + std::to_string(report.reduced) + " of them reduced, " +
         Plural(std::ssize(report.causes), "cause");
}

void PrintCause(const ProgramAuditReport& report, const Cause& cause, llvm::raw_ostream& os) {
  const char* indent = "           ";
  os << "\n"
     << Name(cause.kind) << ": " << Explain(cause.kind) << " (" << cause.count << " of "
     << report.reduced << " reduced findings)\n"
     << "  map      " << Indented(cause.map, indent) << "\n";
  if (!cause.answer.empty()) os << "  answer   " << Indented(cause.answer, indent) << "\n";
  if (cause.witness) {
    WitnessText witness = TextOf(*cause.witness, cause.map);
    os << "  at       " << witness.point << ": the map has " << witness.of_map << ", the answer "
       << witness.of_answer << "\n";
  }
  if (!cause.detail.empty()) os << "  why      " << Indented(cause.detail, indent) << "\n";
  if (cause.original != cause.map) {
    os << "  found as " << Indented(cause.original, indent) << "\n";
  }
  if (!cause.file.empty()) os << "  saved    " << cause.file << "\n";
  os << "  replay   " << AskCommand(report, cause.map) << "\n";
  std::string prove = ProveCommand(cause);
  if (!prove.empty()) os << "           " << prove << "\n";
}

void Fenced(llvm::StringRef text, llvm::raw_ostream& os) {
  // A fence that the text does not hold.
  std::string fence = "```";
  while (text.contains(fence)) fence += '`';
  os << fence << "\n" << text << "\n" << fence << "\n";
}

void MarkdownCause(const ProgramAuditReport& report, const Cause& cause, llvm::raw_ostream& os) {
  os << "\n## " << Name(cause.kind) << "\n\nFor this map " << Explain(cause.kind) << ":\n\n";
  Fenced(cause.map, os);
  os << "\nThe program prints\n\n";
  Fenced(cause.answer.empty() ? "(nothing)" : cause.answer, os);
  if (cause.witness) {
    WitnessText witness = TextOf(*cause.witness, cause.map);
    os << "\n| at `" << witness.point << "` | results |\n|---|---|\n| the map | `" << witness.of_map
       << "` |\n| the answer | `" << witness.of_answer << "` |\n";
  }
  if (!cause.detail.empty()) {
    os << "\n";
    Fenced(cause.detail, os);
  }
  os << "\nTo see it:\n\n";
  std::string prove = ProveCommand(cause);
  Fenced(AskCommand(report, cause.map) + (prove.empty() ? "" : "\n" + prove), os);
}

void JsonCause(const Cause& cause, const ProgramAuditReport& report, llvm::json::OStream& json) {
  json.object([&] {
    json.attribute("kind", Name(cause.kind));
    json.attribute("count", cause.count);
    json.attribute("map", JsonText(cause.map));
    json.attribute("answer", JsonText(cause.answer));
    if (cause.witness) {
      json.attributeObject("counterexample", [&] { WriteCounterexample(json, *cause.witness); });
    } else {
      json.attribute("counterexample", nullptr);
    }
    if (!cause.detail.empty()) json.attribute("detail", JsonText(cause.detail));
    json.attribute("found_as", JsonText(cause.original));
    json.attribute("replay", JsonText(AskCommand(report, cause.map)));
    if (!cause.file.empty()) json.attribute("file", JsonText(cause.file));
  });
}

llvm::Error Write(const std::string& path, const std::string& text) {
  std::error_code code = WriteTextFile(path, text);
  return code ? MakeError("--save: cannot write '" + path + "': " + code.message())
              : llvm::Error::success();
}

// "constraint_dropped_1a2b3c4d.txt": the same name for the same map.
std::string FileName(llvm::StringRef kind, const std::string& map) {
  std::string name = kind.str();
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name + "_" + llvm::utohexstr(llvm::xxh3_64bits(map), /*LowerCase=*/true).substr(0, 8) +
         ".txt";
}

std::string Commented(const std::string& text) { return "// " + Indented(text, "//   ") + "\n"; }

}  // namespace

void PrintReport(const ProgramAuditReport& report, llvm::raw_ostream& os) {
  os << "audit of `" << report.command << "`, seed " << report.seed << ": "
     << SummaryOfAudit(report) << "\n";
  if (!report.causes.empty()) os << Kinds(report) << "\n";
  for (const Cause& cause : report.causes) PrintCause(report, cause, os);
  for (size_t i = 0; i < report.unknown.size() && i < kListed; ++i) {
    const UnknownAnswer& unknown = report.unknown[i];
    os << "\nunknown: " << Indented(unknown.reason, "  ") << "\n  map      "
       << Indented(unknown.map, "           ") << "\n  answer   "
       << Indented(unknown.answer, "           ") << "\n";
  }
  if (report.unknown.size() > kListed) {
    os << "\n" << report.unknown.size() - kListed << " more are unknown; --format json lists all\n";
  }
}

void PrintMarkdown(const ProgramAuditReport& report, llvm::raw_ostream& os) {
  os << "# Audit of `" << report.command << "`\n\n"
     << SummaryOfAudit(report) << " (seed " << report.seed << ").\n\n";
  if (!report.causes.empty()) os << "As they were found: " << Kinds(report) << ".\n\n";
  os << "Each answer is compared with its map as a function from dims and runtime variables "
        "to sets of results; a point outside of the domain has no results.\n";
  for (const Cause& cause : report.causes) MarkdownCause(report, cause, os);
  if (report.unknown.empty()) return;
  os << "\n## Neither proved nor refuted\n";
  for (size_t i = 0; i < report.unknown.size() && i < kListed; ++i) {
    os << "\n";
    Fenced(report.unknown[i].map + "\n\n" + report.unknown[i].answer, os);
  }
}

void WriteAttributes(llvm::json::OStream& json, const ProgramAuditReport& report) {
  json.attribute("program", JsonText(report.command));
  json.attribute("seed", report.seed);
  json.attribute("tried", report.tried);
  json.attribute("equal", report.equal);
  json.attribute("reduced", report.reduced);
  json.attribute("starts", report.starts);
  json.attribute("status", report.status());
  if (!report.stopped.empty()) json.attribute("stopped", report.stopped);
  json.attributeArray("findings", [&] {
    for (const Cause& cause : report.causes) JsonCause(cause, report, json);
  });
  json.attributeArray("kinds", [&] {
    for (int k = 0; k < kNumFaultKinds; ++k) {
      const int64_t findings = report.kinds[static_cast<size_t>(k)];
      if (findings == 0) continue;
      json.object([&] {
        json.attribute("kind", Name(static_cast<FaultKind>(k)));
        json.attribute("findings", findings);
      });
    }
  });
  WriteRows(json, "unknown", report.unknown, [&](const UnknownAnswer& unknown) {
    json.attribute("map", JsonText(unknown.map));
    json.attribute("answer", JsonText(unknown.answer));
    json.attribute("reason", JsonText(unknown.reason));
  });
}

RunReport ToRunReport(const ProgramAuditReport& report) {
  RunReport run{
      .verb = "audit",
      .file = report.command,
      .headline = "audit of `" + report.command + "`, seed " + std::to_string(report.seed),
      .coverage = {{"answers", SummaryOfAudit(report)}},
      .outcome = report.outcome()};
  if (!report.causes.empty()) run.coverage.push_back({"findings", Kinds(report)});
  if (report.equal > 0) {
    run.records.push_back({.verdict = Verdict::kProved,
                           .claim = "answer",
                           .text = "answers that mean what their maps mean",
                           .count = report.equal});
  }
  for (const Cause& cause : report.causes) {
    ReportRecord record{.verdict = Verdict::kRefuted,
                        .claim = "answer",
                        .subject = cause.map,
                        .aspect = Name(cause.kind),
                        .text = std::string(Name(cause.kind)) + ": " + Explain(cause.kind) + ": '" +
                                cause.map + "'",
                        .actual = cause.answer,
                        .replay = AskCommand(report, cause.map),
                        .count = cause.count};
    if (!cause.answer.empty()) record.details.push_back("answer: " + cause.answer);
    if (cause.witness) {
      WitnessText witness = TextOf(*cause.witness, cause.map);
      record.element = witness.point;
      record.expected = witness.of_map;
      record.actual = witness.of_answer;
      record.details.push_back("at " + witness.point + ": the map has " + witness.of_map +
                               ", the answer " + witness.of_answer);
      record.details.push_back("proof: " + ProveCommand(cause));
    }
    if (!cause.detail.empty()) record.details.push_back(cause.detail);
    run.records.push_back(std::move(record));
  }
  for (const UnknownAnswer& unknown : report.unknown) {
    run.records.push_back({.verdict = Verdict::kUnknown,
                           .claim = "answer",
                           .subject = unknown.map,
                           .text = unknown.reason,
                           .actual = unknown.answer,
                           .replay = AskCommand(report, unknown.map)});
  }
  if (report.equal == 0 && report.causes.empty() && report.unknown.empty() &&
      run.outcome != Verdict::kProved) {
    run.records.push_back(
        {.verdict = Verdict::kUnknown, .claim = "coverage", .text = "no answer was judged"});
  }
  run.verdict = Name(run.outcome);
  run.verdict_line = run.verdict + ": " + SummaryOfAudit(report);
  return run;
}

llvm::Error SaveFindings(ProgramAuditReport& report, const std::string& folder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder)) {
    return MakeError("--save: cannot create '" + folder + "': " + code.message());
  }
  const std::string program = "affirm audit --program " + ShellQuoted(report.command) + " --maps ";
  for (Cause& cause : report.causes) {
    std::string path = folder + "/" + FileName(Name(cause.kind), cause.map);
    std::string text = Commented(std::string(Name(cause.kind)) + ": " + Explain(cause.kind));
    if (!cause.answer.empty()) text += Commented("answer: " + cause.answer);
    if (cause.witness) {
      WitnessText witness = TextOf(*cause.witness, cause.map);
      text += Commented("at " + witness.point + ": the map has " + witness.of_map +
                        ", the answer " + witness.of_answer);
    }
    if (!cause.detail.empty()) text += Commented(cause.detail);
    text += Commented("replay: " + program + ShellQuoted(path));
    if (llvm::Error error = Write(path, text + cause.map + "\n")) return error;
    cause.file = path;
  }
  for (const UnknownAnswer& unknown : report.unknown) {
    std::string path = folder + "/" + FileName("unknown", unknown.map);
    std::string text = Commented("unknown: " + unknown.reason) +
                       Commented("answer: " + unknown.answer) +
                       Commented("replay: " + program + ShellQuoted(path));
    if (llvm::Error error = Write(path, text + unknown.map + "\n")) return error;
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
