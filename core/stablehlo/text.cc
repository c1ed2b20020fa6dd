#include "core/stablehlo/text.h"

#include "core/hlo/diagnostic.h"
#include "core/hlo/scanner.h"
#include "core/hlo/text.h"
#include "core/stablehlo/to_hlo.h"

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
  return scanner.Peek() == '#' || scanner.ConsumeWord("module");
}

llvm::Expected<std::unique_ptr<Module>> ReadModule(llvm::StringRef text, llvm::StringRef where) {
  auto hlo = ToHlo(text, where);
  if (!hlo) return hlo.takeError();
  auto module = ParseModule(hlo->text, where);
  if (!module) return InSource(module.takeError(), where, hlo->places);
  auto place = [&](SourceLocation& at) {
    if (at.line >= 1 && at.line <= static_cast<int64_t>(hlo->places.size()))
      at = hlo->places[at.line - 1];
  };
  for (const auto& computation : (*module)->computations) {
    place(computation->location);
    for (const auto& instruction : computation->instructions) place(instruction->location);
  }
  return module;
}

}  // namespace affirm::hlo::stablehlo
