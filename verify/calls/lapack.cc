#include "verify/calls/lapack.h"

#include "core/hlo/leaves.h"
#include "core/hlo/scanner.h"
#include "core/hlo/shape_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::calls {

using hlo::Shape;

bool IsMatrix(const Shape& shape) {
  return shape.IsArray() && shape.rank() >= 2 &&
         (hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type));
}

bool IsLapack(const hlo::Instruction& call) {
  return llvm::StringRef(call.attributes.custom_call_target).starts_with("lapack_");
}

llvm::Error CheckColumnMajor(const hlo::Instruction& call) {
  auto is_column_major = [](const Shape& shape) {
    if (!shape.IsArray() || shape.rank() < 2) return true;
    const std::vector<int64_t> order = shape.MinorToMajor();
    return order[0] == shape.rank() - 2 && order[1] == shape.rank() - 1;
  };
  std::vector<Shape> shapes;
  if (const std::string* text = call.attributes.FindExtra("operand_layout_constraints")) {
    hlo::Scanner scanner(*text, "operand_layout_constraints", 0, text->size());
    while (!scanner.AtEnd()) {
      if (scanner.Consume('{') || scanner.Consume('}') || scanner.Consume(',')) continue;
      auto shape = hlo::ParseShape(scanner);
      if (!shape) return shape.takeError();
      shapes.push_back(std::move(*shape));
    }
  } else {
    for (const hlo::Instruction* operand : call.operands) shapes.push_back(operand->shape);
  }
  for (const hlo::LeafRef& leaf : hlo::Leaves(call.shape)) shapes.push_back(*leaf.shape);
  if (llvm::all_of(shapes, is_column_major)) return llvm::Error::success();
  return MakeError("expected matrices with columns one after the other, layout {0,1}");
}

char Triangle(const TypedConfig& config) {
  if (auto lower = config.Flag("lower")) return *lower ? 'L' : 'U';  // cuSOLVER
  return config.Letter("uplo");
}

}  // namespace affirm::calls
