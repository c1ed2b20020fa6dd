// The report of a check as records: what was covered and in what time, a record for each finding
// and for each instruction, kernel and module that is covered.
#include <algorithm>
#include <map>

#include "driver/check/check.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

std::string Of(int64_t some, int64_t all) {
  return std::to_string(some) + " of " + std::to_string(all);
}

bool IsProved(const Proof& proof) { return proof.verdict == Verdict::kProved; }

void AddMapRows(const ModuleReport& report, std::vector<CoverageRow>& rows) {
  int64_t proved = 0;
  double ms = 0;
  for (const MapCheck& check : report.maps) {
    proved += IsProved(check.proof);
    ms += check.proof.ms;
  }
  rows.push_back({"maps", Of(proved, report.maps.size()) + " are proved to be what is read", ms});
  int64_t composed = 0;
  double composed_ms = 0;
  for (const ComposedCheck& check : report.composed) {
    const bool back =
        check.input_to_output.maps.empty() || IsProved(check.input_to_output.semantics);
    composed += IsProved(check.composition) && IsProved(check.semantics) && back;
    composed_ms += check.composition.ms + check.semantics.ms + check.input_to_output.semantics.ms;
  }
  rows.push_back({"composed maps", Of(composed, report.composed.size()) + " are proved, both ways",
                  composed_ms});
  const SimplificationCheck& all = report.simplification;
  rows.push_back({"simplification",
                  Of(all.proved, all.compositions) + " results are proved equal, " +
                      Of(all.replayed, all.steps) + " steps replayed",
                  all.ms});
  if (report.certificates) rows.push_back(CertificatesRow(*report.certificates));
}

std::string MemoryText(const MemoryCheck& memory) {
  std::string text = std::to_string(memory.arrays) + " arrays in " + std::to_string(memory.bytes) +
                     " bytes, " + std::to_string(memory.conflicts) + " written over while needed";
  if (memory.copies > 0) text += ", " + std::to_string(memory.copies) + " copied at the end";
  return text;
}

void AddKernelRows(const ModuleReport& report, std::vector<CoverageRow>& rows) {
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
  rows.push_back(
      {"kernels", Of(proved, kernels) + " are proved, all claims about their LLVM IR", proof_ms});
  std::string text =
      ran == 0 ? "none ran as a whole" : Of(agree, ran) + " that ran agree with the interpreter";
  if (agree > 0) {
    text += ulp == kFarApart ? ", largest error: no neighbors"
                             : ", largest error " + std::to_string(ulp) + " ULP";
  }
  if (sampled > 0) text += "; samples of " + std::to_string(sampled);
  rows.push_back({"their runs", std::move(text), run_ms});
}

void AddCollectiveRow(const ModuleReport& report, std::vector<CoverageRow>& rows) {
  const std::vector<CollectiveCheck>& all = report.whole.collectives;
  if (all.empty()) return;
  int64_t agree = 0, step = 1;
  for (const CollectiveCheck& check : all) {
    agree += check.runs > 0 && check.why_not.empty() && check.comparison.mismatches == 0;
    step = std::max(step, check.step);
  }
  std::string text = Of(agree, std::ssize(all)) +
                     " exchanged by their maps agree with the interpreter, on " +
                     std::to_string(report.devices.devices.count()) +
                     (report.devices.devices.count() == 1 ? " device" : " devices");
  if (step > 1) text += ", down to one element in " + std::to_string(step);
  rows.push_back({"collectives", std::move(text)});
}

bool Agrees(const LibraryCheck& check) {
  return check.runs > 0 && check.why_not.empty() && check.comparison.mismatches == 0;
}

void AddLibraryRow(const ModuleReport& report, std::vector<CoverageRow>& rows) {
  const std::vector<LibraryCheck>& all = report.whole.libraries;
  if (all.empty()) return;
  rows.push_back({"library ops", Of(llvm::count_if(all, Agrees), std::ssize(all)) +
                                     " agree with the interpreter, as loops of kernels"});
}

std::string ModuleText(const WholeCheck& whole) {
  if (whole.runs > 0) {
    return whole.comparison.mismatches == 0
               ? "agrees with the interpreter, " + std::to_string(whole.runs) +
                     (whole.runs == 1 ? " run" : " runs")
               : "differs from the interpreter";
  }
  if (whole.proved_by_kernels && whole.several_orders)
    return "summed in several orders: its kernels together are proved to be it";
  if (whole.proved_by_kernels) return "too large to run: its kernels together are proved to be it";
  return "not compared";
}

void AddCheckNotes(const ModuleReport& report, std::vector<ReportNote>& notes) {
  for (const GivenUp& unit : report.given_up) {
    notes.push_back({"given up", unit.unit + ", after " + Fixed(unit.seconds, 1) + " s of " +
                                     Fixed(report.time_limit, 1) + " s: " + unit.why});
  }
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
    notes.push_back(
        {"not proved: " + llvm::join(names, ", "), "'" + check.fusion + "': " + reason});
  }
}

