// Claims about what the instructions of a program read.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_READS_CLAIM_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_READS_CLAIM_H_

#include "tests/certificate/twin/certificate_text.h"

namespace twin {

// The claim on a line `claim reads ...`, with its program, its maps and its evidence, which follow.
void CheckReadsClaim(Lines& lines, const Words& claim);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_READS_CLAIM_H_
