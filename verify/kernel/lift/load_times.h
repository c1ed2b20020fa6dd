// Loads from results in a launch of one thread, which may read an element before and after it
// stores there. A load of the initial contents is one term wherever it is executed. So a load that
// follows a store to what may be the same element, or one in another loop, has a number of its own:
//
//   %x = load r[0]         load1[0]
//   store r[%j]
//   %y = load r[0]         load-1048577[0]: %x - %y is not 0
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LOAD_TIMES_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LOAD_TIMES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "verify/kernel/lift/lift.h"
#include "verify/terms/scope.h"

namespace affirm::kernel {

// The number of a load of `count` elements of the buffer, from `first` on, after the effects:
// `initial` if nothing before may have changed them, else one of the buffer and the last change.
// `loops`: the variables of the loops around the load. Nullopt beyond 4,096 buffers.
std::optional<int64_t> NumberAtTime(terms::Scope& scope, int64_t buffer, int64_t initial,
                                    terms::Term first, int64_t count,
                                    llvm::ArrayRef<terms::Term> loops,
                                    llvm::ArrayRef<Effect> effects);

// Rewrites a store in terms of initial contents, if each load that it needs is in the same
// iteration and no store between the two may change the element. Users of such a store must check
// that the contents are the initial ones.
void ExpressStoresInInitialContents(terms::Pool& pool, std::vector<Effect>& effects);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LOAD_TIMES_H_
