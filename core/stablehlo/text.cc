#include "core/stablehlo/text.h"

#include "core/hlo/diagnostic.h"
#include "core/hlo/scanner.h"
#include "core/hlo/text.h"
#include "core/stablehlo/to_hlo.h"
#include "core/stablehlo/tokens.h"

namespace affirm::hlo::stablehlo {

namespace {

// The place in a line of HLO that an error names, ":7:3: ", as that of what the line was made from.
llvm::Error InSource(llvm::Error error, llvm::StringRef where,
                     const std::vector<SourceLocation>& places) {
  const std::string text = llvm::toString(std::move(error));
  llvm::StringRef rest = text;
  int64_t line = 0, column = 0;
  const bool has_place = rest.consume_front(where) && rest.consume_front(":") &&
                         !rest.consumeInteger(10, line) && rest.consume_front(":") &&
                         !rest.consumeInteger(10, column) && rest.consume_front(": error: ");
  if (!has_place || line < 1 || line > static_cast<int64_t>(places.size())) return MakeError(text);
  return MakeErrorAt(where, places[line - 1], "as HLO: " + rest);
}

}  // namespace

bool IsStableHlo(llvm::StringRef text) {
  Scanner scanner(text, "", 0, text.size());
  const char first = scanner.Peek();
  if (first == '#' || first == '!' || scanner.LooksAt("\"builtin.module\"")) return true;
  const llvm::StringRef word = TakeWord(scanner);
  return word == "module" || word == "builtin.module" || word == "func.func";
}

llvm::Expected<std::unique_ptr<Module>> ReadModule(llvm::StringRef text, llvm::StringRef where) {
  auto modules = ToHlo(text, where);
  if (!modules) return modules.takeError();
  std::unique_ptr<Module> first;
  for (const HloText& hlo : *modules) {
    auto module = ParseModule(hlo.text, where);
    if (!module) return InSource(module.takeError(), where, hlo.places);
    if (!first) first = std::move(*module);
  }
  const std::vector<SourceLocation>& places = modules->front().places;
  auto place = [&](SourceLocation& at) {
    if (at.line >= 1 && at.line <= static_cast<int64_t>(places.size())) at = places[at.line - 1];
  };
  for (const auto& computation : first->computations) {
    place(computation->location);
    for (const auto& instruction : computation->instructions) place(instruction->location);
  }
  return first;
}

}  // namespace affirm::hlo::stablehlo
