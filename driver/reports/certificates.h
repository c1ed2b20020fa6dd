// Files of certificates (docs/certificates.md).
#ifndef AFFIRM_DRIVER_REPORTS_CERTIFICATES_H_
#define AFFIRM_DRIVER_REPORTS_CERTIFICATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// Writes a certificate to NAME.cert in the folder, which is made. Characters of the name other than
// letters, digits, '.', '_' and '-' become '_'. A claim without a certificate is no error: a line
// of standard error says why. Fails where the file cannot be written.
llvm::Error WriteCertificate(const std::string& folder, llvm::StringRef name,
                             llvm::Expected<std::string> certificate);
// Instructions as their file has them, for certificates about them.
class HloLines {
 public:
  // `text` is the text of the file.
  explicit HloLines(llvm::StringRef text);
  // The line of the instruction, or its printed form where it has no line of its own.
  std::string Of(const hlo::Instruction& instruction) const;

 private:
  std::vector<std::string> lines_;
};

// Writes, for each operand of which maps are known, the certificate that they are what output `id`
// of the instruction reads: COMPUTATION.INSTRUCTION.ID.OPERAND.cert. Those of a fusion are about
// the parameters of its computation.
llvm::Error WriteReadsCertificates(const std::string& folder, const HloLines& lines,
                                   const hlo::Instruction& instruction, int64_t id,
                                   const InstructionIndexing& indexing);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_CERTIFICATES_H_
