// affirm simplify: maps in, simplified maps out, each step named.
#include "core/simplify/simplify.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/trace_text.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file;
  std::string rules;
  bool trace = false, json = false;
};

// The table to use; `owned` keeps one that was read.
llvm::Expected<const RuleTable*> Rules(const Options& options, std::unique_ptr<RuleTable>& owned) {
  if (options.rules.empty()) return &RuleTable::Builtin();
  auto input = ReadInput(options.rules, "rules");
  if (!input) return input.takeError();
  auto rules = ParseRules(input->text, input->name);
  if (!rules) return rules.takeError();
  owned = std::make_unique<RuleTable>(std::move(*rules));
  return owned.get();
}

void PrintJson(const IndexingMap& before, const IndexingMap& after, const Trace& trace,
               const RuleTable& rules, bool with_trace) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("before", JsonText(before.ToString()));
    json.attribute("after", JsonText(after.ToString()));
    json.attribute("steps", static_cast<int64_t>(trace.steps.size()));
    if (!with_trace) return;
    json.attributeArray("trace", [&] {
      for (const TraceStep& step : trace.steps) WriteStep(json, step, rules);
    });
  });
  llvm::outs() << "\n";
}

int Run(const Options& options) {
  auto input = ReadInput(options.file, "maps");
  if (!input) return Report(input.takeError());
  Context context;
  auto maps = ParseMaps(*input, context);
  if (!maps) return Report(maps.takeError());
  std::unique_ptr<RuleTable> owned;
  auto rules = Rules(options, owned);
  if (!rules) return Report(rules.takeError());
  bool first = true;
  for (const IndexingMap& map : *maps) {
    Trace trace;
    IndexingMap simplified = Simplify(map, **rules, &trace);
    if (options.json) {
      PrintJson(map, simplified, trace, **rules, options.trace);
      continue;
    }
    if (!first) llvm::outs() << "\n";
    first = false;
    if (options.trace) {
      for (const TraceStep& step : trace.steps) {
        llvm::outs() << "// " << StepText(step, **rules) << "\n";
      }
    }
    llvm::outs() << simplified.ToString() << "\n";
  }
  return kAllWell;
}

}  // namespace

void AddSimplify(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("simplify", "Simplify maps");
  verb->add_option("FILE", options->file, "Maps, blank lines between them, or - for standard input")
      ->required();
  verb->add_flag("--trace", options->trace, "Also print each rewrite step");
  verb->add_option("--rules", options->rules, "Use the rules of this file instead of the built-in");
  verb->add_flag("--json", options->json, "Print JSON, a line for each map");
  verb->footer(
      "Example:\n"
      "  $ affirm simplify - <<'END'\n"
      "  (d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]\n"
      "  END\n"
      "  (d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]");
  verb->callback([options, &status] { status = Run(*options); });
}

}  // namespace affirm::cli
