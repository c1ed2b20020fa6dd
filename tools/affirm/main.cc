// affirm: indexing analysis of HLO in which every answer is proved.
#include "llvm/Support/raw_ostream.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"

int main(int argc, char** argv) {
  CLI::App app{"Indexing analysis of HLO in which every answer is proved.", "affirm"};
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all well, 1 something is different, refuted or mismatched,\n"
      "2 something stayed unknown, 3 bad input or usage. `affirm VERB --help` shows an example.");
  int status = affirm::cli::kSuccess;
  affirm::cli::AddCheck(app, status);
  affirm::cli::AddIndexing(app, status);
  affirm::cli::AddSimplify(app, status);
  affirm::cli::AddEquiv(app, status);
  affirm::cli::AddAudit(app, status);
  affirm::cli::AddBijection(app, status);
  affirm::cli::AddWidth(app, status);
  affirm::cli::AddEmit(app, status);
  affirm::cli::AddRun(app, status);
  affirm::cli::AddFuzz(app, status);
  affirm::cli::AddMerge(app, status);
  affirm::cli::AddReduce(app, status);
  affirm::cli::AddRules(app, status);
  // CLI11 reports by exceptions; they end here.
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help
      app.exit(error);
      return affirm::cli::kSuccess;
    }
    llvm::errs() << "affirm: error: " << error.what() << "\n"
                 << "Run with --help for more information.\n";
    return affirm::cli::kBadInput;
  }
  return status;
}
