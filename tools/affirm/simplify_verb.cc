// affirm simplify: maps in, simplified maps out, each step named.
#include "core/simplify/simplify.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/trace_text.h"
#include "tools/affirm/verbs.h"
#include "verify/rules/certify.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file;
  std::string rules;
  std::string certificate;  // where certificates go; empty: nowhere
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

llvm::Error WriteFile(const std::string& path, const std::string& text) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (!code) {
    file << text;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (!code) return llvm::Error::success();
  return ErrorAt(path, {}, "cannot write certificates: " + code.message());
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
  int status = kAllWell;
  std::string certificates;
  for (const IndexingMap& map : *maps) {
    Trace trace;
    IndexingMap simplified = Simplify(map, **rules, &trace);
    if (!options.certificate.empty()) {
      auto certificate = Certify(map, simplified, trace, **rules);
      if (certificate) {
        certificates += *certificate;
      } else {
        Report(certificate.takeError());
        status = kUnknown;
      }
    }
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
  if (!options.certificate.empty()) {
    if (llvm::Error error = WriteFile(options.certificate, certificates)) {
      return Report(std::move(error));
    }
  }
  return status;
}

}  // namespace

void AddSimplify(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("simplify", "Simplify maps");
  verb->add_option("FILE", options->file, "Maps, blank lines between them, or - for standard input")
      ->required();
  verb->add_flag("--trace", options->trace, "Also print each rewrite step");
  verb->add_option("--rules", options->rules, "Use the rules of this file instead of the built-in");
  verb->add_option("--certificate", options->certificate,
                   "Write a proof of each simplification, for affirm-check-certificate");
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
