// affirm check --symbolic: an op's maps for all sizes at once.
#ifndef AFFIRM_TOOLS_AFFIRM_CHECK_SYMBOLIC_H_
#define AFFIRM_TOOLS_AFFIRM_CHECK_SYMBOLIC_H_

#include <cstdint>
#include <string>

#include "verify/hlo/symbolic_op.h"

namespace affirm::cli {

struct SymbolicQuestion {
  std::string op;
  int64_t rank = 2;
};

// Proves every form of the op at the rank, compares each with the code at 20 sizes, prints both;
// the exit status. A formula that is not the code's is a difference.
int CheckSymbolic(const SymbolicQuestion& question, const Budget& budget, bool json, unsigned jobs);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_CHECK_SYMBOLIC_H_
