// A dump as records: one for each step that changes a module, for its buffers, for each fault of an
// emitter, and for each claim about a kernel.
#include <map>

#include "driver/dump/row_text.h"
#include "driver/exit_status.h"
#include "driver/shell_command.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// The records of one module, in the order in which FirstWrong looks for what is wrong.
class ModuleRecords {
 public:
  ModuleRecords(const DumpModule& module, const std::string& replay, RunReport& report)
      : module_(module),
        replay_(replay + " --module " + ShellQuoted(module.name)),
        report_(report) {}

  void Add() {
    for (const PassRow& row : module_.passes) AddPass(row);
    if (module_.buffers) AddBuffers(*module_.buffers);
    for (const EmitterLog& log : module_.emitters) AddEmitter(log);
    for (const KernelRow& row : module_.kernels) AddKernel(row);
    for (const SliceCopy& copy : module_.copies) {
      ReportRecord record = Make(copy.verdict, "copy", copy.where, copy.instruction);
      record.text = CopyText(copy);
      report_.records.push_back(std::move(record));
    }
    for (const ConstantRow& row : module_.constants) AddConstant(row);
    if (module_.run) AddRun(*module_.run);
    for (const std::string& fault : module_.faults) AddUnknown("schedule", "schedule", fault);
    for (const Uncovered& of : module_.not_covered)
      AddUnknown("coverage", of.name, "not covered: " + of.text);
    for (const Uncovered& of : module_.assumed)
      report_.notes.push_back({"assumed", of.text, module_.name});
  }

 private:
  ReportRecord Make(Verdict verdict, const char* claim, SourceRegion where,
                    const std::string& subject) const {
    return {.verdict = verdict,
            .claim = claim,
            .where = std::move(where),
            .scope = module_.name,
            .subject = subject,
            .replay = replay_};
  }

  void AddUnknown(const char* claim, const std::string& subject, const std::string& text) {
    ReportRecord record = Make(Verdict::kUnknown, claim, {}, subject);
    record.text = text;
    report_.records.push_back(std::move(record));
  }

  // A run is no claim if it decides nothing, or is not needed because everything is proved.
  void AddRun(const WholeRun& run) {
    const bool is_needed = run.verdict != Verdict::kExecuted || !module_.not_covered.empty();
    if (!is_needed || run.is_undecidable) {
      report_.notes.push_back(
          {std::string("run ") + Name(run.verdict), RunText(run), module_.name});
      return;
    }
    ReportRecord record = Make(run.verdict, "program", {}, module_.name);
    if (run.difference) record.aspect = "result " + std::to_string(run.difference->leaf);
    record.text = RunText(run);
    report_.records.push_back(std::move(record));
  }

  void AddPass(const PassRow& row) {
    // A pass may run several times.
    const int64_t run = ++runs_[row.pipeline + '/' + row.pass];
    if (!row.changed && row.verdict == Verdict::kProved) return;
    ReportRecord record = Make(row.verdict, "pass", {row.after, row.line}, row.pass);
    record.aspect = row.pipeline + " " + std::to_string(run);
    record.text = row.reason;
    if (!row.replay.empty()) record.replay = row.replay;
    for (const ResultEquivalence& of : row.equivalence.results) record.ms += of.ms;
    if (row.verdict == Verdict::kUnknown)
      record.text = PassText(row) + " of '" + module_.name + "': " + row.reason;
    if (row.verdict == Verdict::kRefuted) AddDifference(row, record);
    report_.records.push_back(std::move(record));
  }

  void AddDifference(const PassRow& row, ReportRecord& record) const {
    const ExecutedDifference& difference = *row.equivalence.difference;
    record.text = PassText(row) + " changes the result of '" + module_.name +
                  "': " + DifferenceText(difference);
    record.element = IndexText(difference);
    record.expected = difference.a;
    record.actual = difference.b;
    for (const auto& [name, value] : difference.arguments)
      record.details.push_back(name + " = " + value);
    if (!difference.terms.empty()) record.details.push_back("terms: " + difference.terms);
    if (!difference.note.empty()) record.details.push_back(difference.note);
    record.details.push_back("before  " + FileName(row.before));
    record.details.push_back("after   " + FileName(row.after));
  }

