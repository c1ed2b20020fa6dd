// The report of a check that fits a screen: what was covered and in what time, and all that is
// wrong or open, alike things in one line.
#include <algorithm>
#include <regex>

#include "driver/check/check.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

constexpr size_t kMostGroups = 20;    // of findings, and of open claims half as many
constexpr size_t kMostColumns = 200;  // of a line of text that somebody else wrote

std::string Cut(const std::string& text) {
  llvm::StringRef line = llvm::StringRef(text).take_until([](char c) { return c == '\n'; });
  if (line.size() <= kMostColumns) return line.str();
  return line.take_front(kMostColumns - 4).str() + " ...";
}

std::string Of(int64_t some, int64_t all) {
  return std::to_string(some) + " of " + std::to_string(all);
}

void Row(llvm::StringRef name, const std::string& text, double ms, llvm::raw_ostream& os) {
  os << "  " << llvm::left_justify(name, 16) << llvm::left_justify(text, 72) << "  " << Fixed(ms, 1)
     << " ms\n";
}

bool IsProved(const Proof& proof) { return proof.verdict == Verdict::kProved; }

void MapRows(const ModuleReport& report, llvm::raw_ostream& os) {
  int64_t proved = 0;
  double ms = 0;
  for (const MapCheck& check : report.maps) {
    proved += IsProved(check.proof);
    ms += check.proof.ms;
  }
  Row("maps", Of(proved, report.maps.size()) + " are proved to be what is read", ms, os);
  int64_t composed = 0;
  double composed_ms = 0;
  for (const ComposedCheck& check : report.composed) {
    const bool back =
        check.input_to_output.maps.empty() || IsProved(check.input_to_output.semantics);
    composed += IsProved(check.composition) && IsProved(check.semantics) && back;
    composed_ms += check.composition.ms + check.semantics.ms + check.input_to_output.semantics.ms;
  }
  Row("composed maps", Of(composed, report.composed.size()) + " are proved, both ways", composed_ms,
      os);
  const SimplificationCheck& all = report.simplification;
  Row("simplification",
      Of(all.proved, all.compositions) + " results are proved equal, " +
          Of(all.replayed, all.steps) + " steps replayed",
      all.ms, os);
}

std::string MemoryText(const MemoryCheck& memory) {
  std::string text = std::to_string(memory.arrays) + " arrays in " + std::to_string(memory.bytes) +
                     " bytes, " + std::to_string(memory.conflicts) + " written over while needed";
  if (memory.copies > 0) text += ", " + std::to_string(memory.copies) + " copied at the end";
  return text;
}

void KernelRows(const ModuleReport& report, llvm::raw_ostream& os) {
  int64_t proved = 0, ran = 0, sampled = 0, agree = 0, ulp = 0;
  double proof_ms = 0, run_ms = 0;
  for (const KernelCheck& check : report.kernels) {
    proved += check.is_proved();
    if (check.proof) {
      for (const kernel::ClaimProof& claim : check.proof->claims) proof_ms += claim.ms;
    }
    for (const ThreadMapCheck& map : check.thread_maps) proof_ms += map.bijection.ms;
    run_ms += check.run_ms;
    ran += check.runs > 0;
    sampled += check.runs == 0 && check.sample.has_value();
    agree += check.runs > 0 && !check.failed && check.comparison.mismatches == 0;
    ulp = std::max(ulp, check.comparison.max_ulp);
  }
  const auto kernels = static_cast<int64_t>(report.kernels.size());
  Row("kernels", Of(proved, kernels) + " are proved, all claims about their LLVM IR", proof_ms, os);
  std::string text =
      ran == 0 ? "none ran as a whole" : Of(agree, ran) + " that ran agree with the interpreter";
  if (agree > 0) {
    text += ulp == kFarApart ? ", largest error: no neighbors"
                             : ", largest error " + std::to_string(ulp) + " ULP";
  }
  if (sampled > 0) text += "; samples of " + std::to_string(sampled);
  Row("their runs", text, run_ms, os);
}

void CollectiveRow(const ModuleReport& report, llvm::raw_ostream& os) {
  const std::vector<CollectiveCheck>& all = report.whole.collectives;
  if (all.empty()) return;
  int64_t agree = 0, step = 1;
  for (const CollectiveCheck& check : all) {
    agree += check.runs > 0 && check.why_not.empty() && check.comparison.mismatches == 0;
    step = std::max(step, check.step);
  }
  os << "  " << llvm::left_justify("collectives", 16) << Of(agree, std::ssize(all))
     << " exchanged by their maps agree with the interpreter, on " << report.devices.devices.count()
     << (report.devices.devices.count() == 1 ? " device" : " devices");
  if (step > 1) os << ", down to one element in " << step;
  os << "\n";
}

