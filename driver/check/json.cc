// The report of a check as JSON.
#include "llvm/Support/JSON.h"

#include "driver/check/check.h"
#include "driver/json_text.h"

namespace affirm::driver {
namespace {

using llvm::json::OStream;

void Number(OStream& json, llvm::StringRef key, double value, int digits) {
  json.attributeBegin(key);
  json.rawValue(Fixed(value, digits));
  json.attributeEnd();
}

void WriteProof(OStream& json, llvm::StringRef key, const Proof& proof) {
  json.attributeObject(key, [&] {
    json.attribute("verdict", affirm::Name(proof.verdict));
    json.attribute("engine", proof.engine);
    Number(json, "ms", proof.ms, 3);
    if (!proof.detail.empty()) json.attribute("detail", JsonText(proof.detail));
  });
}

void WriteMaps(OStream& json, const ModuleReport& report) {
  json.attributeArray("maps", [&] {
    for (const MapCheck& check : report.maps) {
      json.object([&] {
        json.attribute("computation", JsonText(check.computation));
        json.attribute("instruction", JsonText(check.instruction));
        json.attribute("opcode", JsonText(check.opcode));
        json.attribute("output", check.output);
        json.attribute("operand", check.operand);
        json.attributeArray("maps", [&] {
          for (const std::string& map : check.maps) json.value(JsonText(map));
        });
        json.attribute("exactness", affirm::Name(check.exactness));
        WriteProof(json, "proof", check.proof);
      });
    }
  });
  json.attributeArray("composed", [&] {
    for (const ComposedCheck& check : report.composed) {
      json.object([&] {
        json.attribute("fusion", JsonText(check.fusion));
        json.attribute("output", check.output);
        json.attribute("operand", check.operand);
        json.attributeArray("maps", [&] {
          for (const std::string& map : check.maps) json.value(JsonText(map));
        });
        json.attribute("exactness", affirm::Name(check.exactness));
        WriteProof(json, "composition", check.composition);
        WriteProof(json, "access_relation", check.semantics);
        json.attributeObject("input_to_output", [&] {
          json.attributeArray("maps", [&] {
            for (const std::string& map : check.input_to_output.maps) json.value(JsonText(map));
          });
          json.attribute("exactness", affirm::Name(check.input_to_output.exactness));
          WriteProof(json, "access_relation", check.input_to_output.semantics);
        });
      });
    }
  });
}

void WriteSimplification(OStream& json, const SimplificationCheck& all) {
  json.attributeObject("simplification", [&] {
    json.attribute("compositions", all.compositions);
    json.attribute("proved", all.proved);
    Number(json, "ms", all.ms, 3);
    json.attribute("steps", all.steps);
    json.attribute("replayed", all.replayed);
    json.attributeArray("rules", [&] {
      for (const auto& [name, verdict] : all.rules) {
        json.object([&] {
          json.attribute("rule", JsonText(name));
          json.attribute("uses", all.uses.at(name));
          json.attribute("verdict", affirm::Name(verdict.verdict));
          Number(json, "ms", verdict.ms, 3);
          if (verdict.counterexample) {
            json.attribute("counterexample", JsonText(verdict.counterexample->ToString()));
          }
        });
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
    Number(json, "ms", check.run_ms, 3);
    if (!comparison.first) return;
    json.attributeObject("first", [&] {
      json.attribute("output", comparison.first->leaf);
      json.attributeArray("index", [&] {
        for (int64_t i : comparison.first->index) json.value(i);
      });
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
        Number(json, "ms", of.ms, 3);
      });
    }
  });
}

void WriteKernels(OStream& json, const ModuleReport& report) {
  json.attributeArray("kernels", [&] {
    for (const KernelCheck& check : report.kernels) {
      json.object([&] {
        json.attribute("fusion", JsonText(check.fusion));
        json.attribute("name", JsonText(check.name));
        json.attribute("emitter", check.emitter);
        json.attribute("blocks", check.launch.blocks);
        json.attribute("threads", check.launch.threads);
        json.attribute("functions", check.functions);
        if (!check.same_as.empty()) json.attribute("code_of", JsonText(check.same_as));
        json.attributeArray("thread_maps", [&] {
          for (const ThreadMapCheck& map : check.thread_maps) {
            json.object([&] {
              json.attribute("map", JsonText(map.map));
              json.attribute("of", map.what);
              json.attribute("shape", map.shape);
              WriteProof(json, "bijection", map.bijection);
            });
          }
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
  });
}

// Of a module in which devices communicate.
void WriteDevices(OStream& json, const ModuleReport& report) {
  const DevicesCheck& check = report.devices;
  if (check.devices.count() <= 1 && report.whole.collectives.empty()) return;
  json.attributeObject("devices", [&] {
    json.attribute("replicas", check.devices.replicas);
    json.attribute("partitions", check.devices.partitions);
    if (!check.assumed.empty()) json.attribute("assumed", check.assumed);
    json.attributeArray("kernels_on", [&] {
      for (int64_t device : check.kernels_on) json.value(device);
    });
    json.attribute("same_arguments", hlo::Name(report.whole.shared));
    if (!report.whole.why_shared.empty()) {
      json.attribute("because", JsonText(report.whole.why_shared));
    }
  });
  json.attributeArray("collectives", [&] {
    for (const CollectiveCheck& collective : report.whole.collectives) {
      json.object([&] {
        json.attribute("computation", JsonText(collective.computation));
        json.attribute("name", JsonText(collective.instruction));
        json.attribute("opcode", collective.opcode);
        json.attribute("runs", collective.runs);
        json.attribute("every", collective.step);
        json.attribute("elements", collective.comparison.elements);
        json.attribute("mismatches", collective.comparison.mismatches);
        if (!collective.why_not.empty())
          json.attribute("not_covered", JsonText(collective.why_not));
      });
    }
  });
}

// Of a module with ops that run as loops of kernels.
void WriteLibraries(OStream& json, const ModuleReport& report) {
  if (report.whole.libraries.empty()) return;
  json.attributeArray("libraries", [&] {
    for (const LibraryCheck& library : report.whole.libraries) {
      json.object([&] {
        json.attribute("computation", JsonText(library.computation));
        json.attribute("name", JsonText(library.instruction));
        json.attribute("opcode", library.opcode);
        json.attribute("runs", library.runs);
        json.attribute("elements", library.comparison.elements);
        json.attribute("mismatches", library.comparison.mismatches);
        if (!library.why_not.empty()) json.attribute("not_covered", JsonText(library.why_not));
      });
    }
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
  json.attributeArray("arguments", [&] {
    for (const std::string& kind : report.argument_kinds) json.value(kind);
  });
  json.attributeArray("ledger", [&] {
    for (const LedgerRow& row : report.ledger) {
      json.object([&] {
        json.attribute("kind", Name(row.kind));
        if (!row.computation.empty()) json.attribute("computation", JsonText(row.computation));
        json.attribute("name", JsonText(row.name));
        if (row.map) json.attribute("map", affirm::Name(*row.map));
        json.attribute("value", driver::Name(row.value));
        if (!row.by.empty()) json.attribute("kernel_of", JsonText(row.by));
        if (!row.why.empty()) json.attribute("why", JsonText(row.why));
      });
    }
  });
}

}  // namespace

void WriteCertificates(OStream& json, const CertificatesCheck& certificates) {
  json.attributeObject("certificates", [&] {
    json.attribute("claims", certificates.NumClaims());
    json.attribute("written", certificates.written);
    json.attributeArray("without", [&] {
      for (const auto& [why, count] : certificates.without) {
        json.object([&] {
          json.attribute("why", JsonText(why));
          json.attribute("claims", count);
        });
      }
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
    json.attribute("seed", static_cast<int64_t>(report.seed));
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
    json.attributeArray("findings", [&] {
      for (const Finding& finding : report.findings) {
        json.object([&] {
          json.attribute("kind", Name(finding.kind));
          json.attribute("text", JsonText(finding.text));
          json.attribute("replay", JsonText(finding.replay));
        });
      }
    });
    Number(json, "time_limit", report.time_limit, 3);
    json.attributeArray("given_up", [&] {
      for (const GivenUp& unit : report.given_up) {
        json.object([&] {
          json.attribute("unit", JsonText(unit.unit));
          json.attribute("why", JsonText(unit.why));
          Number(json, "ms", unit.seconds * 1000, 1);
        });
      }
    });
    Number(json, "ms", report.ms, 1);
  });
}

}  // namespace affirm::driver
