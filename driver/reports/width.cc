// Decides in which width a map or a kernel can be evaluated, and prints why.
#include "driver/reports/width.h"

#include <memory>
#include <optional>

#include "core/hlo/module.h"
#include "core/symbolic/error.h"
#include "driver/check/program.h"
#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "emit/index_width_choice.h"
#include "emit/kernel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

// A question, and all of its answer.
struct Result {
  const IndexingMap& map;
  IndexCode code;
  Signedness signedness;
  bool narrowest;  // `width` was looked for
  std::optional<unsigned> width;
  WidthResult answer;  // at `width`, or at 64 bits
  WidthResult below;   // for the narrowest

  unsigned answered_width() const { return width.value_or(kMaxIndexWidth); }
};

void WriteAnswer(llvm::json::OStream& json, const Result& f, const WidthResult& answer) {
  json.attribute("verdict", Name(answer.verdict));
  if (answer.overflow) {
    const IndexOverflow& o = *answer.overflow;
    json.attributeObject("counterexample", [&] {
      auto values = [&](const char* name, llvm::ArrayRef<int64_t> of) {
        WriteValues(json, name, of);
      };
      values("dims", o.point.dims);
      values("ranges", o.point.ranges);
      values("runtime", o.point.runtime);
      json.attribute("step", static_cast<int64_t>(o.step));
      json.attribute("operation", Name(f.code.steps[o.step].op));
      json.attribute("expression", JsonText(o.expression));
      json.attribute("value", o.value);
      json.attribute("machine", o.machine);
      json.attribute("changes_results", o.changes_results);
    });
  }
  if (!answer.reason.empty()) json.attribute("reason", JsonText(answer.reason));
  json.attribute("engine", Name(answer.engine));
  WriteFixed(json, "ms", answer.ms, 3);
}

void WriteSteps(llvm::json::OStream& json, const Result& f) {
  WriteRows(json, "steps", f.code.steps, [&](const IndexStep& step) {
    json.attribute("operation", Name(step.op));
    WriteValues(json, "operands", step.operands);
    if (step.value) json.attribute("value", JsonText(ToString(step.value, f.map)));
    json.attribute("guarded", step.guarded);
  });
}

void PrintJson(const Result& f, bool steps) {
  PrintJsonObject([&](llvm::json::OStream& json) {
    json.attribute("signedness", Name(f.signedness));
    if (f.width) {
      json.attribute("width", static_cast<int64_t>(*f.width));
    } else {
      json.attribute("width", nullptr);
    }
    WriteAnswer(json, f, f.answer);
    if (f.narrowest && f.width && *f.width > 1) {
      json.attributeObject("below", [&] { WriteAnswer(json, f, f.below); });
    }
    if (steps) WriteSteps(json, f);
  });
}

std::string Because(const Result& f, const WidthResult& answer, unsigned width) {
  if (answer.overflow) return ToString(*answer.overflow, f.map, f.code, width);
  return answer.reason;
}

void PrintSteps(const Result& f) {
  for (size_t k = 0; k < f.code.steps.size(); ++k) {
    const IndexStep& step = f.code.steps[k];
    std::string text = "  " + std::to_string(k) + ": " + Name(step.op);
    for (uint32_t operand : step.operands) text += " " + std::to_string(operand);
    text += " = " + (step.value ? ToString(step.value, f.map) : "?");
    if (!step.guarded) text += "  (wherever the variables are within their bounds)";
    llvm::outs() << text << "\n";
  }
}

void PrintText(const Result& f, bool steps) {
  const WidthResult& a = f.answer;
  std::string how = std::string(" (") + Name(a.engine) + ", " + Fixed(a.ms, 1) + " ms)\n";
  if (f.width) {
    llvm::outs() << "i" << *f.width << " " << Name(f.signedness) << ": " << Name(a.verdict) << how;
  } else {
    llvm::outs() << "no " << Name(f.signedness) << " width up to 64 is proved: " << Name(a.verdict)
                 << " in i64" << how;
  }
  std::string because = Because(f, a, f.answered_width());
  if (!because.empty()) llvm::outs() << "  " << because << "\n";
  if (a.overflow && !a.overflow->changes_results) {
    llvm::outs() << "  the results at this point stay right\n";
  }
  if (f.narrowest && f.width && *f.width > 1) {
    llvm::outs() << "i" << *f.width - 1 << " " << Name(f.signedness) << ": "
                 << Name(f.below.verdict) << "\n  " << Because(f, f.below, *f.width - 1) << "\n";
  }
  if (steps) PrintSteps(f);
}

