// Elements by which a comparator is no strict weak order, found by trying.
#ifndef AFFIRM_VERIFY_REFERENCE_ORDER_WITNESS_H_
#define AFFIRM_VERIFY_REFERENCE_ORDER_WITNESS_H_

#include <optional>
#include <string>

#include "core/hlo/module.h"

namespace affirm::hlo {

// "(1) comes before itself", "(0) comes before (1), and (1) before (0)": what the comparator of a
// sort says of finite elements, where such are found. An element is a number of each operand.
std::optional<std::string> FindOrderWitness(const Instruction& sort);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_ORDER_WITNESS_H_
