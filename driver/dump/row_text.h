// Texts and counts for the rows of a dump, shared by all formats.
#ifndef AFFIRM_DRIVER_DUMP_ROW_TEXT_H_
#define AFFIRM_DRIVER_DUMP_ROW_TEXT_H_

#include <cstdint>
#include <string>

#include "driver/dump/dump.h"

namespace affirm::driver {

inline constexpr const char* kNotToldApart =
    "not told apart: single passes (--xla_dump_hlo_pass_re=.* dumps the HLO around each)";

// "pass algsimp of pipeline simplification"
std::string PassText(const PassRow& row);
std::string IndexText(const ExecutedDifference& difference);  // "[0,3]"
// "element [0] of result 0 is 1 before and 0 after, on arguments that terms gave"
std::string DifferenceText(const ExecutedDifference& difference);
// "z is written over y, which the caller reads afterwards (...)"
std::string ConflictText(const BufferConflict& conflict);
// "copy 'fusion.1': 'u' starts at [9,0] of f32[8,64], clamped byte 1792, and is copied at ..."
std::string CopyText(const SliceCopy& copy);
// "constant 'c.1': element [2] is 0 in @buffer_for_c_1 of FILE, expected 3 (1 of 4 elements ...)"
std::string ConstantText(const ConstantRow& row);
// "the compiled program gives 1 for element [0] of result 0, and the interpreter 2, on set ..."
std::string RunText(const WholeRun& run);
std::string FileName(const std::string& path);  // without its folder

// The number of rows with each verdict: "4 proved, 1 executed".
class RowCounts {
 public:
  template <typename Rows>
  void Add(const Rows& rows) {
    for (const auto& row : rows) ++counts_[static_cast<size_t>(row.verdict)];
    total_ += static_cast<int64_t>(rows.size());
  }
  int64_t total() const { return total_; }
  std::string Text() const;

 private:
  int64_t counts_[4] = {}, total_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_ROW_TEXT_H_
