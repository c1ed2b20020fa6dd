// affirm completion, affirm manual: what shells and man read, from the table of options.
#include "driver/build_facts.h"
#include "driver/exit_status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/affirm/command_line.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {

void AddCompletion(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  Verb verb =
      line.Add("completion", "Print a script with which a shell completes verbs and options");
  verb.Option("SHELL", *shell, "Which shell").Required().OneOf({"bash", "zsh", "fish"});
  verb.Footer("Example:\n  $ source <(affirm completion bash)");
  verb.Run([shell, &line] {
    const OptionTable table = line.Table();
    llvm::outs() << (*shell == "bash"  ? BashCompletion(table)
                     : *shell == "zsh" ? ZshCompletion(table)
                                       : FishCompletion(table));
    return driver::kSuccess;
  });
}

void AddManual(CommandLine& line) {
  Verb verb = line.Add("manual", "Print the manual page");
  verb.Footer("Example:\n  $ affirm manual | man -l -");
  verb.Run([&line] {
    llvm::outs() << ManualPage(line.Table(),
                               llvm::StringRef(driver::BuildFacts()).split('\n').first.str());
    return driver::kSuccess;
  });
}

}  // namespace affirm::cli
