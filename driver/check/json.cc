// The report of a check as JSON.
#include "llvm/Support/JSON.h"

#include "driver/check/check.h"
#include "driver/json_text.h"

namespace affirm::driver {
namespace {

using llvm::json::OStream;

void WriteProof(OStream& json, llvm::StringRef key, const Proof& proof) {
  json.attributeObject(key, [&] {
    json.attribute("verdict", affirm::Name(proof.verdict));
    json.attribute("engine", proof.engine);
    WriteFixed(json, "ms", proof.ms, 3);
    if (!proof.detail.empty()) json.attribute("detail", JsonText(proof.detail));
  });
}

void WriteMaps(OStream& json, const ModuleReport& report) {
  WriteRows(json, "maps", report.maps, [&](const MapCheck& check) {
    json.attribute("computation", JsonText(check.computation));
    json.attribute("instruction", JsonText(check.instruction));
    json.attribute("opcode", JsonText(check.opcode));
    json.attribute("output", check.output);
    json.attribute("operand", check.operand);
    WriteValues(json, "maps", check.maps);
    json.attribute("exactness", affirm::Name(check.exactness));
    WriteProof(json, "proof", check.proof);
  });
  WriteRows(json, "composed", report.composed, [&](const ComposedCheck& check) {
    json.attribute("fusion", JsonText(check.fusion));
    json.attribute("output", check.output);
    json.attribute("operand", check.operand);
    WriteValues(json, "maps", check.maps);
    json.attribute("exactness", affirm::Name(check.exactness));
    WriteProof(json, "composition", check.composition);
    WriteProof(json, "access_relation", check.semantics);
    json.attributeObject("input_to_output", [&] {
      WriteValues(json, "maps", check.input_to_output.maps);
      json.attribute("exactness", affirm::Name(check.input_to_output.exactness));
      WriteProof(json, "access_relation", check.input_to_output.semantics);
    });
  });
}

void WriteSimplification(OStream& json, const SimplificationCheck& all) {
  json.attributeObject("simplification", [&] {
    json.attribute("compositions", all.compositions);
    json.attribute("proved", all.proved);
    WriteFixed(json, "ms", all.ms, 3);
    json.attribute("steps", all.steps);
    json.attribute("replayed", all.replayed);
    WriteRows(json, "rules", all.rules, [&](const auto& row) {
      const auto& [name, verdict] = row;
      json.attribute("rule", JsonText(name));
      json.attribute("uses", all.uses.at(name));
      json.attribute("verdict", affirm::Name(verdict.verdict));
      WriteFixed(json, "ms", verdict.ms, 3);
      if (verdict.counterexample) {
        json.attribute("counterexample", JsonText(verdict.counterexample->ToString()));
      }
    });
  });
}

void WriteComparison(OStream& json, const KernelCheck& check) {
  const LiteralComparison& comparison = check.comparison;
  json.attributeObject("comparison", [&] {
    json.attribute("target", check.target == ExecutionTarget::kCuda ? "cuda" : "emulator");
    json.attribute("elements", comparison.elements);
    json.attribute("mismatches", comparison.mismatches);
    json.attribute("max_ulp", comparison.max_ulp);
    json.attribute("max_absolute", comparison.max_absolute);
    json.attribute("to_the_bit", check.to_the_bit);
    if (comparison.within > 0) json.attribute("within", comparison.within);
    WriteFixed(json, "ms", check.run_ms, 3);
    if (!comparison.first) return;
    json.attributeObject("first", [&] {
      json.attribute("output", comparison.first->leaf);
      WriteValues(json, "index", comparison.first->index);
      json.attribute("expected", comparison.first->expected);
      json.attribute("actual", comparison.first->actual);
    });
  });
}

void WriteClaims(OStream& json, const kernel::KernelProof& proof) {
  json.attributeArray("claims", [&] {
    for (kernel::Claim claim : kernel::kClaims) {
      const kernel::ClaimProof& of = proof.Of(claim);
      json.object([&] {
        json.attribute("claim", kernel::Name(claim));
        json.attribute("verdict", affirm::Name(of.verdict));
        if (!of.engine.empty()) json.attribute("engine", of.engine);
        if (!of.reason.empty()) json.attribute("reason", JsonText(of.reason));
        if (!of.oracles.empty()) json.attribute("oracles", of.oracles);
        WriteFixed(json, "ms", of.ms, 3);
      });
    }
  });
}

void WriteKernels(OStream& json, const ModuleReport& report) {
  WriteRows(json, "kernels", report.kernels, [&](const KernelCheck& check) {
    json.attribute("fusion", JsonText(check.fusion));
    json.attribute("name", JsonText(check.name));
    json.attribute("emitter", check.emitter);
    json.attribute("blocks", check.launch.blocks);
    json.attribute("threads", check.launch.threads);
    json.attribute("functions", check.functions);
    if (!check.same_as.empty()) json.attribute("code_of", JsonText(check.same_as));
    WriteRows(json, "thread_maps", check.thread_maps, [&](const ThreadMapCheck& map) {
      json.attribute("map", JsonText(map.map));
      json.attribute("of", map.what);
      json.attribute("shape", map.shape);
      WriteProof(json, "bijection", map.bijection);
    });
    if (check.proof) WriteClaims(json, *check.proof);
    json.attribute("runs", check.runs);
    if (!check.why_not.empty()) json.attribute("not_covered", JsonText(check.why_not));
    if (check.sample) {
      json.attributeBegin("executed_in_part");
      WriteExecuted(json, *check.sample);
      json.attributeEnd();
    }
    if (check.runs > 0) WriteComparison(json, check);
  });
}

// Only for a module in which devices communicate.
void WriteDevices(OStream& json, const ModuleReport& report) {
  const DevicesCheck& check = report.devices;
  if (check.devices.count() <= 1 && report.whole.collectives.empty()) return;
  json.attributeObject("devices", [&] {
    json.attribute("replicas", check.devices.replicas);
    json.attribute("partitions", check.devices.partitions);
    if (!check.assumed.empty()) json.attribute("assumed", check.assumed);
    WriteValues(json, "kernels_on", check.kernels_on);
    json.attribute("same_arguments", hlo::Name(report.whole.shared));
    if (!report.whole.why_shared.empty()) {
      json.attribute("because", JsonText(report.whole.why_shared));
    }
  });
  WriteRows(json, "collectives", report.whole.collectives, [&](const CollectiveCheck& collective) {
    json.attribute("computation", JsonText(collective.computation));
    json.attribute("name", JsonText(collective.instruction));
    json.attribute("opcode", collective.opcode);
    json.attribute("runs", collective.runs);
    json.attribute("every", collective.step);
    json.attribute("elements", collective.comparison.elements);
    json.attribute("mismatches", collective.comparison.mismatches);
    if (!collective.why_not.empty()) json.attribute("not_covered", JsonText(collective.why_not));
  });
}

// Only for a module with ops that run as loops of kernels.
void WriteLibraries(OStream& json, const ModuleReport& report) {
  if (report.whole.libraries.empty()) return;
  WriteRows(json, "libraries", report.whole.libraries, [&](const LibraryCheck& library) {
    json.attribute("computation", JsonText(library.computation));
    json.attribute("name", JsonText(library.instruction));
    json.attribute("opcode", library.opcode);
    json.attribute("runs", library.runs);
    json.attribute("elements", library.comparison.elements);
    json.attribute("mismatches", library.comparison.mismatches);
    if (!library.why_not.empty()) json.attribute("not_covered", JsonText(library.why_not));
  });
}

const char* Name(LedgerRow::Kind kind) {
  switch (kind) {
    case LedgerRow::Kind::kInstruction:
      return "instruction";
    case LedgerRow::Kind::kKernel:
      return "kernel";
    case LedgerRow::Kind::kModule:
      return "module";
  }
  return "?";
}

void WriteLedger(OStream& json, const ModuleReport& report) {
  json.attribute("covered", JsonText(report.Covered()));
  WriteValues(json, "arguments", report.argument_kinds);
  WriteRows(json, "ledger", report.ledger, [&](const LedgerRow& row) {
    json.attribute("kind", Name(row.kind));
    if (!row.computation.empty()) json.attribute("computation", JsonText(row.computation));
    json.attribute("name", JsonText(row.name));
    if (row.map) json.attribute("map", affirm::Name(*row.map));
    json.attribute("value", driver::Name(row.value));
    if (!row.by.empty()) json.attribute("kernel_of", JsonText(row.by));
    if (!row.why.empty()) json.attribute("why", JsonText(row.why));
  });
}

}  // namespace

void WriteCertificates(OStream& json, const CertificatesCheck& certificates) {
  json.attributeObject("certificates", [&] {
    json.attribute("claims", certificates.NumClaims());
    json.attribute("written", certificates.written);
    WriteRows(json, "without", certificates.without, [&](const auto& row) {
      const auto& [why, count] = row;
      json.attribute("why", JsonText(why));
      json.attribute("claims", count);
    });
  });
}

void WriteReport(const ModuleReport& report, OStream& json) {
  json.object([&] {
    json.attribute("file", JsonText(report.file));
    json.attribute("module", JsonText(report.module));
    json.attribute("verdict", JsonText(report.verdict()));
    json.attribute("status", report.status());
    json.attribute("computations", report.computations);
    json.attribute("instructions", report.instructions);
    json.attribute("seed", report.seed);
    if (report.made_constants > 0) json.attribute("made_constants", report.made_constants);
    if (report.random_states > 0) json.attribute("random_states", report.random_states);
    if (report.sizes_at_bounds) json.attribute("sizes_at_bounds", true);
    if (report.sizes_as_arguments > 0) {
      json.attribute("sizes_as_arguments", report.sizes_as_arguments);
    }
    WriteMaps(json, report);
    WriteSimplification(json, report.simplification);
    if (report.certificates) WriteCertificates(json, *report.certificates);
    json.attributeObject("memory", [&] {
      json.attribute("arrays", report.memory.arrays);
      json.attribute("bytes", report.memory.bytes);
      json.attribute("sharing_pairs", report.memory.sharing_pairs);
      json.attribute("conflicts", report.memory.conflicts);
      json.attribute("copies", report.memory.copies);
    });
    WriteKernels(json, report);
    WriteDevices(json, report);
    WriteLibraries(json, report);
    WriteLedger(json, report);
    WriteRows(json, "findings", report.findings, [&](const Finding& finding) {
      json.attribute("kind", Name(finding.kind));
      json.attribute("text", JsonText(finding.text));
      json.attribute("replay", JsonText(finding.replay));
    });
    WriteFixed(json, "time_limit", report.time_limit, 3);
    WriteRows(json, "given_up", report.given_up, [&](const GivenUp& unit) {
      json.attribute("unit", JsonText(unit.unit));
      json.attribute("why", JsonText(unit.why));
      WriteFixed(json, "ms", unit.seconds * 1000, 1);
    });
    WriteFixed(json, "ms", report.ms, 1);
  });
}

}  // namespace affirm::driver
