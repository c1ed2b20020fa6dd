// The text that a report prints while it is made; other formats are made of its records.
#ifndef AFFIRM_DRIVER_REPORT_OUTPUT_H_
#define AFFIRM_DRIVER_REPORT_OUTPUT_H_

#include <cstdint>

namespace affirm::driver {

enum class ReportOutput : uint8_t { kText, kJson, kNothing };

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORT_OUTPUT_H_
