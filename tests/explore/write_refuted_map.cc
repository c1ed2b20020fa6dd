// The page of a module one of whose maps is made wrong before it is proved, as a mistake in the
// analysis would make it: its results in the opposite order, or each one further.
//
//   write_refuted_map MODULE.hlo INSTRUCTION reversed|shifted > page.html
#include "driver/explore/explore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char** argv) {
  using namespace affirm;
  if (argc != 4) {
    llvm::errs() << "write_refuted_map MODULE.hlo INSTRUCTION reversed|shifted\n";
    return 3;
  }
  const std::string name = argv[2];
  const bool shifted = llvm::StringRef(argv[3]) == "shifted";
  driver::ExploreOptions options;
  options.input = argv[1];
  options.faults.op_map = [&](const hlo::Instruction& op, int64_t, LabeledMap& map) {
    if (op.name != name) return;
    std::vector<SymbolicExpr> results(map.map.results().begin(), map.map.results().end());
    if (shifted) {
      for (SymbolicExpr& result : results) result = result + 1;
    } else {
      std::reverse(results.begin(), results.end());
    }
    map.map.SetResults(results);
  };
  auto page = driver::ExplorePage(options, [](const std::string&) {});
  if (!page) {
    llvm::errs() << llvm::toString(page.takeError()) << "\n";
    return 3;
  }
  llvm::outs() << page->html;
  return page->status;
}
