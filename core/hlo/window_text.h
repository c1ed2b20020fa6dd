// Windows, paddings, slices and convolution labels as HLO text. Internal to the parser and the
// printer.
#ifndef AFFIRM_CORE_HLO_WINDOW_TEXT_H_
#define AFFIRM_CORE_HLO_WINDOW_TEXT_H_

#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/scanner.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::hlo {

// "{[0:8:2], [1:5]}"
llvm::Expected<std::vector<SliceDimension>> ParseSliceDimensions(Scanner& scanner);
void PrintSliceDimensions(llvm::ArrayRef<SliceDimension> slice, llvm::raw_ostream& os);

// "0_1x2_2_1": low_high[_interior] for each dimension
llvm::Expected<std::vector<PaddingDimension>> ParsePadding(Scanner& scanner);
void PrintPadding(llvm::ArrayRef<PaddingDimension> padding, llvm::raw_ostream& os);

// "{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_dilate=1x1 rhs_reversal=0x1}"
llvm::Expected<std::vector<WindowDimension>> ParseWindow(Scanner& scanner);
void PrintWindow(llvm::ArrayRef<WindowDimension> window, llvm::raw_ostream& os);

// "b01f_01io->b01f"
llvm::Expected<ConvDimensionNumbers> ParseDimLabels(Scanner& scanner);
void PrintDimLabels(const ConvDimensionNumbers& numbers, llvm::raw_ostream& os);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_WINDOW_TEXT_H_
