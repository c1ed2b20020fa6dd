// Reading of expressions: a cursor over text, and recursive descent.
#include <cctype>

#include "core/symbolic/error.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace affirm {
namespace {

constexpr int kMaxNesting = 1000;

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

class ExprParser {
 public:
  ExprParser(TextCursor& cursor, Context& context, VariableLookup lookup,
             std::vector<ReadDivisor>* divisors)
      : cursor_(cursor), context_(context), lookup_(lookup), divisors_(divisors) {}

  llvm::Expected<SymbolicExpr> Sum() {
    if (++depth_ > kMaxNesting) return TooDeep();
    llvm::SmallVector<SymbolicExpr, 8> terms;
    bool minus = false;
    int highest = 0;
    do {
      auto term = Product();
      if (!term) return term;
      highest = std::max(highest, height_);
      terms.push_back(minus ? -*term : *term);
      if (cursor_.Consume("+")) {
        minus = false;
      } else if (!cursor_.LooksAt("->") && cursor_.Consume("-")) {
        minus = true;
      } else {
        break;
      }
    } while (true);
    --depth_;
    height_ = highest + (terms.size() > 1 ? 1 : 0);
    return terms.size() == 1 ? terms[0] : context_.Add(terms);
  }

 private:
  llvm::Error TooDeep() { return cursor_.Error("the expression is nested too deeply"); }

  // Factors between other operators are multiplied at once, so that a product reads back as it was.
  llvm::Expected<SymbolicExpr> Product() {
    auto lhs = Unary();
    while (lhs) {
      const int height = height_;
      if (height >= kMaxNesting) return TooDeep();
      if (cursor_.Consume("*")) {
        llvm::SmallVector<SymbolicExpr, 4> factors{*lhs};
        int highest = height;
        do {
          auto factor = Unary();
          if (!factor) return factor;
          highest = std::max(highest, height_);
          factors.push_back(*factor);
        } while (cursor_.Consume("*"));
        lhs = context_.Mul(factors);
        height_ = highest + 1;
        continue;
      }
      ExprKind op;
      if (cursor_.Consume("floordiv") || cursor_.Consume("floorDiv") || cursor_.Consume("/")) {
        op = ExprKind::kFloorDiv;
      } else if (cursor_.Consume("ceildiv") || cursor_.Consume("ceilDiv")) {
        op = ExprKind::kCeilDiv;
      } else if (cursor_.Consume("mod") || cursor_.Consume("%")) {
        op = ExprKind::kMod;
      } else {
        break;
      }
      lhs = Quotient(op, *lhs);
      height_ = std::max(height, height_) + 1;
    }
    return lhs;
  }

  llvm::Expected<SymbolicExpr> Quotient(ExprKind op, SymbolicExpr lhs) {
    cursor_.SkipSpace();
    size_t at = cursor_.offset();
    auto rhs = Unary();
    if (!rhs) return rhs;
    if (rhs->IsConstant(0)) {
      return cursor_.ErrorAt(at, "division by zero; the divisor must be nonzero");
    }
    if (op == ExprKind::kMod && rhs->IsConstant() && rhs->value() < 0) {
      return cursor_.ErrorAt(at, "the modulus is negative; it must be positive");
    }
    if (divisors_ && !rhs->IsConstant()) divisors_->push_back({*rhs, op == ExprKind::kMod});
    return op == ExprKind::kFloorDiv  ? context_.FloorDiv(lhs, *rhs)
           : op == ExprKind::kCeilDiv ? context_.CeilDiv(lhs, *rhs)
                                      : context_.Mod(lhs, *rhs);
  }

  llvm::Expected<SymbolicExpr> Unary() {
    bool minus = false;
    while (!cursor_.LooksAt("->") && cursor_.LooksAt("-")) {
      // A signed literal is read whole, so that the least int64 is in reach.
      char next = cursor_.text().drop_front(cursor_.offset() + 1).empty()
                      ? 0
                      : cursor_.text()[cursor_.offset() + 1];
      if (std::isdigit(static_cast<unsigned char>(next))) break;
      cursor_.Consume("-");
      minus = !minus;
    }
    auto e = Primary();
    if (!e) return e;
    return minus ? -*e : *e;
  }

