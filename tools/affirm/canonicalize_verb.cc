// affirm canonicalize: expressions and maps without a domain.
#include "core/indexing/map_text.h"
#include "core/simplify/canonicalize.h"
#include "core/simplify/rule_table.h"
#include "core/symbolic/text.h"
#include "driver/check/trace_text.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string file;
  bool trace = false, json = false;
};

// Indices of variables end here, since a map has a place for each below the largest.
constexpr int64_t kMaxVariable = 9999;

// d0, s0, rt0; null for other names.
SymbolicExpr VariableOf(Context& context, llvm::StringRef name) {
  VarKind kind = VarKind::kRange;
  if (name.consume_front("rt")) {
    kind = VarKind::kRuntime;
  } else if (name.consume_front("d")) {
    kind = VarKind::kDim;
  } else if (!name.consume_front("s")) {
    return {};
  }
  int64_t index = 0;
  bool canonical = !name.empty() && (name == "0" || !name.starts_with("0"));
  if (!canonical || name.getAsInteger(10, index) || index < 0 || index > kMaxVariable) return {};
  return context.Variable(kind, index);
}

// A line's canonical form; both as text.
struct Canonical {
  std::string before, after;
  Trace trace;
};

llvm::Expected<Canonical> Read(llvm::StringRef line, llvm::StringRef where, int64_t number) {
  Context context;
  Canonical result;
  if (line.split("//").first.contains("->")) {
    auto map = ParseSymbolicMap(line, context, where, number);
    if (!map) return map.takeError();
    result.before = map->ToString();
    result.after = Canonicalize(context, *map, &result.trace).ToString();
    return result;
  }
  TextCursor cursor(line, where, number);
  auto e =
      ParseExpr(cursor, context, [&](llvm::StringRef name) { return VariableOf(context, name); });
  if (!e) return e.takeError();
  if (!cursor.AtEnd()) return cursor.Error("unexpected text after the expression");
  result.before = e->ToString();
  result.after = Canonicalize(*e, &result.trace).ToString();
  return result;
}

void Print(const Canonical& result, const Options& options) {
  const RuleTable& rules = RuleTable::Builtin();
  if (!options.json) {
    if (options.trace) {
      for (const TraceStep& step : result.trace.steps) {
        llvm::outs() << "// " << driver::StepText(step, rules) << "\n";
      }
    }
    llvm::outs() << result.after << "\n";
    return;
  }
  PrintJsonObject([&](llvm::json::OStream& json) {
    json.attribute("before", JsonText(result.before));
    json.attribute("after", JsonText(result.after));
    json.attribute("steps", static_cast<int64_t>(result.trace.steps.size()));
    if (!options.trace) return;
    json.attributeArray("trace", [&] {
      for (const TraceStep& step : result.trace.steps) driver::WriteStep(json, step, rules);
    });
  });
}

int Run(const Options& options) {
  auto input = ReadInput(options.file, "expressions");
  if (!input) return Report(input.takeError());
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(input->text).split(lines, '\n');
  int status = kSuccess;
  for (auto [k, line] : llvm::enumerate(lines)) {
    if (line.split("//").first.trim().empty()) continue;
    auto result = Read(line, input->name, static_cast<int64_t>(k) + 1);
    if (result) {
      Print(*result, options);
    } else {
      status = Worse(status, Report(result.takeError()));
    }
  }
  return status;
}

}  // namespace

void AddCanonicalize(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("canonicalize", "Canonical forms of expressions and maps without a domain");
  verb.Option("FILE", options->file,
              "Lines, each an expression over d0, s0, rt0, ... or a map without a domain; or -")
      .Required();
  verb.Flag("--trace", options->trace, "Also print each rewrite step");
  verb.Flag("--json", options->json, "Print JSON, a line for each");
  verb.Footer(
      "Example:\n"
      "  $ affirm canonicalize - <<'END'\n"
      "  (d0 * 4 + 1) floordiv 2 - max(min(d0, 5), 7)\n"
      "  (d0, d1)[s0] -> (100d0 mod 10, d1 + s0 - d1)\n"
      "  END\n"
      "  d0 * 2 - 7\n"
      "  (d0, d1)[s0] -> (0, s0)");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
