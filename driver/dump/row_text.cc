#include "driver/dump/row_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

std::string PassText(const PassRow& row) {
  return "pass " + row.pass + (row.pipeline.empty() ? "" : " of pipeline " + row.pipeline);
}

std::string IndexText(const ExecutedDifference& difference) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleave(difference.index, os, ",");
  return text + "]";
}

std::string DifferenceText(const ExecutedDifference& difference) {
  return "element " + IndexText(difference) + " of result " + std::to_string(difference.leaf) +
         " is " + difference.a + " before and " + difference.b + " after, " +
         OriginOfArguments(difference);
}

std::string ConflictText(const BufferConflict& conflict) {
  return conflict.overwritten_by + " is written over " + conflict.value + ", which " +
         conflict.read_by + " reads afterwards (allocation " +
         std::to_string(conflict.of_value.allocation) + ", offsets " +
         std::to_string(conflict.of_other.offset) + " and " +
         std::to_string(conflict.of_value.offset) + ")";
}

std::string CopyText(const SliceCopy& copy) {
  return "copy '" + copy.instruction + "'" + (copy.reason.empty() ? "" : ": " + copy.reason);
}

std::string ConstantText(const ConstantRow& row) {
  return "constant '" + row.instruction + "'" + (row.reason.empty() ? "" : ": " + row.reason);
}

std::string RunText(const WholeRun& run) {
  if (run.difference) {
    const ExecutedDifference& difference = *run.difference;
    return "the compiled program gives " + difference.b + " for element " + IndexText(difference) +
           " of result " + std::to_string(difference.leaf) + ", and the interpreter " +
           difference.a + ", " + OriginOfArguments(difference);
  }
  if (run.verdict != Verdict::kExecuted) return run.reason;
  return "the compiled program ran without a difference on " + std::to_string(run.sets) +
         " sets of arguments, " + std::to_string(run.elements) + " elements";
}

std::string FileName(const std::string& path) { return llvm::sys::path::filename(path).str(); }

std::string RowCounts::Text() const {
  std::vector<std::string> parts;
  for (Verdict verdict :
       {Verdict::kProved, Verdict::kExecuted, Verdict::kUnknown, Verdict::kRefuted}) {
    const int64_t count = counts_[static_cast<size_t>(verdict)];
    if (count > 0) parts.push_back(std::to_string(count) + " " + Name(verdict));
  }
  return llvm::join(parts, ", ");
}

}  // namespace affirm::driver
