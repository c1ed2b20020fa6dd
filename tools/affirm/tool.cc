// Adds every verb to the command line, and runs the chosen one.
#include "tools/affirm/tool.h"

#include "tools/affirm/command_line.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {

int RunTool(int argc, char** argv) {
  CommandLine line("Indexing analysis of HLO in which every answer is proved.", "affirm");
  line.Footer(
      "Exit status: 0 all is proved, equal or affirmed, 1 something is different, refuted or\n"
      "mismatched, 2 something was only executed or stayed unknown, 3 bad input or usage. `affirm "
      "VERB --help` shows an example.");
  AddCheck(line);
  AddIndexing(line);
  AddSimplify(line);
  AddCanonicalize(line);
  AddEquiv(line);
  AddAudit(line);
  AddBijection(line);
  AddWidth(line);
  AddValidate(line);
  AddXla(line);
  AddExplore(line);
  AddEmit(line);
  AddRun(line);
  AddFuzz(line);
  AddMerge(line);
  AddReduce(line);
  AddRules(line);
  AddCompletion(line);
  AddManual(line);
  return line.Run(argc, argv);
}

}  // namespace affirm::cli
