// A dump as JSON and for people.

#include "driver/dump/dump.h"
#include "driver/dump/row_text.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

template <typename Rows>
std::string VerdictCounts(const Rows& rows) {
  RowCounts counts;
  counts.Add(rows);
  return counts.Text();
}

std::string Shortened(const std::string& text) {
  constexpr size_t kLongest = 200;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

void PrintWrongPass(llvm::raw_ostream& os, const PassRow& row) {
  os << "  " << PassText(row) << " changes the result:\n";
  const ExecutedDifference& difference = *row.equivalence.difference;
  os << "    " << DifferenceText(difference) << "\n";
  for (const auto& [name, value] : difference.arguments)
    os << "      " << name << " = " << value << "\n";
  if (!difference.terms.empty()) os << "    terms: " << difference.terms << "\n";
  if (!difference.note.empty()) os << "    " << difference.note << "\n";
  os << "    before  " << FileName(row.before) << "\n    after   " << FileName(row.after)
     << "\n    replay: " << row.replay << "\n";
}

void PrintPass(llvm::raw_ostream& os, const PassRow& row) {
  if (row.verdict == Verdict::kRefuted) return PrintWrongPass(os, row);
  os << "  pass " << llvm::left_justify(row.pass, 32) << " " << Name(row.verdict);
  if (row.verdict == Verdict::kExecuted) {
    os << " (" << row.equivalence.sets << " sets, " << row.equivalence.elements
       << " elements, largest difference " << row.equivalence.largest_ulp << " ULP"
       << WithinText(row.equivalence.widest) << ")";
  }
  if (!row.reason.empty()) os << "  " << Shortened(row.reason);
  os << "\n";
}

// Which claims of a kernel are wrong: "bounds", "races, values".
std::string RefutedClaim(const KernelRow& row) {
  std::vector<std::string> claims;
  for (const ClaimResult& claim : row.validation->claims) {
    if (claim.verdict == Verdict::kRefuted) claims.emplace_back(kernel::Name(claim.claim));
  }
  return llvm::join(claims, ", ");
}

void PrintKernel(llvm::raw_ostream& os, const KernelRow& row) {
  os << "  kernel " << llvm::left_justify(row.kernel, 30) << " " << Name(row.verdict);
  if (!row.reason.empty()) os << "  " << Shortened(row.reason);
  os << "\n";
  if (!row.validation) return;
  os << "    of " << row.instruction << ", " << FileName(row.path) << "\n    ";
  for (const ClaimResult& claim : row.validation->claims)
    os << kernel::Name(claim.claim) << " " << Name(claim.verdict) << "  ";
  os << "\n";
}

void PrintCopy(llvm::raw_ostream& os, const SliceCopy& copy) {
  os << "  " << CopyText(copy) << " " << Name(copy.verdict) << "\n";
}

void PrintBuffers(llvm::raw_ostream& os, const BufferLives& buffers) {
  for (const BufferConflict& conflict : buffers.conflicts) {
    os << "  buffers: " << ConflictText(conflict) << "\n";
  }
  os << "  buffers: " << buffers.values << " values, " << buffers.pairs
     << " pairs of them share bytes, " << buffers.conflicts.size() << " while both are needed\n";
}

void PrintModule(llvm::raw_ostream& os, const DumpModule& module, bool everything) {
  std::vector<PassRow> changes;
  llvm::copy_if(module.passes, std::back_inserter(changes),
                [](const PassRow& row) { return row.changed; });
  os << module.name << ": " << module.files << " HLO files";
  if (!module.passes.empty()) {
    os << ", " << changes.size() << " steps change the module";
    if (!changes.empty()) os << " (" << VerdictCounts(changes) << ")";
  }
  if (!module.kernels.empty())
    os << "; " << module.kernels.size() << " kernels (" << VerdictCounts(module.kernels) << ")";
  if (!module.copies.empty())
    os << "; " << module.copies.size() << " copies (" << VerdictCounts(module.copies) << ")";
  if (!module.constants.empty())
    os << "; " << module.constants.size() << " constants (" << VerdictCounts(module.constants)
       << ")";
  os << "\n";
  for (const PassRow& row : everything ? module.passes : changes) PrintPass(os, row);
  for (const KernelRow& row : module.kernels) PrintKernel(os, row);
  for (const SliceCopy& copy : module.copies) PrintCopy(os, copy);
  for (const ConstantRow& row : module.constants)
    os << "  " << ConstantText(row) << " " << Name(row.verdict) << "\n";
  for (const EmitterLog& log : module.emitters) PrintEmitterLog(os, log, /*verbose=*/true);
  if (module.buffers) PrintBuffers(os, *module.buffers);
  if (module.run)
    os << "  run: " << Name(module.run->verdict) << "  " << RunText(*module.run) << "\n";
  if (!module.has_passes && !module.passes.empty()) os << "  " << kNotToldApart << "\n";
  for (const std::string& fault : module.faults) os << "  schedule: " << Shortened(fault) << "\n";
  for (const Uncovered& of : module.not_covered)
    os << "  not covered: " << Shortened(of.text) << "\n";
  for (const Uncovered& of : module.assumed) os << "  assumed: " << Shortened(of.text) << "\n";
}

void WriteCounterexample(llvm::json::OStream& json, const PassRow& row) {
  json.attributeObject("counterexample", [&] {
    WriteCounterexample(json, *row.equivalence.difference, "before", "after");
    json.attribute("replay", JsonText(row.replay));
  });
}

void WriteCounterexample(llvm::json::OStream& json, const KernelRow& row) {
  for (const ClaimResult& claim : row.validation->claims) {
    if (!claim.counterexample) continue;
    json.attributeObject("counterexample", [&] {
      json.attribute("claim", kernel::Name(claim.claim));
      WriteCounterexample(json, *claim.counterexample);
      json.attribute("file", JsonText(row.path));
    });
    return;
  }
}

void WriteCounterexample(llvm::json::OStream& json, const EmitterLog& log,
                         const EmitterLog::Wrong& wrong) {
  json.attribute("kernel", JsonText(log.kernel));
  json.attributeObject("counterexample", [&] {
    json.attribute("claim", JsonText(wrong.claim->what));
    json.attribute("at", JsonText(wrong.claim->counterexample));
    json.attribute("file", JsonText(log.path));
    json.attribute("line", wrong.line);
  });
}

// "hlo-pass", and the name of the pass.
std::pair<const char*, std::string> StageOf(const WrongPart& wrong) {
  if (wrong.pass) return {"hlo-pass", wrong.pass->pass};
  if (wrong.buffer) return {"buffers", wrong.buffer->value};
  if (wrong.copy) return {"copy", wrong.copy->instruction};
  if (wrong.constant) return {"constant", wrong.constant->instruction};
  if (wrong.run) return {"run", wrong.module->name};
  if (!wrong.emitter) return {"kernel", wrong.kernel->kernel};
  const EmitterLog::Wrong first = wrong.emitter->WrongClaims().front();
  return {first.is_pass ? "emitter-pass" : "emitter-map", first.name};
}

// "pass algsimp", "kernel loop_fusion (bounds)"
std::string PartText(const WrongPart& wrong) {
  if (wrong.pass) return "pass " + wrong.pass->pass;
  if (wrong.buffer) return "the buffer of " + wrong.buffer->value;
  if (wrong.copy) return "copy " + wrong.copy->instruction;
  if (wrong.constant) return "constant " + wrong.constant->instruction;
  if (wrong.run) return "the run of the compiled program";
  if (wrong.emitter) return StageOf(wrong).second + " of the emitter of " + wrong.emitter->kernel;
  return "kernel " + wrong.kernel->kernel + " (" + RefutedClaim(*wrong.kernel) + ")";
}

void WriteFirstWrong(llvm::json::OStream& json, const WrongPart& wrong) {
  json.attributeObject("first_wrong", [&] {
    const auto [stage, name] = StageOf(wrong);
    json.attribute("stage", stage);
    json.attribute("name", JsonText(name));
    json.attribute("part", JsonText(PartText(wrong)));
    json.attribute("module", JsonText(wrong.module->name));
    if (wrong.pass) {
      json.attribute("pipeline", JsonText(wrong.pass->pipeline));
      WriteCounterexample(json, *wrong.pass);
    } else if (wrong.buffer) {
      json.attributeObject("counterexample", [&] {
        json.attribute("value", JsonText(wrong.buffer->value));
        json.attribute("overwritten_by", JsonText(wrong.buffer->overwritten_by));
        json.attribute("read_by", JsonText(wrong.buffer->read_by));
        json.attribute("allocation", wrong.buffer->of_value.allocation);
      });
    } else if (wrong.copy) {
      json.attributeObject("counterexample",
                           [&] { json.attribute("at", JsonText(wrong.copy->reason)); });
    } else if (wrong.constant) {
      json.attributeObject("counterexample", [&] {
        json.attribute("at", JsonText(wrong.constant->reason));
        json.attribute("element", JsonText(wrong.constant->element));
        json.attribute("expected", JsonText(wrong.constant->expected));
        json.attribute("actual", JsonText(wrong.constant->actual));
      });
    } else if (wrong.run) {
      json.attributeObject("counterexample",
                           [&] { json.attribute("at", JsonText(RunText(*wrong.run))); });
    } else if (wrong.emitter) {
      WriteCounterexample(json, *wrong.emitter, wrong.emitter->WrongClaims().front());
    } else {
      WriteCounterexample(json, *wrong.kernel);
    }
  });
}

void WritePass(llvm::json::OStream& json, const PassRow& row) {
  json.object([&] {
    json.attribute("module", JsonText(row.module));
    json.attribute("name", JsonText(row.pass));
    json.attribute("pipeline", JsonText(row.pipeline));
    json.attribute("verdict", Name(row.verdict));
    json.attribute("changed", row.changed);
    json.attribute("before", JsonText(row.before));
    json.attribute("after", JsonText(row.after));
    if (!row.reason.empty()) json.attribute("reason", JsonText(row.reason));
    if (row.changed) {
      json.attributeBegin("equivalence");
      WriteJson(json, row.equivalence, row.replay);
      json.attributeEnd();
    }
  });
}

void WriteKernel(llvm::json::OStream& json, const KernelRow& row) {
  json.object([&] {
    json.attribute("module", JsonText(row.module));
    json.attribute("name", JsonText(row.kernel));
    json.attribute("instruction", JsonText(row.instruction));
    json.attribute("verdict", Name(row.verdict));
    json.attribute("file", JsonText(row.path));
    if (!row.reason.empty()) json.attribute("reason", JsonText(row.reason));
    if (row.validation) {
      json.attributeBegin("validation");
      WriteJson(json, *row.validation);
      json.attributeEnd();
    }
  });
}

void WriteCopy(llvm::json::OStream& json, const SliceCopy& copy) {
  json.object([&] {
    json.attribute("module", JsonText(copy.module));
    json.attribute("instruction", JsonText(copy.instruction));
    json.attribute("verdict", Name(copy.verdict));
    if (!copy.reason.empty()) json.attribute("reason", JsonText(copy.reason));
  });
}

void WriteConstant(llvm::json::OStream& json, const ConstantRow& row) {
  json.object([&] {
    json.attribute("module", JsonText(row.module));
    json.attribute("instruction", JsonText(row.instruction));
    json.attribute("verdict", Name(row.verdict));
    if (!row.reason.empty()) json.attribute("reason", JsonText(row.reason));
  });
}

}  // namespace