void PrintChoice(const FusedComputation& fused, const emit::IndexWidthChoice& choice,
                 ReportOutput output, llvm::json::OStream* json) {
  if (output == ReportOutput::kNothing) return;
  if (!json) {
    llvm::outs() << fused.name << ": i" << choice.bits
                 << (choice.proved ? ", proved" : ", not proved");
    if (!choice.refusal.empty()) llvm::outs() << "; i32 is refused: " << choice.refusal;
    llvm::outs() << "\n  " << choice.no_wrap << " operations never wrap, "
                 << choice.unsigned_divisions << " divisions became unsigned, "
                 << choice.exact_casts << " casts are exact\n";
    return;
  }
  json->object([&] {
    json->attribute("fusion", JsonText(fused.name));
    json->attribute("width", static_cast<int64_t>(choice.bits));
    json->attribute("proved", choice.proved);
    if (!choice.refusal.empty()) json->attribute("refusal", JsonText(choice.refusal));
    json->attribute("no_wrap", choice.no_wrap);
    json->attribute("unsigned_divisions", choice.unsigned_divisions);
    json->attribute("exact_casts", choice.exact_casts);
  });
}

int RunKernel(const FusedComputation& fused, const KernelWidths& query, llvm::json::OStream* json,
              RunReport& report) {
  const auto& location = fused.computation->location;
  Context context;
  auto kernel = EmitKernel(fused, context);
  if (!kernel) return Report(kernel.takeError(), query.file, location);
  ReportRecord record{.verdict = Verdict::kRefuted,
                      .claim = "width",
                      .where = {query.file, location.line, location.column},
                      .subject = fused.name};
  auto choice = emit::ChooseIndexWidth(*kernel, query.width);
  if (!choice) {
    record.text = MessageOf(choice.takeError());
    Report(MakeError(record.text), query.file, location);
    report.records.push_back(std::move(record));
    return kSuccess;
  }
  PrintChoice(fused, *choice, query.output, json);
  record.verdict = Verdict::kProved;
  record.text = "i" + std::to_string(choice->bits) +
                (choice->refusal.empty() ? "" : "; i32 is refused: " + choice->refusal);
  // Where no width is proved the widest is chosen, and nothing is claimed.
  if (choice->proved)
    report.records.push_back(std::move(record));
  else
    report.notes.push_back({"width not proved", fused.name + ": " + record.text});
  return kSuccess;
}

}  // namespace

int ReportWidth(const IndexingMap& map, const WidthQuery& query, const DecideOptions& options,
                RunReport& report) {
  const Signedness s = query.signedness;
  Result result{.map = map,
                .code = MakeIndexCode(map, s),
                .signedness = s,
                .narrowest = query.width == 0,
                .width = std::nullopt,
                .answer = {},
                .below = {}};
  if (result.narrowest) {
    NarrowestWidth found = FindNarrowestWidth(map, s, options);
    result.width = found.width;
    result.answer = found.at_width;
    result.below = found.below;
  } else {
    result.width = query.width;
    result.answer = ProveWidth(map, query.width, s, options);
  }
  if (query.output == ReportOutput::kJson) PrintJson(result, query.steps);
  if (query.output == ReportOutput::kText) PrintText(result, query.steps);
  const Verdict verdict = result.answer.verdict;
  report.records.push_back(
      {.verdict = verdict,
       .claim = "width",
       .subject = "i" + std::to_string(result.answered_width()) + " " + Name(result.signedness),
       .aspect = map.ToString(),  // a file may hold another map the next time
       .text = Because(result, result.answer, result.answered_width()),
       .engine = Name(result.answer.engine),
       .ms = result.answer.ms});
  return kSuccess;
}

int ReportKernelWidths(const KernelWidths& query, RunReport& report) {
  auto modules = ReadModules(query.file);
  if (!modules) return Report(modules.takeError());
  int status = kSuccess;
  std::unique_ptr<llvm::json::OStream> json;
  if (query.output == ReportOutput::kJson)
    json = std::make_unique<llvm::json::OStream>(llvm::outs());
  if (json) json->arrayBegin();
  for (const auto& module : *modules) {
    const Program program(*module);
    for (const FusedComputation& whole : program.fused_computations()) {
      for (const FusedComputation& fused : program.partitions(whole).kernels)
        status = Worse(status, RunKernel(fused, query, json.get(), report));
    }
  }
  if (json) json->arrayEnd();
  if (json) llvm::outs() << "\n";
  return status;
}

}  // namespace affirm::driver