// The first name in quotes.
std::string FirstName(llvm::StringRef text) {
  return text.split('\'').second.split('\'').first.str();
}

// The subject of the sentence, without the values that were found: "map of reverse 'r' for operand
// 0".
std::string AspectOf(llvm::StringRef text) {
  llvm::StringRef aspect = text.split(": ").first;
  auto [before, at] = aspect.split(" at [");
  return at.empty() ? aspect.str() : before.str();
}

class LedgerRecords {
 public:
  explicit LedgerRecords(const ModuleReport& report) : report_(report) {
    for (const LedgerRow& row : report.ledger) {
      if (row.kind != LedgerRow::Kind::kModule) rows_.emplace(row.name, &row);
    }
  }

  ReportRecord Of(const Finding& finding) const {
    ReportRecord record{
        .verdict = finding.kind == Finding::Kind::kUnknown ? Verdict::kUnknown : Verdict::kRefuted,
        .claim = finding.claim,
        .scope = report_.module,
        .title = Name(finding.kind),
        .text = finding.text,
        .element = finding.element,
        .expected = finding.expected,
        .actual = finding.actual,
        .replay = finding.replay};
    record.where = TakeSourceRegion(report_.file, record.text);
    record.subject = FirstName(record.text);
    record.aspect = AspectOf(record.text);
    if (record.where.line == 0) record.where = PlaceInside(record.text);
    const auto row = rows_.find(record.subject);
    if (row == rows_.end()) return record;
    record.scope = ScopeOf(*row->second);
    // A place that the sentence does not say.
    if (record.where.line == 0) record.where = RegionOf(*row->second);
    return record;
  }

  // The coverage of a row.
  ReportRecord Of(const LedgerRow& row) const {
    const bool instruction = row.kind == LedgerRow::Kind::kInstruction;
    const bool module = row.kind == LedgerRow::Kind::kModule;
    const bool compared = row.value == LedgerRow::Value::kCompared;
    return {.verdict = compared ? Verdict::kExecuted : Verdict::kProved,
            .claim = instruction ? "instruction"
                     : module    ? "module"
                                 : "kernel",
            .where = RegionOf(row),
            .scope = ScopeOf(row),
            .subject = row.name,
            .text = Text(row)};
  }

 private:
  static std::string Text(const LedgerRow& row) {
    std::string text = Name(row.value);
    if (row.map) text += std::string(", maps ") + affirm::Name(*row.map);
    return row.by.empty() ? text : text + ", by " + row.by;
  }
  // The place in a text such as "the interpreter has no value: 4:8: error: ...".
  SourceRegion PlaceInside(llvm::StringRef text) const {
    SourceRegion region{report_.file};
    for (llvm::StringRef rest = text; !rest.empty(); rest = rest.split(": ").second) {
      llvm::StringRef place = rest;
      if (place.consumeInteger(10, region.line) || !place.consume_front(":")) continue;
      if (place.consumeInteger(10, region.column) || !place.starts_with(": error: ")) continue;
      return region;
    }
    return {report_.file};
  }
  std::string ScopeOf(const LedgerRow& row) const {
    return row.computation.empty() ? report_.module : report_.module + "/" + row.computation;
  }
  SourceRegion RegionOf(const LedgerRow& row) const {
    return {report_.file, row.where.line, row.where.column};
  }

  const ModuleReport& report_;
  std::map<std::string, const LedgerRow*> rows_;  // by name
};

}  // namespace

CoverageRow CertificatesRow(const CertificatesCheck& certificates) {
  return {"certificates", Of(certificates.written, certificates.NumClaims()) +
                              " claims about maps that are proved have one"};
}

RunReport ToRunReport(const ModuleReport& report) {
  RunReport run{.verb = "check",
                .file = report.file,
                .headline = report.file + ": module " + report.module + ", " +
                            std::to_string(report.computations) + " computations, " +
                            std::to_string(report.instructions) + " instructions",
                .verdict = report.Worst() ? Name(report.Worst()->kind) : "affirmed",
                .verdict_line = VerdictLine(report),
                .outcome = report.outcome(),
                // A module is affirmed by proofs of its maps and by executing its kernels.
                .accepted = Verdict::kExecuted};
  AddMapRows(report, run.coverage);
  run.coverage.push_back({"memory", MemoryText(report.memory)});
  AddKernelRows(report, run.coverage);
  AddCollectiveRow(report, run.coverage);
  AddLibraryRow(report, run.coverage);
  run.coverage.push_back({"module", ModuleText(report.whole)});
  AddCheckNotes(report, run.notes);
  const LedgerRecords records(report);
  for (const Finding& finding : report.findings) run.records.push_back(records.Of(finding));
  for (const LedgerRow& row : report.ledger) {
    if (row.IsCovered()) run.records.push_back(records.Of(row));
  }
  return run;
}

}  // namespace affirm::driver
