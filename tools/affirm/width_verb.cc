// affirm width: can a map be evaluated in integers of so many bits?
#include "core/symbolic/error.h"
#include "emit/index_choice.h"
#include "tools/affirm/cast_report.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/program.h"
#include "tools/affirm/verbs.h"
#include "verify/width/width.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string map;
  unsigned width = 0;  // 0: find the narrowest
  bool is_unsigned = false, steps = false, kernels = false, rfc = false, json = false;
  DecideFlags decide;

  Signedness signedness() const {
    return is_unsigned ? Signedness::kUnsigned : Signedness::kSigned;
  }
};

// What was asked, and all that there is to say about it.
struct Finding {
  const IndexingMap& map;
  IndexCode code;
  Signedness signedness;
  bool narrowest;  // `width` was looked for
  std::optional<unsigned> width;
  WidthAnswer answer;  // at `width`, or at 64 bits
  WidthAnswer below;   // for the narrowest

  unsigned answered_width() const { return width.value_or(kMaxIndexWidth); }
};

void WriteAnswer(llvm::json::OStream& json, const Finding& f, const WidthAnswer& answer) {
  json.attribute("verdict", Name(answer.verdict));
  if (answer.overflow) {
    const IndexOverflow& o = *answer.overflow;
    json.attributeObject("counterexample", [&] {
      auto values = [&](const char* name, llvm::ArrayRef<int64_t> of) {
        json.attributeArray(name, [&] {
          for (int64_t v : of) json.value(v);
        });
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
  json.attributeBegin("ms");
  json.rawValue(Fixed(answer.ms, 3));
  json.attributeEnd();
}

void WriteSteps(llvm::json::OStream& json, const Finding& f) {
  json.attributeArray("steps", [&] {
    for (const IndexStep& step : f.code.steps) {
      json.object([&] {
        json.attribute("operation", Name(step.op));
        json.attributeArray("operands", [&] {
          for (uint32_t k : step.operands) json.value(static_cast<int64_t>(k));
        });
        if (step.value) json.attribute("value", JsonText(ToString(step.value, f.map)));
        json.attribute("guarded", step.guarded);
      });
    }
  });
}

void PrintJson(const Finding& f, bool steps) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
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
  llvm::outs() << "\n";
}

std::string Because(const Finding& f, const WidthAnswer& answer, unsigned width) {
  if (answer.overflow) return ToString(*answer.overflow, f.map, f.code, width);
  return answer.reason;
}

void PrintSteps(const Finding& f) {
  for (size_t k = 0; k < f.code.steps.size(); ++k) {
    const IndexStep& step = f.code.steps[k];
    std::string text = "  " + std::to_string(k) + ": " + Name(step.op);
    for (uint32_t operand : step.operands) text += " " + std::to_string(operand);
    text += " = " + (step.value ? ToString(step.value, f.map) : "?");
    if (!step.guarded) text += "  (wherever the variables are within their bounds)";
    llvm::outs() << text << "\n";
  }
}

void PrintText(const Finding& f, bool steps) {
  const WidthAnswer& a = f.answer;
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

void PrintChoice(const Unit& unit, const emit::IndexChoice& choice, llvm::json::OStream* json) {
  if (!json) {
    llvm::outs() << unit.name << ": i" << choice.bits
                 << (choice.proved ? ", proved" : ", not proved");
    if (!choice.refusal.empty()) llvm::outs() << "; i32 is refused: " << choice.refusal;
    llvm::outs() << "\n  " << choice.no_wrap << " operations never wrap, "
                 << choice.unsigned_divisions << " divisions became unsigned, "
                 << choice.exact_casts << " casts are exact\n";
    return;
  }
  json->object([&] {
    json->attribute("unit", JsonText(unit.name));
    json->attribute("width", static_cast<int64_t>(choice.bits));
    json->attribute("proved", choice.proved);
    if (!choice.refusal.empty()) json->attribute("refusal", JsonText(choice.refusal));
    json->attribute("no_wrap", choice.no_wrap);
    json->attribute("unsigned_divisions", choice.unsigned_divisions);
    json->attribute("exact_casts", choice.exact_casts);
  });
}

int RunKernel(const Unit& unit, const Options& options, llvm::json::OStream* json) {
  Context context;
  auto kernel = emit::EmitKernel(*unit.computation, context);
  if (!kernel) return Report(kernel.takeError(), options.map, unit.computation->location);
  auto choice = emit::ChooseIndex(*kernel, options.width);
  if (!choice) {
    Report(choice.takeError(), options.map, unit.computation->location);
    return kDifferent;
  }
  PrintChoice(unit, *choice, json);
  return kAllWell;
}

// The width of index in each kernel of a module; with --width whether that width will do.
int RunKernels(const Options& options) {
  auto modules = ReadModules(options.map);
  if (!modules) return Report(modules.takeError());
  int status = kAllWell;
  std::unique_ptr<llvm::json::OStream> json;
  if (options.json) json = std::make_unique<llvm::json::OStream>(llvm::outs());
  if (json) json->arrayBegin();
  for (const auto& module : *modules) {
    const Program program(*module);
    for (const Unit& whole : program.units()) {
      for (const Unit& unit : program.pieces(whole).units)
        status = Worse(status, RunKernel(unit, options, json.get()));
    }
  }
  if (json) json->arrayEnd();
  if (json) llvm::outs() << "\n";
  return status;
}

llvm::Error CheckUsage(const Options& options) {
  if (options.rfc == options.map.empty()) return llvm::Error::success();
  return MakeError(options.rfc ? "width: --rfc takes no MAP" : "width: MAP is required");
}

int Run(const Options& options) {
  if (llvm::Error error = CheckUsage(options)) return Report(std::move(error));
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  if (options.rfc) return ReportCasts(options.json, *decide);
  if (options.kernels) return RunKernels(options);
  Context context;
  auto map = ReadMap(options.map, context);
  if (!map) return Report(map.takeError());
  Signedness s = options.signedness();
  Finding finding{.map = *map,
                  .code = MakeIndexCode(*map, s),
                  .signedness = s,
                  .narrowest = options.width == 0,
                  .width = std::nullopt,
                  .answer = {},
                  .below = {}};
  if (finding.narrowest) {
    NarrowestWidth found = FindNarrowestWidth(*map, s, *decide);
    finding.width = found.width;
    finding.answer = found.at_width;
    finding.below = found.below;
  } else {
    finding.width = options.width;
    finding.answer = ProveWidth(*map, options.width, s, *decide);
  }
  options.json ? PrintJson(finding, options.steps) : PrintText(finding, options.steps);
  return StatusOf(finding.answer.verdict);
}

}  // namespace

void AddWidth(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("width", "Decide in how many bits a map can be evaluated without overflow");
  verb.Option("MAP", options->map,
              "A map text, a file that holds one map (or HLO, with --kernels), or -");
  verb.Option("--width", options->width, "Decide this width; default: find the narrowest")
      .Within(1, kMaxIndexWidth);
  verb.Flag("--unsigned", options->is_unsigned, "Read the bits as unsigned integers");
  verb.Flag("--steps", options->steps, "Also print the machine operations");
  verb.Flag("--kernels", options->kernels,
            "MAP is a file with HLO: how many bits index has in each kernel");
  verb.Flag("--rfc", options->rfc,
            "Decide the rewrites of index_cast and index_castui, with and without exact");
  verb.Flag("--json", options->json, "Print JSON");
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm width --width 32 '(th, bl) -> (bl * 128 + th), domain: th in [0, 127], bl in [0, "
      "16777216]'\n"
      "  i32 signed: refuted (enumeration, 0.1 ms)\n"
      "    mul: bl * 128 = 2147483648 at th = 0, bl = 16777216; in i32: -2147483648");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
