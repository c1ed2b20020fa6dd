// Reads lists of integers in braces.
#include "core/hlo/attribute_values.h"

#include "core/hlo/scanner.h"

namespace affirm::hlo {
namespace {

// "{0,1}" behind blanks; nullopt at anything else.
std::optional<Ints> ScanInts(Scanner& scanner) {
  Ints values;
  if (!scanner.Consume('{')) return std::nullopt;
  if (scanner.Consume('}')) return values;
  do {
    llvm::Expected<int64_t> value = scanner.Integer("a number");
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    values.push_back(*value);
  } while (scanner.Consume(','));
  return scanner.Consume('}') ? std::optional(values) : std::nullopt;
}

std::optional<std::vector<Ints>> ReadLists(Scanner& scanner) {
  std::vector<Ints> lists;
  if (!scanner.Consume('{')) return std::nullopt;
  if (scanner.Consume('}')) return lists;
  do {
    std::optional<Ints> list = ScanInts(scanner);
    if (!list) return std::nullopt;
    lists.push_back(std::move(*list));
  } while (scanner.Consume(','));
  return scanner.Consume('}') ? std::optional(lists) : std::nullopt;
}

// The value that `read` reads, if it consumes all of the text.
template <typename T>
std::optional<T> Whole(llvm::StringRef text, std::optional<T> (*read)(Scanner&)) {
  Scanner scanner(text, "", 0, text.size());
  std::optional<T> value = read(scanner);
  return value && scanner.AtEnd() ? value : std::nullopt;
}

}  // namespace

std::optional<Ints> ParseInts(llvm::StringRef text) { return Whole(text, ScanInts); }

std::optional<std::vector<Ints>> ParseLists(llvm::StringRef text) { return Whole(text, ReadLists); }

std::optional<int64_t> IntegerAttribute(const Attributes& attributes, llvm::StringRef key) {
  int64_t value = 0;
  if (WordAttribute(attributes, key).getAsInteger(10, value)) return std::nullopt;
  return value;
}

std::optional<bool> BoolAttribute(const Attributes& attributes, llvm::StringRef key) {
  const llvm::StringRef word = WordAttribute(attributes, key);
  if (word != "true" && word != "false") return std::nullopt;
  return word == "true";
}

std::optional<Ints> IntsAttribute(const Attributes& attributes, llvm::StringRef key) {
  return ParseInts(WordAttribute(attributes, key));
}

std::optional<std::vector<Ints>> ListsAttribute(const Attributes& attributes, llvm::StringRef key) {
  return ParseLists(WordAttribute(attributes, key));
}

llvm::StringRef WordAttribute(const Attributes& attributes, llvm::StringRef key) {
  const std::string* text = attributes.FindExtra(key);
  return text == nullptr ? llvm::StringRef() : llvm::StringRef(*text).trim();
}

}  // namespace affirm::hlo
