#include "verify/calls/lapack.h"

#include "core/hlo/leaves.h"
#include "core/hlo/scanner.h"
#include "core/hlo/shape_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/calls/backend_config.h"

namespace affirm::calls {

using hlo::Shape;

bool IsMatrix(const Shape& shape) {
  return shape.IsArray() && shape.rank() >= 2 &&
         (hlo::IsFloat(shape.type) || hlo::IsComplex(shape.type));
}

char Letter(const hlo::Instruction& call, llvm::StringRef key) {
  int64_t code = 0;
  const bool is_number = llvm::to_integer(TypedAttribute(call, key), code, 10);
  return is_number && code > 0 && code < 128 ? static_cast<char>(code) : '\0';
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

char Triangle(const hlo::Instruction& call) {
  const llvm::StringRef lower = TypedAttribute(call, "lower");  // cuSOLVER
  if (!lower.empty()) return lower == "true" ? 'L' : 'U';
  return Letter(call, "uplo");
}

}  // namespace affirm::calls
