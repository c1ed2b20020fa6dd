// The refuted claims of a kernel, for the page. Internal to driver/explore.
#ifndef AFFIRM_DRIVER_EXPLORE_REFUTATION_JSON_H_
#define AFFIRM_DRIVER_EXPLORE_REFUTATION_JSON_H_

#include <cstdint>

#include "driver/validate/validate.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// Where an expected and an actual value differ, and what stood around them.
llvm::json::Object WrongElement(llvm::StringRef name, const hlo::Shape& shape, int64_t element);

// The elements around the wrong one, in row-major order.
void AddValues(llvm::json::Object& json, const hlo::Literal& expected, const hlo::Literal& actual,
               int64_t element);

// The claims of a kernel that are refuted, each with what it is about.
void AddRefutations(const Validation& validation, const kernel::Launch& launch, int64_t kernel,
                    llvm::json::Array& refutations);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_REFUTATION_JSON_H_
