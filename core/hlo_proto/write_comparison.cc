// The order of a comparison: a type in the XLA of jaxlib before 0.12, a word in later ones.
#include "core/hlo/shape.h"
#include "core/hlo_proto/values.h"
#include "core/hlo_proto/writer.h"
#include "core/symbolic/error.h"

namespace affirm::hlo_proto {

// The type is left out where it is that of the operands. The order of integers is total, and is
// left out as well.
llvm::Expected<std::string> ComparisonOrderText(const Instruction& comparison,
                                                const Instruction* operand) {
  const bool has_type = !comparison.comparison_type().empty();
  const bool has_order = !comparison.comparison_order().empty();
  if (!has_type && !has_order) return "";
  auto shape = operand == nullptr ? llvm::Expected<std::string>("") : ShapeText(operand->shape());
  if (!shape) return shape.takeError();
  const hlo::PrimitiveType of =
      hlo::PrimitiveTypeFromName(llvm::StringRef(*shape).split('[').first);
  const bool is_float = hlo::IsFloat(of) || hlo::IsComplex(of);
  std::string text;
  if (has_type) {
    auto type = Word(comparison.comparison_type(), "comparison_type");
    if (!type) return type.takeError();
    const llvm::StringRef usual = is_float ? "FLOAT" : hlo::IsSignedInt(of) ? "SIGNED" : "UNSIGNED";
    if (*type != usual) text = ", type=" + type->str();
  }
  if (!has_order) return text;
  auto order = Word(comparison.comparison_order(), "comparison_order");
  if (!order) return order.takeError();
  const bool is_total = *order == "TOTAL";
  if (!is_total && *order != "PARTIAL")
    return MakeError("expected a comparison_order, TOTAL or PARTIAL, found " + *order);
  if (!has_type) return is_total == is_float ? ", order=" + order->str() : text;
  const bool has_total_type = !is_float || comparison.comparison_type() == "TOTALORDER";
  if (is_total == has_total_type) return text;
  return MakeError("expected a comparison_order that suits the comparison_type, found " + *order);
}

}  // namespace affirm::hlo_proto
