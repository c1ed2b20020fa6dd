// A comparison of two kernels as text, JSON and records.
#include "driver/json_text.h"
#include "driver/shell_command.h"
#include "driver/validate/kernel_pair.h"

namespace affirm::driver {
namespace {

std::string ExecutedText(const KernelComparison& comparison) {
  return std::to_string(comparison.runs) + " runs of both, " + std::to_string(comparison.elements) +
         " elements compared";
}

std::string VerdictLine(const KernelComparison& comparison) {
  std::string line = Name(comparison.verdict);
  if (comparison.verdict != Verdict::kExecuted) return line;
  return line + " (not proved; " + ExecutedText(comparison) + ")";
}

}  // namespace

void PrintReport(llvm::raw_ostream& os, const KernelComparison& comparison) {
  os << "same      " << Name(comparison.verdict) << " (" << comparison.engine << ", "
     << Fixed(comparison.ms, 1) << " ms)";
  if (!comparison.reason.empty()) os << "  " << comparison.reason;
  os << "\nexecuted: " << ExecutedText(comparison) << "\n";
  if (comparison.counterexample && comparison.counterexample->line > 0) {
    os << "at line " << comparison.counterexample->line << ": "
       << comparison.counterexample->instruction << "\n";
  }
  os << "verdict: " << VerdictLine(comparison) << "\n";
}

void WriteAttributes(llvm::json::OStream& json, const KernelComparison& comparison) {
  json.attribute("verdict", Name(comparison.verdict));
  json.attribute("engine", comparison.engine);
  WriteFixed(json, "ms", comparison.ms, 3);
  if (!comparison.reason.empty()) json.attribute("reason", JsonText(comparison.reason));
  if (comparison.counterexample) {
    json.attributeObject("counterexample",
                         [&] { WriteCounterexample(json, *comparison.counterexample); });
  }
  json.attributeObject("executed", [&] {
    json.attribute("runs", comparison.runs);
    json.attribute("elements", comparison.elements);
  });
}

RunReport ToRunReport(const KernelComparison& comparison, const KernelPairFiles& files,
                      const std::string& subject, uint64_t seed) {
  ReportRecord record{.verdict = comparison.verdict,
                      .claim = "same-kernel",
                      .where = {.file = files.after},
                      .subject = subject,
                      .text = comparison.reason,
                      .engine = comparison.engine,
                      .ms = comparison.ms,
                      .replay = "affirm validate --kernel " + ShellQuoted(files.after) +
                                " --against " + ShellQuoted(files.before) + " --launch " +
                                ShellQuoted(files.launch) + " --seed " + std::to_string(seed)};
  if (comparison.counterexample) {
    const KernelCounterexample& example = *comparison.counterexample;
    if (example.element >= 0)
      record.element = example.buffer + "[" + std::to_string(example.element) + "]";
    record.expected = example.expected;
    record.actual = example.actual;
    record.where.line = example.line;
  }
  return {.verb = "validate",
          .file = files.after,
          .headline = files.after + ": kernel " + subject + " against " + files.before,
          .coverage = {{"executed", ExecutedText(comparison)}},
          .records = {std::move(record)},
          .verdict = Name(comparison.verdict),
          .verdict_line = VerdictLine(comparison),
          .outcome = comparison.verdict};
}

}  // namespace affirm::driver
