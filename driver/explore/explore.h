// A page about a module: one HTML file that a browser opens from disk (`affirm explore`,
// docs/explore.md).
//
//   auto page = ExplorePage({.input = "m.hlo"}, [](const std::string&) {});
//   page->html;    // the file
//   page->status;  // of the check, as the exit status says it
//
// C++ states what is known: maps as expression trees, the verdicts of `check` (or `xla`), the
// accesses of kernels as terms. The page evaluates these trees on demand, so that what
// lights up is what was proved.
#ifndef AFFIRM_DRIVER_EXPLORE_EXPLORE_H_
#define AFFIRM_DRIVER_EXPLORE_EXPLORE_H_

#include <cstdint>
#include <string>

#include "driver/check/check.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "verify/calls/expand.h"

namespace affirm::driver {

struct ExploreOptions {
  std::string input;                   // HLO text, or the folder of a dump of XLA
  std::string kernel, launch, fusion;  // another compiler's kernel, as `affirm validate` takes it
  uint64_t seed = 0;
  double time_limit = 60;  // of the check of a module, as `affirm check` takes it
  bool check = true;       // else nothing is proved or run, and the page says so
  calls::GivenMeanings meanings;
  FaultInjection faults;  // of a test that wants to see what is refuted
};

struct Page {
  std::string html;
  std::string verdict;  // a line
  int status = 0;
};

// `progress` hears what is being done.
llvm::Expected<Page> ExplorePage(const ExploreOptions& options,
                                 llvm::function_ref<void(const std::string&)> progress);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_EXPLORE_H_