  void AddBuffers(const BufferLives& buffers) {
    for (const BufferConflict& conflict : buffers.conflicts) {
      ReportRecord record = Make(Verdict::kRefuted, "buffers", {}, conflict.value);
      record.aspect = conflict.overwritten_by;
      record.text = "buffers of '" + module_.name + "': " + ConflictText(conflict);
      report_.records.push_back(std::move(record));
    }
    if (buffers.conflicts.empty())
      report_.records.push_back(Make(Verdict::kProved, "buffers", {}, ""));
  }

  void AddEmitter(const EmitterLog& log) {
    for (const EmitterLog::Wrong& wrong : log.WrongClaims()) {
      ReportRecord record = Make(Verdict::kRefuted, wrong.is_pass ? "emitter-pass" : "emitter-map",
                                 {log.path, wrong.line}, log.kernel);
      record.aspect = wrong.name + ", " + wrong.claim->what;
      record.text = wrong.name + " of the emitter of '" + log.kernel + "': " + wrong.claim->what +
                    ": " + wrong.claim->counterexample;
      report_.records.push_back(std::move(record));
    }
    // An unknown claim about an emitter is covered by the proof of its kernel.
    if (log.dumps_read == 0) {
      report_.notes.push_back({"emitter of " + log.kernel + ": unknown",
                               log.reason.empty() ? log.reason_of_rest : log.reason, module_.name});
    }
  }

  void AddConstant(const ConstantRow& row) {
    ReportRecord record = Make(row.verdict, "constant", row.where, row.instruction);
    record.text = ConstantText(row);
    record.element = row.element;
    record.expected = row.expected;
    record.actual = row.actual;
    report_.records.push_back(std::move(record));
  }

  void AddKernel(const KernelRow& row) {
    const std::string replay = replay_ + " --kernel " + ShellQuoted(row.kernel);
    if (row.validation) {
      const ValidatedKernel kernel{row.where, module_.name, row.kernel, FileName(row.path), replay};
      for (ReportRecord& record : RecordsOf(*row.validation, kernel))
        report_.records.push_back(std::move(record));
      return;
    }
    ReportRecord record = Make(row.verdict, "kernel", row.where, row.kernel);
    record.text = "kernel '" + row.kernel + "': " + row.reason;
    record.replay = replay;
    report_.records.push_back(std::move(record));
  }

  const DumpModule& module_;
  std::string replay_;
  RunReport& report_;
  std::map<std::string, int64_t> runs_;  // of passes
};

}  // namespace

Counts CountsOf(const DumpResult& result) {
  Counts counts;
  auto add_maps = [&](const char* all, const char* proved, const auto& rows) {
    counts.Add(all, std::ssize(rows));
    counts.Add(proved, llvm::count_if(
                           rows, [](const auto& row) { return row.verdict == Verdict::kProved; }));
  };
  for (const DumpModule& module : result.modules) {
    counts.Add("modules");
    counts.Add("files", module.files);
    counts.Add("steps", std::ssize(module.passes));
    if (!module.has_passes && !module.passes.empty()) counts.Add("not told apart");
    for (const PassRow& row : module.passes) {
      if (!row.changed) continue;
      counts.Add("changes");
      counts.Add(std::string("pass ") + Name(row.verdict));
    }
    counts.Add("kernels", std::ssize(module.kernels));
    for (const KernelRow& row : module.kernels)
      counts.Add(std::string("kernel ") + Name(row.verdict));
    counts.Add("copies", std::ssize(module.copies));
    for (const SliceCopy& copy : module.copies)
      counts.Add(std::string("copy ") + Name(copy.verdict));
    counts.Add("constants", std::ssize(module.constants));
    for (const ConstantRow& row : module.constants)
      counts.Add(std::string("constant ") + Name(row.verdict));
    counts.Add("emitters", std::ssize(module.emitters));
    for (const EmitterLog& log : module.emitters) {
      add_maps("emitter passes", "emitter passes proved", log.passes);
      add_maps("emitter maps", "emitter maps proved", log.thread_maps);
      add_maps("emitter maps", "emitter maps proved", log.operand_maps);
    }
    counts.Add("not covered", std::ssize(module.not_covered) + std::ssize(module.faults));
    counts.Add("scheduled", module.scheduled);
    if (!module.buffers) continue;
    counts.Add("buffers");
    counts.Add("values", module.buffers->values);
    counts.Add("pairs", module.buffers->pairs);
    counts.Add("conflicts", std::ssize(module.buffers->conflicts));
  }
  return counts;
}

