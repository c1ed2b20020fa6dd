// Finds casts of index among the tokens of MLIR text.
#include "emit/transforms/exact_text.h"

#include "llvm/ADT/StringExtras.h"

namespace affirm::emit {
namespace {

bool IsNamePart(char c) { return llvm::isAlnum(c) || llvm::StringRef("_$.-#").contains(c); }

class Scanner {
 public:
  explicit Scanner(llvm::StringRef text) : rest_(text) {}

  std::string Run() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        Copy(rest_.find('\n'));
      } else if (rest_.front() == '"') {
        CopyString();
      } else if (IsNamePart(rest_.front())) {
        Word();
      } else {
        Copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  void Copy(size_t count) {
    out_ += rest_.take_front(count);
    rest_ = rest_.drop_front(std::min(count, rest_.size()));
  }
  void CopySpace() { Copy(rest_.find_if_not(llvm::isSpace)); }
  llvm::StringRef NextWord() const { return rest_.take_while(IsNamePart); }

  void CopyString() {
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    Copy(end + 1);
  }

  // A word, and behind a cast its operand and flag.
  void Word() {
    llvm::StringRef word = NextWord();
    Copy(word.size());
    if (word != "arith.index_cast" && word != "arith.index_castui") return;
    CopySpace();
    if (!rest_.starts_with("%")) return;
    Copy(1);
    Copy(NextWord().size());
    CopySpace();
    if (NextWord() != "exact") return;
    rest_ = rest_.drop_front(5);
    llvm::StringRef behind = rest_.ltrim();
    if (!behind.consume_front("{")) {
      out_ += "{exact}";
      return;
    }
    out_ += behind.ltrim().starts_with("}") ? "{exact" : "{exact, ";
    rest_ = behind;
  }

  llvm::StringRef rest_;
  std::string out_;
};

}  // namespace

std::string ExactAsAttribute(llvm::StringRef text) { return Scanner(text).Run(); }

}  // namespace affirm::emit
