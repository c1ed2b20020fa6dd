// A validation as JSON and for people.
#include "driver/json_text.h"
#include "driver/validate/validate.h"

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
  json.object([&] {
    json.attribute("verdict", Name(validation.verdict));
    json.attributeArray("claims", [&] {
      for (const ClaimResult& claim : validation.claims) {
        json.object([&] {
          json.attribute("claim", kernel::Name(claim.claim));
          json.attribute("verdict", Name(claim.verdict));
          json.attribute("engine", claim.engine);
          json.attributeBegin("ms");
          json.rawValue(Fixed(claim.ms, 3));
          json.attributeEnd();
          if (claim.counterexample) {
            json.attributeObject("counterexample",
                                 [&] { WriteCounterexample(json, *claim.counterexample); });
          }
          if (!claim.reason.empty()) json.attribute("reason", JsonText(claim.reason));
        });
      }
    });
    json.attributeBegin("executed");
    WriteExecuted(json, validation.executed);
    json.attributeEnd();
  });
}

void PrintReport(llvm::raw_ostream& os, const Validation& validation) {
  for (const ClaimResult& claim : validation.claims) {
    os << llvm::left_justify(kernel::Name(claim.claim), 10)
       << llvm::left_justify(Name(claim.verdict), 9) << " (" << claim.engine << ", "
       << Fixed(claim.ms, 1) << " ms)";
    if (!claim.reason.empty()) os << "  " << claim.reason;
    os << "\n";
  }
  const ExecutionSummary& executed = validation.executed;
  os << "executed: ";
  if (executed.sample) os << "a sample, " << SampleText(*executed.sample) << "; ";
  os << executed.runs << " runs, " << executed.elements << " elements compared, largest error "
     << executed.largest_ulp << " ULP\n";
  os << "verdict: " << Name(validation.verdict) << "\n";
}

}  // namespace affirm::driver
