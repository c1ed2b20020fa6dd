// Claims about maps, and whether the evidence that follows them shows them.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_CLAIMS_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_CLAIMS_H_

#include <vector>

#include "tests/certificate/twin/certificate_text.h"
#include "tests/certificate/twin/map_text.h"

namespace twin {

// The maps on the lines that follow; KNOWN EMPTY is none.
std::vector<Map> ReadMaps(Lines& lines);
// Each function reads evidence and throws where it does not show the claim.
void ExpectAlike(const std::vector<Map>& maps, size_t runtime, size_t dims);
// Each result of a map of `inner`, at all values of its first `common` variables, is one of a map
// of `outer`.
void CheckWithin(Lines& lines, const std::vector<Map>& inner, const std::vector<Map>& outer,
                 size_t common);
// The claim on a line `claim ...`, with its maps and its evidence, which follow.
void CheckMapClaim(Lines& lines, const Words& claim);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_CLAIMS_H_
