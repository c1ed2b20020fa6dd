// The verbs. Each function adds one subcommand; its callback leaves the exit status in `status`.
#ifndef AFFIRM_TOOLS_AFFIRM_VERBS_H_
#define AFFIRM_TOOLS_AFFIRM_VERBS_H_

#include "tools/affirm/command_line.h"

namespace affirm::cli {

void AddCheck(CommandLine& line);
void AddIndexing(CommandLine& line);
void AddSimplify(CommandLine& line);
void AddCanonicalize(CommandLine& line);
void AddEquiv(CommandLine& line);
void AddBijection(CommandLine& line);
void AddRules(CommandLine& line);
void AddCompletion(CommandLine& line);
void AddManual(CommandLine& line);
void AddAudit(CommandLine& line);
void AddExplore(CommandLine& line);
void AddEmit(CommandLine& line);
void AddFuzz(CommandLine& line);
void AddMerge(CommandLine& line);
void AddReduce(CommandLine& line);
void AddRun(CommandLine& line);
void AddValidate(CommandLine& line);
void AddWidth(CommandLine& line);
void AddXla(CommandLine& line);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_VERBS_H_