void WriteAttributes(llvm::json::OStream& json, const DumpResult& result) {
  json.attribute("verdict", Name(result.verdict));
  WriteValues(json, "assumed", AssumedNames(result));
  // In an order that shards can be merged to, whichever module is in which.
  std::vector<std::string> not_covered;
  for (const DumpModule& module : result.modules) {
    for (const Uncovered& of : module.not_covered) not_covered.push_back(of.text);
  }
  llvm::sort(not_covered);
  WriteValues(json, "not_covered", not_covered);
  if (auto wrong = FirstWrong(result)) WriteFirstWrong(json, *wrong);
  if (result.reduced) {
    json.attributeObject("reduced", [&] {
      json.attribute("file", JsonText(result.reduced->file));
      json.attribute("instructions_before", result.reduced->instructions_before);
      json.attribute("instructions", result.reduced->instructions);
      json.attribute("replay", JsonText(result.reduced->replay));
    });
  }
  auto write_all = [&](llvm::StringRef key, auto DumpModule::* rows, auto write) {
    json.attributeArray(key, [&] {
      for (const DumpModule& module : result.modules) {
        for (const auto& row : module.*rows) write(json, row);
      }
    });
  };
  write_all("passes", &DumpModule::passes, WritePass);
  write_all("kernels", &DumpModule::kernels, WriteKernel);
  write_all("copies", &DumpModule::copies, WriteCopy);
  write_all("constants", &DumpModule::constants, WriteConstant);
  json.attributeArray("emitters", [&] {
    for (const DumpModule& module : result.modules) {
      for (const EmitterLog& log : module.emitters) WriteJson(json, log, module.name);
    }
  });
  WriteRows(json, "modules", result.modules, [&](const DumpModule& module) {
    json.attribute("name", JsonText(module.name));
    json.attribute("files", module.files);
    if (module.buffers) {
      json.attributeObject("buffers", [&] {
        json.attribute("values", module.buffers->values);
        json.attribute("pairs", module.buffers->pairs);
        json.attribute("conflicts", static_cast<int64_t>(module.buffers->conflicts.size()));
      });
    }
    if (module.run) {
      json.attributeObject("run", [&] {
        json.attribute("verdict", Name(module.run->verdict));
        json.attribute("sets", module.run->sets);
        json.attribute("elements", module.run->elements);
        json.attribute("text", JsonText(RunText(*module.run)));
      });
    }
    WriteValues(json, "faults", module.faults);
    json.attributeArray("not_covered", [&] {
      for (const Uncovered& of : module.not_covered) json.value(JsonText(of.text));
    });
  });
  json.attributeBegin("counts");
  json.value(CountsOf(result).ToJson());
  json.attributeEnd();
}