std::string ModuleText(const WholeCheck& whole) {
  if (whole.runs > 0) {
    return whole.comparison.mismatches == 0
               ? "agrees with the interpreter, " + std::to_string(whole.runs) +
                     (whole.runs == 1 ? " run" : " runs")
               : "differs from the interpreter";
  }
  if (whole.proved_by_kernels) return "too large to run: its kernels together are proved to be it";
  return "not compared";
}

// What two lines that say the same of two things have in common: no places, names and numbers.
std::string Kind(const std::string& text) {
  static const std::regex kPlace(R"(^\d+:\d+: )"), kName("'[^']*'"), kNumber(R"([%\w.\-]*\d+)");
  std::string kind = text.substr(0, 400);  // all that a regular expression is asked to look at
  kind = std::regex_replace(kind, kPlace, "");
  kind = std::regex_replace(kind, kName, "'");
  return std::regex_replace(kind, kNumber, "0");
}

struct Group {
  std::string title, first, kind;  // "UNKNOWN", "values"; the first text
  int64_t count = 0;
};

class Groups {
 public:
  void Add(const std::string& title, const std::string& text) {
    std::string kind = Kind(text);
    auto known = llvm::find_if(
        groups_, [&](const Group& group) { return group.title == title && group.kind == kind; });
    if (known == groups_.end())
      groups_.push_back({title, text, std::move(kind), 1});
    else
      ++known->count;
  }
  // At most so many, the most frequent ones of those that are left last.
  void Print(size_t most, llvm::raw_ostream& os) const {
    int64_t rest = 0;
    for (auto [k, group] : llvm::enumerate(groups_)) {
      if (k >= most) {
        rest += group.count;
        continue;
      }
      os << group.title << (group.count > 1 ? " (" + std::to_string(group.count) + " alike) " : " ")
         << Cut(group.first) << "\n";
    }
    if (rest > 0) os << "and " << rest << " more of other kinds (-v)\n";
  }
  bool empty() const { return groups_.empty(); }

 private:
  std::vector<Group> groups_;
};

void PrintGivenUpUnits(const ModuleReport& report, llvm::raw_ostream& os) {
  Groups units;
  for (const GivenUp& unit : report.given_up) {
    units.Add("  given up", unit.unit + ", after " + Fixed(unit.seconds, 1) + " s of " +
                                Fixed(report.time_limit, 1) + " s: " + unit.why);
  }
  units.Print(kMostGroups / 4, os);
}

void PrintOpenClaims(const ModuleReport& report, llvm::raw_ostream& os) {
  Groups open;
  for (const KernelCheck& check : report.kernels) {
    if (!check.proof || check.is_proved()) continue;
    std::vector<std::string> names;
    std::string reason;
    for (kernel::Claim claim : kernel::kClaims) {
      const kernel::ClaimProof& of = check.proof->Of(claim);
      if (of.verdict == Verdict::kProved) continue;
      names.push_back(kernel::Name(claim));
      if (reason.empty()) reason = of.reason;
    }
    open.Add("  not proved: " + llvm::join(names, ", "), "'" + check.fusion + "': " + reason);
  }
  open.Print(kMostGroups / 2, os);
}

void PrintFindings(const ModuleReport& report, llvm::raw_ostream& os) {
  Groups wrong, unknown;
  for (const Finding& finding : report.findings) {
    const bool open = finding.kind == Finding::Kind::kUnknown;
    llvm::StringRef text = finding.text;
    text.consume_front(report.file + ":");  // it is said above
    (open ? unknown : wrong).Add(Name(finding.kind), text.str());
  }
  if (wrong.empty() && unknown.empty()) return;
  os << "\n";
  wrong.Print(kMostGroups / 2, os);
  unknown.Print(kMostGroups / 2, os);
  const Finding* worst = report.Worst();
  os << "    replay: " << worst->replay << "\n";
}

}  // namespace

void PrintSummary(const ModuleReport& report, llvm::raw_ostream& os) {
  os << report.file << ": module " << report.module << ", " << report.computations
     << " computations, " << report.instructions << " instructions\n";
  MapRows(report, os);
  os << "  " << llvm::left_justify("memory", 16) << MemoryText(report.memory) << "\n";
  KernelRows(report, os);
  CollectiveRow(report, os);
  os << "  " << llvm::left_justify("module", 16) << ModuleText(report.whole) << "\n";
  PrintGivenUpUnits(report, os);
  PrintOpenClaims(report, os);
  PrintFindings(report, os);
  PrintVerdict(report, os);
}

}  // namespace affirm::driver
