#include "core/hlo/entry_layout.h"

#include "core/hlo/scanner.h"
#include "core/hlo/shape_text.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

constexpr llvm::StringLiteral kKey = "entry_computation_layout";

std::optional<Shape> ParseWhole(llvm::StringRef text) {
  Scanner scanner(text, kKey, 0, text.size());
  llvm::Expected<Shape> shape = ParseShape(scanner);
  if (shape && scanner.AtEnd()) return std::move(*shape);
  llvm::consumeError(shape.takeError());
  return std::nullopt;
}

}  // namespace

std::optional<EntryLayout> ParseEntryLayout(llvm::StringRef text) {
  text = text.trim();
  if (!text.consume_front("{") || !text.consume_back("}")) return std::nullopt;
  const auto [operands, result] = text.split("->");
  auto of_operands = ParseWhole(operands), of_result = ParseWhole(result);
  if (!of_operands || !of_operands->IsTuple() || !of_result) return std::nullopt;
  return EntryLayout{std::move(*of_operands), std::move(*of_result)};
}

std::optional<EntryLayout> EntryLayoutOf(const Module& module) {
  const auto header = llvm::find_if(module.extra_attributes,
                                    [](const auto& attribute) { return attribute.first == kKey; });
  if (header == module.extra_attributes.end()) return std::nullopt;
  return ParseEntryLayout(header->second);
}

}  // namespace affirm::hlo
