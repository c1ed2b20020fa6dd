// affirm: indexing analysis of HLO in which every answer is proved.
#include "tools/affirm/command_line.h"
#include "tools/affirm/verbs.h"

int main(int argc, char** argv) {
  affirm::cli::CommandLine line("Indexing analysis of HLO in which every answer is proved.",
                                "affirm");
  line.Footer(
      "Exit status: 0 all is proved, equal or affirmed, 1 something is different, refuted or\n"
      "mismatched, 2 something was only executed or stayed unknown, 3 bad input or usage. `affirm "
      "VERB --help` shows an example.");
  affirm::cli::AddCheck(line);
  affirm::cli::AddIndexing(line);
  affirm::cli::AddSimplify(line);
  affirm::cli::AddCanonicalize(line);
  affirm::cli::AddEquiv(line);
  affirm::cli::AddAudit(line);
  affirm::cli::AddBijection(line);
  affirm::cli::AddWidth(line);
  affirm::cli::AddValidate(line);
  affirm::cli::AddXla(line);
  affirm::cli::AddExplore(line);
  affirm::cli::AddEmit(line);
  affirm::cli::AddRun(line);
  affirm::cli::AddFuzz(line);
  affirm::cli::AddMerge(line);
  affirm::cli::AddReduce(line);
  affirm::cli::AddRules(line);
  affirm::cli::AddCompletion(line);
  affirm::cli::AddManual(line);
  return line.Run(argc, argv);
}
