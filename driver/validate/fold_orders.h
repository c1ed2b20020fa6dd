// What a fold of floats may give when its order is open: of types with few values each order may
// give another one, and a handful of orders does not show how far they lie apart. Of
//
//   4 + 4 - 6 + 2, in f4e2m1fn, where nothing is more than 6,
//
// from left to right 2 is the sum, and 4 where the first two are added to what the others give.
//
//   ValuesOfOrders all = ValuesInAllOrders({four, four, minus_six, two}, add, steps);
#ifndef AFFIRM_DRIVER_VALIDATE_FOLD_ORDERS_H_
#define AFFIRM_DRIVER_VALIDATE_FOLD_ORDERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/validate/element_values.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/kernel/proof/scalar_operations.h"
#include "verify/terms/term.h"

namespace affirm::driver {

// The values of the fold of at least one leaf, floats of at most 64 bits. `steps` are what it may
// take, and become fewer; where they, or the leaves, are too many for all orders, the values are
// those of some, among them sorted ones.
ValuesOfOrders ValuesInAllOrders(llvm::ArrayRef<kernel::TypedScalar> leaves,
                                 CombineFunction combine, int64_t& steps);

// Of an element, each of whose folds may be taken in any order by itself: no value that an order of
// them all gives is missing where `all` is set. nullopt where it cannot be evaluated. With a type,
// what is folded and all that two of them give are rounded to it, as a product of matrices is that
// is computed by operations on its type.
std::optional<ValuesOfOrders> ValuesInAllOrders(ElementValues& values, terms::Term element,
                                                const ElementValues::LoadFunction& load,
                                                std::optional<hlo::PrimitiveType> rounded_to,
                                                int64_t& steps);

// Whether some order makes a part of a product that an element is computed with larger than the
// largest number of its type, or less than the least normal one, so that the others give anything.
bool ProductLeavesRange(ElementValues& values, terms::Term element,
                        const ElementValues::LoadFunction& load);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_FOLD_ORDERS_H_