std::string DumpVerdictLine(Verdict verdict, llvm::StringRef part, llvm::StringRef module,
                            llvm::ArrayRef<std::string> assumed, bool covered) {
  std::string line = Name(verdict);
  if (!part.empty()) line += (": the first that is wrong is " + part + " of " + module).str();
  if (!assumed.empty()) line += ", assuming " + llvm::join(assumed, ", ");
  return covered ? line : line + "; what is not covered is said above";
}

std::string VerdictLine(const DumpResult& result) {
  const bool covered = llvm::all_of(result.modules, [](const DumpModule& module) {
    return module.not_covered.empty() && module.faults.empty();
  });
  const auto wrong = FirstWrong(result);
  return DumpVerdictLine(result.verdict, wrong ? PartText(*wrong) : "",
                         wrong ? wrong->module->name : "", AssumedNames(result), covered);
}

void PrintReport(llvm::raw_ostream& os, const DumpResult& result, bool everything) {
  for (const DumpModule& module : result.modules) PrintModule(os, module, everything);
  if (result.reduced) {
    os << "reduced from " << result.reduced->instructions_before << " instructions to "
       << result.reduced->instructions << ": " << result.reduced->file
       << "\n  replay: " << result.reduced->replay << "\n";
  }
  os << "verdict: " << VerdictLine(result) << "\n";
}

}  // namespace affirm::driver
