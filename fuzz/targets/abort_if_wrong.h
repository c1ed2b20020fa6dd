// How a libFuzzer target says that it found something.
#ifndef AFFIRM_FUZZ_TARGETS_ABORT_IF_WRONG_H_
#define AFFIRM_FUZZ_TARGETS_ABORT_IF_WRONG_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace affirm::fuzz {

// Ends the process, with the input and what is wrong with it on stderr, unless nothing is wrong.
inline void AbortIfWrong(const std::string& input, const std::string& wrong) {
  if (wrong.empty()) return;
  std::fprintf(stderr, "%s\n%s\n", input.c_str(), wrong.c_str());
  std::abort();
}

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_TARGETS_ABORT_IF_WRONG_H_
