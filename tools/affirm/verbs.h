// The verbs. Each function adds one subcommand; its callback leaves the exit status in `status`.
#ifndef AFFIRM_TOOLS_AFFIRM_VERBS_H_
#define AFFIRM_TOOLS_AFFIRM_VERBS_H_

#include <CLI/CLI.hpp>

namespace affirm::cli {

void AddCheck(CLI::App& app, int& status);
void AddIndexing(CLI::App& app, int& status);
void AddSimplify(CLI::App& app, int& status);
void AddEquiv(CLI::App& app, int& status);
void AddBijection(CLI::App& app, int& status);
void AddRules(CLI::App& app, int& status);
void AddAudit(CLI::App& app, int& status);
void AddEmit(CLI::App& app, int& status);
void AddFuzz(CLI::App& app, int& status);
void AddMerge(CLI::App& app, int& status);
void AddReduce(CLI::App& app, int& status);
void AddRun(CLI::App& app, int& status);
void AddWidth(CLI::App& app, int& status);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_VERBS_H_