void AddDumpCoverage(const Counts& counts, RunReport& report) {
  auto number = [&](llvm::StringRef name) { return std::to_string(counts[name]); };
  report.headline = report.file + ": " + number("modules") +
                    (counts["modules"] == 1 ? " module, " : " modules, ") + number("files") +
                    " HLO files";
  double pass_ms = 0, kernel_ms = 0;
  for (const ReportRecord& record : report.records)
    (record.claim == "pass" ? pass_ms : kernel_ms) += record.ms;
  auto counted = [&](llvm::StringRef prefix) {
    const std::string text = counts.VerdictsOf(prefix);
    return text.empty() ? text : " (" + text + ")";
  };
  std::vector<CoverageRow>& rows = report.coverage;
  if (counts["steps"] > 0) {
    rows.push_back(
        {"passes",
         number("changes") + " of " + number("steps") + " steps change a module" + counted("pass "),
         pass_ms});
  }
  if (counts["not told apart"] > 0) rows.push_back({"", kNotToldApart});
  if (counts["kernels"] > 0)
    rows.push_back({"kernels", number("kernels") + " kernels" + counted("kernel "), kernel_ms});
  if (counts["copies"] > 0)
    rows.push_back({"copies", number("copies") + " of slices" + counted("copy ")});
  if (counts["constants"] > 0)
    rows.push_back({"constants", number("constants") + " compared" + counted("constant ")});
  if (counts["emitters"] > 0) {
    rows.push_back(
        {"emitters", number("emitter passes proved") + " of " + number("emitter passes") +
                         " passes that change maps are proved, " + number("emitter maps proved") +
                         " of " + number("emitter maps") + " maps of first dumps"});
  }
  if (counts["buffers"] > 0) {
    rows.push_back({"buffers", number("values") + " values, " + number("pairs") +
                                   " pairs of them share bytes, " + number("conflicts") +
                                   " while both are needed"});
  }
}

void AddUncovered(RunReport& report) {
  if (report.outcome != Verdict::kUnknown || OutcomeOf(report) != Verdict::kProved) return;
  report.records.push_back({.verdict = Verdict::kUnknown,
                            .claim = "coverage",
                            .text = "no pass and no kernel of the dump was checked",
                            .replay = "affirm xla " + ShellQuoted(report.file)});
}

RunReport ToRunReport(const DumpResult& result, const std::string& folder,
                      const std::string& replay) {
  RunReport report{.verb = "xla",
                   .file = folder,
                   .headline = "",
                   .verdict = Name(result.verdict),
                   .verdict_line = VerdictLine(result),
                   .outcome = result.verdict};
  for (const DumpModule& module : result.modules) ModuleRecords(module, replay, report).Add();
  AddDumpCoverage(CountsOf(result), report);
  if (result.reduced) {
    report.coverage.push_back(
        {"reduced", "reduced from " + std::to_string(result.reduced->instructions_before) +
                        " instructions to " + std::to_string(result.reduced->instructions) + ": " +
                        result.reduced->file});
    report.coverage.push_back({"", "replay: " + result.reduced->replay});
  }
  AddUncovered(report);
  return report;
}

}  // namespace affirm::driver
