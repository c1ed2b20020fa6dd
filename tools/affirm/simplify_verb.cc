// affirm simplify: maps in, simplified maps out, each step named.
#include "core/simplify/simplify.h"
#include "core/symbolic/error.h"
#include "driver/certificates.h"
#include "driver/check/trace_text.h"
#include "driver/output.h"
#include "driver/reports/equiv.h"
#include "driver/reports/mlir_maps.h"
#include "driver/reports/simplification.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"
#include "verify/prover/certify_maps.h"
#include "verify/rules/reduction_order.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file;
  std::string rules;
  std::string certificates;  // the folder for them; empty: none are written
  bool trace = false, json = false, mlir = false, multi_line = false;
};

// The table to use; `owned` keeps one that was read.
llvm::Expected<const RuleTable*> Rules(const Options& options, std::unique_ptr<RuleTable>& owned) {
  if (options.rules.empty()) return &RuleTable::Builtin();
  auto input = driver::ReadRuleFile(options.rules);
  if (!input) return input.takeError();
  auto rules = ParseRules(input->text, input->name);
  if (!rules) return rules.takeError();
  owned = std::make_unique<RuleTable>(std::move(*rules));
  for (const CompiledRule& rule : owned->compiled()) {
    if (rule.problem.empty()) continue;
    llvm::errs() << rule.rule->where << ": note: rule '" << rule.rule->name
                 << "' matches nothing: " << rule.problem << "\n";
  }
  return owned.get();
}

// The maps of a file, and where they stand in it ("file:line:column"; empty in files of maps).
struct Maps {
  std::vector<IndexingMap> maps;
  std::vector<std::string> places;
};

llvm::Expected<Maps> ReadMaps(const Options& options, Context& context) {
  auto input = ReadInput(options.file, options.mlir ? "MLIR" : "maps");
  if (!input) return input.takeError();
  Maps found;
  if (!options.mlir) {
    auto maps = ParseMaps(*input, context);
    if (!maps) return maps.takeError();
    found.maps = std::move(*maps);
    found.places.resize(found.maps.size());
    return found;
  }
  auto places = driver::FindMlirMaps(input->text, input->name);
  if (!places) return places.takeError();
  for (const driver::MlirMap& place : *places) {
    // XLA's text form has no unbounded variables.
    if (place.kind == driver::MlirMap::Kind::kAffineMap) continue;
    auto map = driver::ReadMlirMap(place, input->name, context);
    if (!map) return map.takeError();
    found.maps.push_back(std::move(*map));
    found.places.push_back(
        (llvm::Twine(input->name) + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column))
            .str());
  }
  if (found.maps.empty()) {
    return MakeError(input->name +
                     ":1:1: error: holds no map, expected #xla.indexing_map attributes");
  }
  return found;
}

void PrintJson(const IndexingMap& before, const IndexingMap& after, const std::string& place,
               const Trace& trace, const RuleTable& rules, bool with_trace) {
  PrintJsonObject([&](llvm::json::OStream& json) {
    if (!place.empty()) json.attribute("location", JsonText(place));
    json.attribute("before", JsonText(before.ToString()));
    json.attribute("after", JsonText(after.ToString()));
    json.attribute("steps", static_cast<int64_t>(trace.steps.size()));
    if (!with_trace) return;
    json.attributeArray("trace", [&] {
      for (const TraceStep& step : trace.steps) driver::WriteStep(json, step, rules);
    });
  });
}

// The error of a simplification that does not end; it names a rule that is to blame, if one is.
llvm::Error CutOff(const Options& options, const IndexingMap& map, const RuleTable& rules) {
  for (const Rule& rule : rules.rules()) {
    const ReductionOrderResult order = CheckReductionOrder(rule);
    if (order.lowers) continue;
    return MakeError(rule.where + ":1: error: simplification does not end on " + map.ToString() +
                     ": the rule '" + rule.name + "' does not lower the reduction order (" +
                     order.reason + "), which `affirm audit` asks of every rule");
  }
  return MakeError(options.file + ":1:1: error: simplification does not end on " + map.ToString() +
                   ": it was stopped at its limit of steps");
}

int Run(const Options& options) {
  Context context;
  auto found = ReadMaps(options, context);
  if (!found) return Report(found.takeError());
  std::unique_ptr<RuleTable> owned;
  auto rules = Rules(options, owned);
  if (!rules) return Report(rules.takeError());
  int status = kSuccess;
  for (size_t i = 0; i < found->maps.size(); ++i) {
    const IndexingMap& map = found->maps[i];
    Trace trace;
    IndexingMap simplified = Simplify(map, **rules, &trace);
    if (trace.is_cut_off) return Report(CutOff(options, map, **rules));
    if (owned) {
      if (llvm::Error error = driver::ConfirmSimplification(map, simplified, trace, **rules)) {
        Report(std::move(error));
        status = Worse(status, kDifferent);
        continue;
      }
    }
    if (!options.certificates.empty()) {
      llvm::Error error = driver::WriteCertificate(
          options.certificates, "map" + std::to_string(i + 1), CertifyEqual(map, simplified));
      if (error) return Report(std::move(error));
    }
    if (options.json) {
      PrintJson(map, simplified, found->places[i], trace, **rules, options.trace);
      continue;
    }
    if (i) llvm::outs() << "\n";
    if (!found->places[i].empty()) llvm::outs() << "// " << found->places[i] << "\n";
    if (options.trace) {
      for (const TraceStep& step : trace.steps) {
        llvm::outs() << "// " << driver::StepText(step, **rules) << "\n";
      }
    }
    llvm::outs() << simplified.ToString(options.multi_line) << "\n";
  }
  return status;
}

}  // namespace

void AddSimplify(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("simplify", "Simplify maps");
  verb.Option("FILE", options->file, "Maps, blank lines between them, or - for standard input")
      .Required();
  verb.Flag("--trace", options->trace, "Also print each rewrite step");
  verb.Option("--rules", options->rules,
              "Use the rules of this file instead of the built-in; each step is replayed");
  verb.Flag("--mlir", options->mlir,
            "FILE is MLIR: simplify its #xla.indexing_map attributes, each use in order");
  verb.Flag("--multi-line", options->multi_line, "Break the text of a map after each bound");
  verb.Option("--certificates", options->certificates,
              "Write map1.cert, map2.cert, ... to this folder: that each map equals its "
              "simplification, for affirm-check");
  verb.Flag("--json", options->json, "Print JSON, a line for each map");
  verb.Footer(
      "Example:\n"
      "  $ affirm simplify - <<'END'\n"
      "  (d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]\n"
      "  END\n"
      "  (d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
