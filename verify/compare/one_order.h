// Whether the order in which a kernel combines a reduction is one, whoever asks for it.
//
//   reduction   fold-add(load0[k] where true, over k)               one number, for all threads
//   order       fold-add(load0[th = 0 ? k : 63 - k] where true, over k)       th: two orders
//   order       add(load0[th], load0[th xor 1]), th in [0, 1]       one, as addition commutes
#ifndef AFFIRM_VERIFY_COMPARE_ONE_ORDER_H_
#define AFFIRM_VERIFY_COMPARE_ONE_ORDER_H_

#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Whether `order` is the same term, but for operands that change places, at any two values of its
// variables at which the reduction reads the same elements. `holds` decides a condition under the
// facts of the scope. false where that is not seen.
bool IsDeterminedBy(terms::Scope& scope, terms::Term order, terms::Term reduction,
                    llvm::function_ref<bool(terms::Term)> holds);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_ONE_ORDER_H_
