// Files of certificates (docs/certificates.md).
#ifndef AFFIRM_DRIVER_CERTIFICATES_H_
#define AFFIRM_DRIVER_CERTIFICATES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "verify/prover/certify_reads.h"

namespace affirm::driver {

// The name of a file: characters other than letters, digits, '.', '_' and '-' become '_'.
std::string AsFileName(llvm::StringRef name);
// Makes the folder, if one is named.
llvm::Error MakeCertificateFolder(const std::string& folder);
// Writes a certificate to NAME.cert in the folder, which is made. Fails where it cannot be written.
llvm::Error WriteCertificateFile(const std::string& folder, llvm::StringRef name,
                                 llvm::StringRef text);
// The same where there is a certificate. A claim without one is no error: a line of standard error
// says why.
llvm::Error WriteCertificate(const std::string& folder, llvm::StringRef name,
                             llvm::Expected<std::string> certificate);
// Instructions as their file has them, for certificates about them.
class HloLines {
 public:
  // `text` is the text of the file.
  explicit HloLines(llvm::StringRef text);
  // The line of the instruction, or its printed form where it has no line of its own, or where the
  // line has another op.
  std::string Of(const hlo::Instruction& instruction) const;

 private:
  std::vector<std::string> lines_;
};

// The claim that the maps are what output `id` of an instruction reads of an operand. Nothing where
// this is no claim about two arrays of one computation on one device, or a map is not known. The
// claim of a fusion is about a parameter of its computation. `leaf`: of the operand, if it is a
// tuple.
std::optional<ReadsClaim> ReadsClaimOf(const hlo::Instruction& instruction, int64_t id,
                                       size_t operand, int64_t leaf,
                                       const InstructionIndexing& indexing);

// Writes, for each operand of which maps are known, the certificate that they are what output `id`
// of the instruction reads: COMPUTATION.INSTRUCTION.ID.OPERAND.cert, and of an operand that is a
// tuple COMPUTATION.INSTRUCTION.ID.OPERAND.LEAF.cert for each array that is read. Those of a fusion
// are about the parameters of its computation.
llvm::Error WriteReadsCertificates(const std::string& folder, const HloLines& lines,
                                   const hlo::Instruction& instruction, int64_t id,
                                   const InstructionIndexing& indexing);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CERTIFICATES_H_
