// Claims about maps that were proved, so that one that is asked again is not proved again
// (verify/decide/proved_claims.h). The map of a thread to an element is the same in a thousand
// kernels of one shape.
#ifndef AFFIRM_VERIFY_MAPS_PROVED_MAPS_H_
#define AFFIRM_VERIFY_MAPS_PROVED_MAPS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "verify/decide/proved_claims.h"
#include "verify/maps/maps.h"

namespace affirm {

enum class MapClaim : uint8_t { kBijection, kEqual, kSuperset, kUnionSuperset };

// Everything that the truth of the claim depends on. Nullopt where more would have to be said: of a
// map that is undefined, or that has runtime variables.
std::optional<std::string> EncodingOf(MapClaim claim, llvm::ArrayRef<IndexingMap> a,
                                      llvm::ArrayRef<IndexingMap> b,
                                      llvm::ArrayRef<int64_t> shape = {});

// The answer of `prove`, or of an earlier proof of the claim if the options keep proofs.
template <typename Fn>
MapProofResult ProveOnce(MapClaim claim, llvm::ArrayRef<IndexingMap> a,
                         llvm::ArrayRef<IndexingMap> b, llvm::ArrayRef<int64_t> shape,
                         const DecideOptions& options, Fn prove) {
  if (options.proved == nullptr || options.only || options.cross_check) return prove();
  const std::optional<std::string> encoding = EncodingOf(claim, a, b, shape);
  if (!encoding) return prove();
  if (const std::optional<Engine> engine = options.proved->Find(*encoding))
    return {.verdict = Verdict::kProved, .engine = *engine};
  MapProofResult answer = prove();
  if (answer.verdict == Verdict::kProved) options.proved->Add(*encoding, answer.engine);
  return answer;
}

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_PROVED_MAPS_H_
