// Writes certificates of what HLO instructions read (docs/certificates.md), for affirm-check.
#ifndef AFFIRM_VERIFY_PROVER_CERTIFY_READS_H_
#define AFFIRM_VERIFY_PROVER_CERTIFY_READS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace affirm {

// The claim that `maps` lead from an element of `reader` to its reads of `source`, along all paths,
// or if `directly`, as an operand alone. Both are arrays, or arrays of tuples, of one computation.
// If not `exact`, the maps cover the reads.
struct ReadsClaim {
  const hlo::Instruction* reader = nullptr;
  const hlo::Instruction* source = nullptr;
  int64_t reader_leaf = 0, source_leaf = 0;
  std::vector<IndexingMap> maps;
  bool exact = true, directly = false;
};

// The text of a certificate; an error "no certificate: ..." where an op is not stated in
// verify/coq/certificate/hlo_reads.v, or where no proof was found. `line_of` is the text of an
// instruction.
llvm::Expected<std::string> CertifyReads(
    const ReadsClaim& claim, llvm::function_ref<std::string(const hlo::Instruction&)> line_of);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_PROVER_CERTIFY_READS_H_
