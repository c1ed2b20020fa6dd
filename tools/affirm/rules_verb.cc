// affirm rules: the table of rewrite rules.
#include "core/simplify/rule_table.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"
#include "verify/rules/coq.h"
#include "verify/value_rules/coq.h"
#include "verify/value_rules/table.h"

namespace affirm::cli {
namespace {

struct Options {
  bool markdown = false, json = false, values = false, coq = false;
};

std::vector<const Rule*> RulesOf(const RuleFile& file) {
  std::vector<const Rule*> rules;
  for (const Rule& rule : RuleTable::Builtin().rules()) {
    llvm::StringRef where = rule.where;
    if (where.split(':').first.ends_with(file.name)) rules.push_back(&rule);
  }
  return rules;
}

// docs/rules.md.
void PrintMarkdown(llvm::raw_ostream& os) {
  os << "# The rules\n\n"
     << "Printed from `core/simplify/rules/*.rules` by `affirm rules --markdown`; do not edit.\n\n"
     << "Names that start with `u` to `z` stand for any expression, all others for integer\n"
     << "constants. Every rule is a theorem: both sides are equal for all values that satisfy its\n"
     << "conditions. `affirm audit --builtin` proves them, for all constants at once.\n\n"
     << RuleTable::Builtin().rules().size() << " rules.\n";
  for (const RuleFile& file : BuiltinRuleFiles()) {
    os << "\n## " << file.name << "\n\n```\n";
    bool first = true;
    for (const Rule* rule : RulesOf(file)) {
      if (!first) os << "\n";
      first = false;
      os << llvm::StringRef(ToString(*rule)).rtrim() << "\n";
    }
    os << "```\n";
  }
}

void PrintJson(llvm::raw_ostream& os) {
  llvm::json::OStream json(os);
  json.array([&] {
    for (const Rule& rule : RuleTable::Builtin().rules()) {
      json.object([&] {
        json.attribute("name", rule.name);
        json.attribute("where", rule.where);
        json.attribute("why", rule.why);
        json.attribute("text", ToString(rule));
      });
    }
  });
  os << "\n";
}

// verify/coq/value_rules.v
void PrintValuesForCoq(llvm::raw_ostream& os) {
  const auto propositions = value_rules::CoqDefinitions(value_rules::BuiltinRules());
  os << "(* The rules of verify/value_rules/values.rules that speak of integers, as propositions.\n"
     << "   Printed by `affirm rules --values --coq`; do not edit. value_proofs.v proves them. *)\n"
     << "From Coq Require Import ZArith Bool.\nFrom Affirm Require Import machine_integers.\n"
     << "Open Scope Z_scope.\n\n"
     << propositions.definitions;
}

// The table of rules about values, and the same as a page of the documentation.
int RunValues(const Options& options) {
  if (options.coq) {
    PrintValuesForCoq(llvm::outs());
    return kSuccess;
  }
  const std::vector<value_rules::ValueRule>& rules = value_rules::BuiltinRules();
  if (options.json) {
    llvm::json::OStream json(llvm::outs());
    json.array([&] {
      for (const value_rules::ValueRule& rule : rules) {
        json.object([&] {
          json.attribute("name", rule.name);
          json.attribute("where", rule.where);
          json.attribute("class", Name(rule.of_class));
          json.attribute("why", rule.why);
          json.attribute("text", ToString(rule));
        });
      }
    });
    llvm::outs() << "\n";
    return kSuccess;
  }
  if (options.markdown) {
    llvm::outs() << "# Rules about values\n\nPrinted from `verify/value_rules/values.rules` by "
                    "`affirm rules --values --markdown`; do not edit.\n\n"
                 << rules.size()
                 << " rules. An *exact* rule is proved for each of its types by `affirm audit "
                    "--values`: both sides are equal to the bit,\nand all NaNs count as one. A "
                    "*defined* rule is a definition of HLO. A *licensed* rule changes values, so "
                    "a compiler\nneeds permission to use it.\n\n```\n";
  }
  bool first = true;
  for (const value_rules::ValueRule& rule : rules) {
    llvm::outs() << (first ? "" : "\n") << ToString(rule);
    first = false;
  }
  if (options.markdown) llvm::outs() << "```\n";
  return kSuccess;
}

// verify/coq/rules.v
int PrintCoq(llvm::raw_ostream& os) {
  auto definitions = rules::CoqDefinitions(RuleTable::Builtin().rules());
  if (!definitions) return Report(definitions.takeError());
  os << "(* The rules of core/simplify/rules as propositions.\n"
     << "   Printed by `affirm rules --coq`; do not edit. proofs.v proves them. *)\n"
     << "From Coq Require Import ZArith.\nOpen Scope Z_scope.\n\n"
     << *definitions;
  return kSuccess;
}

int Run(const Options& options) {
  if (options.values) return RunValues(options);
  if (options.coq) return PrintCoq(llvm::outs());
  if (options.markdown) {
    PrintMarkdown(llvm::outs());
  } else if (options.json) {
    PrintJson(llvm::outs());
  } else {
    for (const Rule& rule : RuleTable::Builtin().rules()) {
      llvm::outs() << llvm::StringRef(ToString(rule)).rtrim() << "\n\n";
    }
  }
  return kSuccess;
}

}  // namespace

void AddRules(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("rules", "Print the built-in rules");
  verb.Flag("--values", options->values, "The rules about values of element types");
  verb.Flag("--markdown", options->markdown,
            "As the page docs/rules.md; with --values docs/value-rules.md");
  verb.Flag("--json", options->json, "Print JSON");
  verb.Flag("--coq", options->coq,
            "Print definitions for Coq: verify/coq/rules.v; with --values verify/coq/value_rules.v")
      .Excludes(verb.Find("--markdown"))
      .Excludes(verb.Find("--json"));
  verb.Footer(
      "Example:\n"
      "  $ affirm rules --markdown > docs/rules.md\n"
      "  $ affirm rules --coq > verify/coq/rules.v");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
