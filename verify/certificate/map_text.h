// Maps as the certificate checker reads them (docs/certificates.md).
#ifndef AFFIRM_VERIFY_CERTIFICATE_MAP_TEXT_H_
#define AFFIRM_VERIFY_CERTIFICATE_MAP_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "verify/certificate/integers.h"

namespace affirm::certificate {

struct Map {
  bool empty = false;  // known to be
  // Dims, then range variables, then runtime variables.
  size_t dims = 0, ranges = 0, runtime = 0;
  std::vector<std::string> names;
  std::vector<Form> results;
  // The bounds of each variable, in order, then the constraints. Ends at the limits of int64 are
  // infinite.
  std::vector<Fact> facts;
};

// Reads a map in XLA's text form: `(d0, d1)[s0]{rt0} -> (d0 floordiv 8, d1 mod 8 + s0), domain: ..`
// or `KNOWN EMPTY`. On an error `problem` says what was expected and where.
bool ReadMap(std::string_view text, Integers& integers, Map& map, std::string& problem);

}  // namespace affirm::certificate

#endif  // AFFIRM_VERIFY_CERTIFICATE_MAP_TEXT_H_
