// A validation as JSON and for people.
#include "driver/json_text.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace affirm::driver {

std::string SampleText(const SampleSummary& sample) {
  std::string text = std::to_string(sample.blocks) + " of " + std::to_string(sample.of_blocks) +
                     " blocks, " + std::to_string(sample.elements) + " of " +
                     std::to_string(sample.of_elements) + " elements";
  if (!sample.not_compared.empty()) text += " (not compared: " + sample.not_compared + ")";
  return text;
}

void WriteCounterexample(llvm::json::OStream& json, const KernelCounterexample& example) {
  json.attribute("block", example.block);
  json.attribute("thread", example.thread);
  json.attribute("buffer", JsonText(example.buffer));
  json.attribute("element", example.element);
  json.attribute("expected", JsonText(example.expected));
  json.attribute("actual", JsonText(example.actual));
  if (example.line > 0) {
    json.attribute("line", example.line);
    json.attribute("instruction", JsonText(example.instruction));
  }
}

void WriteExecuted(llvm::json::OStream& json, const ExecutionSummary& executed) {
  json.object([&] {
    json.attribute("runs", executed.runs);
    json.attribute("elements", executed.elements);
    json.attribute("largest_ulp", executed.largest_ulp);
    if (executed.within > 0) json.attribute("within", executed.within);
    if (executed.left_open > 0) json.attribute("left_open", executed.left_open);
    if (!executed.not_tested.empty()) json.attribute("not_tested", JsonText(executed.not_tested));
    if (!executed.sample) return;
    const SampleSummary& sample = *executed.sample;
    json.attributeObject("sample", [&] {
      json.attribute("blocks", sample.blocks);
      json.attribute("of_blocks", sample.of_blocks);
      json.attribute("elements", sample.elements);
      json.attribute("of_elements", sample.of_elements);
      if (!sample.not_compared.empty()) {
        json.attribute("not_compared", JsonText(sample.not_compared));
      }
    });
  });
}

void WriteJson(llvm::json::OStream& json, const Validation& validation) {
  json.object([&] { WriteAttributes(json, validation); });
}

void WriteAttributes(llvm::json::OStream& json, const Validation& validation) {
  json.attribute("verdict", Name(validation.verdict));
  WriteRows(json, "claims", validation.claims, [&](const ClaimResult& claim) {
    json.attribute("claim", kernel::Name(claim.claim));
    json.attribute("verdict", Name(claim.verdict));
    json.attribute("engine", claim.engine);
    WriteFixed(json, "ms", claim.ms, 3);
    if (claim.counterexample) {
      json.attributeObject("counterexample",
                           [&] { WriteCounterexample(json, *claim.counterexample); });
    }
    if (!claim.reason.empty()) json.attribute("reason", JsonText(claim.reason));
    if (!claim.rests_on.empty()) json.attribute("rests_on", claim.rests_on);
    if (!claim.oracles.empty()) json.attribute("oracles", claim.oracles);
  });
  json.attributeBegin("executed");
  WriteExecuted(json, validation.executed);
  json.attributeEnd();
}

std::string WithinText(double within) {
  if (within == 0) return "";
  return llvm::formatv(", within {0} of the value", llvm::format("%.2g", within)).str();
}

namespace {

std::string ExecutedText(const ExecutionSummary& executed) {
  std::string text;
  if (executed.sample) text = "a sample, " + SampleText(*executed.sample) + "; ";
  return text + std::to_string(executed.runs) + " runs, " + std::to_string(executed.elements) +
         " elements compared, largest error " + std::to_string(executed.largest_ulp) + " ULP" +
         WithinText(executed.within);
}

}  // namespace

std::string VerdictLine(const Validation& validation) {
  std::string line = Name(validation.verdict);
  if (validation.verdict == Verdict::kProved) {
    for (const ClaimResult& claim : validation.claims) {
      if (!claim.rests_on.empty()) return line + " (rests on " + claim.rests_on + ")";
    }
  }
  if (validation.verdict != Verdict::kExecuted) return line;
  const int64_t proved = llvm::count_if(validation.claims, [](const ClaimResult& claim) {
    return claim.verdict == Verdict::kProved;
  });
  return line + " (" + std::to_string(proved) + " of " + std::to_string(validation.claims.size()) +
         " claims proved; values on " + std::to_string(validation.executed.runs) +
         " argument sets)";
}

void PrintReport(llvm::raw_ostream& os, const Validation& validation) {
  for (const ClaimResult& claim : validation.claims) {
    os << llvm::left_justify(kernel::Name(claim.claim), 10)
       << llvm::left_justify(Name(claim.verdict), 9) << " (" << claim.engine << ", "
       << Fixed(claim.ms, 1) << " ms)";
    if (!claim.reason.empty()) os << "  " << claim.reason;
    os << "\n";
  }
  os << "executed: " << ExecutedText(validation.executed) << "\n";
  for (const ClaimResult& claim : validation.claims) {
    if (!claim.oracles.empty()) os << "oracles: " << claim.oracles << "\n";
  }
  os << "verdict: " << VerdictLine(validation) << "\n";
}

namespace {

void AddCounterexample(const KernelCounterexample& example, const std::string& file,
                       ReportRecord& record) {
  if (example.element >= 0)
    record.element = example.buffer + "[" + std::to_string(example.element) + "]";
  record.expected = example.expected;
  record.actual = example.actual;
  if (example.block >= 0) {
    record.details.push_back("by thread " + std::to_string(example.thread) + " of block " +
                             std::to_string(example.block));
  }
  if (example.line > 0) {
    record.details.push_back("at " + file + ":" + std::to_string(example.line) + ": " +
                             example.instruction);
  }
}

}  // namespace

std::vector<ReportRecord> RecordsOf(const Validation& validation, const ValidatedKernel& kernel) {
  std::vector<ReportRecord> records;
  for (const ClaimResult& claim : validation.claims) {
    ReportRecord record{.verdict = claim.verdict,
                        .claim = kernel::Name(claim.claim),
                        .where = kernel.where,
                        .scope = kernel.scope,
                        .subject = kernel.subject,
                        .text = claim.reason,
                        .engine = claim.engine,
                        .ms = claim.ms,
                        .replay = kernel.replay};
    if (claim.verdict != Verdict::kProved) {
      record.text = "kernel '" + kernel.subject + "': " + claim.reason;
    }
    if (claim.counterexample) AddCounterexample(*claim.counterexample, kernel.file, record);
    records.push_back(std::move(record));
  }
  return records;
}

RunReport ToRunReport(const Validation& validation, const ValidatedKernel& kernel) {
  RunReport report{
      .verb = "validate",
      .file = kernel.where.file,
      .headline = kernel.file + ": kernel " + kernel.subject + " against " + kernel.where.file,
      .records = RecordsOf(validation, kernel),
      .verdict = Name(validation.verdict),
      .verdict_line = VerdictLine(validation),
      .outcome = validation.verdict};
  double proof_ms = 0, run_ms = 0;
  for (const ClaimResult& claim : validation.claims)
    (claim.engine == "emulator" ? run_ms : proof_ms) += claim.ms;
  report.coverage.push_back({"claims",
                             std::to_string(report.Count(Verdict::kProved)) + " of " +
                                 std::to_string(validation.claims.size()) +
                                 " are proved of its LLVM IR, for all arguments",
                             proof_ms});
  report.coverage.push_back({"executed", ExecutedText(validation.executed)});
  if (run_ms > 0) report.coverage.back().ms = run_ms;
  return report;
}

}  // namespace affirm::driver