  llvm::Expected<SymbolicExpr> Primary() {
    char c = cursor_.Peek();
    if (c == '(') {
      cursor_.Consume("(");
      auto e = Sum();
      if (!e) return e;
      if (auto err = cursor_.Expect(")", "to close the parenthesis")) return err;
      return e;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') {
      auto v = cursor_.Integer();
      if (!v) return v.takeError();
      height_ = 1;
      SymbolicExpr factor = AdjacentVariable();
      if (!factor) return context_.Constant(*v);
      height_ = 2;
      return factor * *v;
    }
    size_t at = cursor_.offset();
    llvm::StringRef name = cursor_.Identifier();
    if (name.empty()) return cursor_.Error("expected an expression");
    if ((name == "min" || name == "max") && cursor_.Consume("(")) return MinMax(name);
    height_ = 1;
    if (SymbolicExpr e = lookup_(name)) return e;
    return cursor_.ErrorAt(at, "unknown variable '" + name + "'");
  }

  // The variable that follows a number at once, as in 100d0; null when none does.
  SymbolicExpr AdjacentVariable() {
    size_t at = cursor_.offset();
    llvm::StringRef rest = cursor_.text().drop_front(at);
    if (rest.empty() || !std::isalpha(static_cast<unsigned char>(rest.front()))) return {};
    SymbolicExpr variable = lookup_(cursor_.Identifier());
    if (!variable) cursor_.set_offset(at);
    return variable;
  }

  llvm::Expected<SymbolicExpr> MinMax(llvm::StringRef name) {
    llvm::SmallVector<SymbolicExpr, 4> ops;
    int highest = 0;
    do {
      auto e = Sum();
      if (!e) return e;
      highest = std::max(highest, height_);
      ops.push_back(*e);
    } while (cursor_.Consume(","));
    height_ = highest + 1;
    if (auto err = cursor_.Expect(")", "after the arguments of " + name.str())) {
      return err;
    }
    return name == "min" ? context_.Min(ops) : context_.Max(ops);
  }

  TextCursor& cursor_;
  Context& context_;
  VariableLookup lookup_;
  std::vector<ReadDivisor>* divisors_;
  int depth_ = 0;   // of brackets that are open
  int height_ = 0;  // of what was read last, as it is written: a / b / c is ((a / b) / c)
};

}  // namespace

void TextCursor::SkipSpace() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool TextCursor::AtEnd() {
  SkipSpace();
  return at_ >= text_.size();
}

char TextCursor::Peek() {
  SkipSpace();
  return at_ < text_.size() ? text_[at_] : 0;
}

bool TextCursor::LooksAt(llvm::StringRef t) {
  SkipSpace();
  if (!text_.substr(at_).starts_with(t)) return false;
  // A word must not run on into a longer one.
  bool word = IsWordChar(t.back());
  return !word || at_ + t.size() >= text_.size() || !IsWordChar(text_[at_ + t.size()]);
}

bool TextCursor::Consume(llvm::StringRef t) {
  if (!LooksAt(t)) return false;
  at_ += t.size();
  return true;
}

llvm::StringRef TextCursor::Identifier() {
  SkipSpace();
  size_t end = at_;
  if (end < text_.size() && !std::isdigit(static_cast<unsigned char>(text_[end]))) {
    while (end < text_.size() && IsWordChar(text_[end])) ++end;
  }
  llvm::StringRef id = text_.slice(at_, end);
  at_ = end;
  return id;
}

llvm::Expected<int64_t> TextCursor::Integer() {
  SkipSpace();
  size_t end = at_;
  if (end < text_.size() && text_[end] == '-') ++end;
  size_t digits = end;
  while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
  int64_t v;
  if (end == digits) return Error("expected an integer");
  if (text_.slice(at_, end).getAsInteger(10, v)) return Error("the integer leaves 64 bits");
  at_ = end;
  return v;
}

llvm::Error TextCursor::Expect(llvm::StringRef t, llvm::StringRef what_for) {
  if (Consume(t)) return llvm::Error::success();
  return Error("expected '" + t + "' " + what_for);
}

llvm::Error TextCursor::Error(const llvm::Twine& message) {
  SkipSpace();
  return ErrorAt(at_, message);
}

llvm::Error TextCursor::ErrorAt(size_t offset, const llvm::Twine& message) const {
  llvm::StringRef before = text_.take_front(offset);
  int64_t line = first_line_ + static_cast<int64_t>(before.count('\n'));
  size_t newline = before.rfind('\n');
  size_t column = newline == llvm::StringRef::npos ? offset + 1 : offset - newline;
  return MakeError(llvm::Twine(where_) + ":" + llvm::Twine(line) + ":" + llvm::Twine(column) +
                   ": error: " + message);
}

llvm::Expected<SymbolicExpr> ParseExpr(TextCursor& cursor, Context& context, VariableLookup lookup,
                                       std::vector<ReadDivisor>* divisors) {
  return ExprParser(cursor, context, lookup, divisors).Sum();
}

}  // namespace affirm
