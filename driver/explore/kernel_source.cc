#include "driver/explore/kernel_source.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "driver/json_text.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int64_t kMostLines = 1500;     // of a function that is shown as a whole
constexpr int64_t kAround = 6;           // lines before and after an access in a longer one
constexpr size_t kMostSourceText = 300;  // bytes of a line

using Range = std::pair<int64_t, int64_t>;  // first and last line, counted from 1

// The function that holds the kernel's instructions and accesses; {1, 0}: no line is known.
Range FunctionLines(const kernel::KernelIr& ir, const std::set<int64_t>& accesses,
                    llvm::ArrayRef<llvm::StringRef> lines) {
  const int64_t count = std::ssize(lines);
  int64_t first = count + 1, last = 0;
  auto add = [&](int64_t line) {
    if (line < 1 || line > count) return;
    first = std::min(first, line);
    last = std::max(last, line);
  };
  for (const llvm::Instruction& op : llvm::instructions(*ir.kernel)) add(ir.LineOf(&op));
  for (int64_t line : accesses) add(line);
  if (last == 0) return {1, 0};
  while (first > 1 && !lines[first - 1].starts_with("define ")) --first;
  while (last < count && !lines[last - 1].starts_with("}")) ++last;
  return {first, last};
}

std::vector<Range> ShownLines(const Range& function, const std::set<int64_t>& accesses) {
  const auto [first, last] = function;
  if (last - first < kMostLines) return {function};
  std::vector<Range> shown{{first, first + kAround}};
  for (int64_t line : accesses) {
    const Range around{std::max(first, line - kAround), std::min(last, line + kAround)};
    if (around.first > around.second) continue;
    if (around.first <= shown.back().second + 1) {
      shown.back().second = std::max(shown.back().second, around.second);
    } else {
      shown.push_back(around);
    }
  }
  return shown;
}

}  // namespace

void AddSource(const KernelText& kernel, const std::set<int64_t>& accesses, KernelBudget& budget,
               Object& json) {
  llvm::SmallVector<llvm::StringRef> lines;
  kernel.text.split(lines, '\n');
  const Range function = FunctionLines(kernel.ir, accesses, lines);
  if (function.first > function.second) return;
  Array parts;
  for (const auto& [first, last] : ShownLines(function, accesses)) {
    Array texts;
    for (int64_t line = first; line <= last; ++line) {
      llvm::StringRef text = lines[line - 1].rtrim();
      const bool is_long = text.size() > kMostSourceText;
      budget.source_bytes -= static_cast<int64_t>(std::min(text.size(), kMostSourceText)) + 4;
      if (budget.source_bytes < 0) {
        budget.source_bytes = 0;
        return;
      }
      texts.push_back(
          JsonText(is_long ? (text.take_front(kMostSourceText) + " ...").str() : text.str()));
    }
    parts.push_back(Object{{"first", first}, {"lines", std::move(texts)}});
  }
  json["source"] = std::move(parts);
  json["source_lines"] = function.second - function.first + 1;
}

}  // namespace affirm::driver
