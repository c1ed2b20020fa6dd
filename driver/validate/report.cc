// A validation as JSON and for people.
#include "driver/json_text.h"
#include "driver/validate/validate.h"

namespace affirm::driver {

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
    json.attributeObject("executed", [&] {
      json.attribute("runs", validation.executed.runs);
      json.attribute("elements", validation.executed.elements);
      json.attribute("largest_ulp", validation.executed.largest_ulp);
    });
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
  os << "executed: " << executed.runs << " runs, " << executed.elements
     << " elements compared, largest error " << executed.largest_ulp << " ULP\n";
  os << "verdict: " << Name(validation.verdict) << "\n";
}

}  // namespace affirm::driver
