// The certificate checker (docs/certificates.md): a chain of maps, each equal to the one before.
//
//   affirm certificate 1
//   map (d0) -> ((d0 * 4 + 3) floordiv 4), domain: d0 in [0, 7]
//     result 0: scale 4
//   map (d0) -> (d0), domain: d0 in [0, 7]
//   end
//
// This folder depends on the standard library alone, on purpose: its integers, its arithmetic on
// ranges and its reader of maps are written anew, though core/ and verify/ have others, so that
// what a certificate proves does not rest on the code that found it. Do not merge them.
#ifndef AFFIRM_VERIFY_CERTIFICATE_CHECK_H_
#define AFFIRM_VERIFY_CERTIFICATE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "verify/certificate/map_text.h"

namespace affirm::certificate {

// How one claim about a form F follows from facts f_j. With `use`, scale * F is sum(use_j * f_j)
// plus a rest, and the ranges of all of these give that of F. With `modulo`, F - sum(modulo_j *
// f_j), where each of these f_j has a single value, tells the residue of F modulo the common factor
// of what is left, which may narrow the range further.
struct Hint {
  struct Use {
    size_t fact = 0;
    Int times = 0;
  };
  Int scale = 1;
  std::vector<Use> use, modulo;
};

// The range of F, from the facts and by the hint.
Range RangeByHint(Integers& integers, const Form& form, const std::vector<Fact>& facts,
                  const Hint& hint);

// What has to be shown for "every point of `from` is one of `to`, with the same results": at each
// such point each form lies within its range.
struct Claim {
  std::string name;  // "result 0", "fact 3", "back 1", "empty 2"
  Form form;
  Range range;
  const std::vector<Fact>* facts = nullptr;  // what may be used
  // Whether facts that are never all true show the claim. They do for a step to KNOWN EMPTY only:
  // in any other step they show that the certificate is about no point at all, which is a mistake.
  bool by_contradiction = false;
};

// Which ends of the claim's range a hint shows.
struct Ends {
  bool lower = false, upper = false;
};
Ends Shown(Integers& integers, const Claim& claim, const Hint& hint);
// What a step claims and its text alone does not show: the results are equal, and the facts of each
// map follow from those of the other. For a step to KNOWN EMPTY it is enough to show one of the
// claims "empty j", each of which says that fact j is never true where the others are; `others`
// keeps the facts of these claims alive.
std::vector<Claim> ClaimsOf(Integers& integers, const Map& from, const Map& to,
                            std::vector<std::vector<Fact>>& others, std::string& problem);

// Does the claim follow? An end that the hint does not reach is not shown.
bool Follows(Integers& integers, const Claim& claim, const std::vector<Hint>& hints);

// "scale 4, use fact 2 * -1, modulo fact 3 * 5"
std::string ToString(const Hint& hint);

struct CheckResult {
  bool accepted = false;
  std::string problem;      // "line 7: result 0 does not follow"
  std::string first, last;  // the maps that are proved equal, as they are written
  size_t steps = 0;
};
// Reads and checks a whole certificate.
CheckResult Check(std::string_view text);

}  // namespace affirm::certificate

#endif  // AFFIRM_VERIFY_CERTIFICATE_CHECK_H_
