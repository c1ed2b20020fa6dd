// The LLVM IR of a kernel as lines for the page, whose accesses name them.
#ifndef AFFIRM_DRIVER_EXPLORE_KERNEL_SOURCE_H_
#define AFFIRM_DRIVER_EXPLORE_KERNEL_SOURCE_H_

#include <cstdint>
#include <set>

#include "driver/explore/kernel_json.h"

namespace affirm::driver {

// Adds "source" and "source_lines" (kernel_json.h): the kernel's function, from `define` to `}`.
// `accesses` are lines of instructions that touch memory, counted from 1. A function with more than
// 1,500 lines is reduced to those around its accesses. Without a text, or without room in the
// budget, nothing is added.
//
//   AddSource({device->ir, device->text}, {14, 20}, budget, json);
void AddSource(const KernelText& kernel, const std::set<int64_t>& accesses, KernelBudget& budget,
               llvm::json::Object& json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_KERNEL_SOURCE_H_
