// Reading of value rules.
#include <utility>

#include "core/symbolic/error.h"
#include "core/symbolic/text_cursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "verify/value_rules/syntax.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

namespace {

using hlo::Opcode;

constexpr int kMostNesting = 100;

class Reader {
 public:
  Reader(llvm::StringRef text, llvm::StringRef where) : cursor_(text, where) {}

  llvm::Expected<std::vector<ValueRule>> Run() {
    std::vector<ValueRule> rules;
    llvm::StringSet<> names;
    while (!cursor_.AtEnd()) {
      const size_t at = cursor_.offset();
      rule_ = ValueRule();
      choices_.clear();
      if (llvm::Error error = OneRule()) return error;
      for (ValueRule& rule : ForEachChoice()) {
        if (!names.insert(rule.name).second)
          return cursor_.ErrorAt(at, "rule '" + rule.name + "' is defined twice");
        rules.push_back(std::move(rule));
      }
    }
    return rules;
  }

 private:
  llvm::Error OneRule() {
    cursor_.SkipSpace();
    const auto line =
        1 + static_cast<int64_t>(cursor_.text().take_front(cursor_.offset()).count('\n'));
    if (llvm::Error error = cursor_.Expect("rule", "at the start of a rule")) return error;
    rule_.where = (cursor_.where() + ":" + llvm::Twine(line)).str();
    rule_.name = cursor_.Identifier().str();
    if (rule_.name.empty()) return cursor_.Error("expected the name of the rule");
    if (llvm::Error error = cursor_.Expect(":", "after the name of the rule")) return error;
    // The variables of the sides are declared behind them.
    const size_t sides = cursor_.offset();
    const size_t at = FindWord("with", sides);
    if (at == llvm::StringRef::npos)
      return cursor_.Error("expected a line 'with', which gives the variables their types");
    cursor_.set_offset(at);
    if (llvm::Error error = With()) return error;
    const size_t behind = cursor_.offset();
    cursor_.set_offset(sides);
    if (llvm::Error error = Side(rule_.lhs)) return error;
    if (llvm::Error error = cursor_.Expect("=>", "after the left side")) return error;
    if (llvm::Error error = Side(rule_.rhs)) return error;
    cursor_.SkipSpace();
    if (cursor_.offset() != at) return cursor_.Error("expected an operator, or 'with'");
    cursor_.set_offset(behind);
    if (cursor_.Consume("when")) {
      rule_.when.emplace();
      if (llvm::Error error = Side(*rule_.when)) return error;
    }
    if (llvm::Error error = Class()) return error;
    return Why();
  }

  // Where the word stands at the start of a line, from an offset on, before the next rule.
  size_t FindWord(llvm::StringRef word, size_t from) const {
    size_t at = from;
    while (at < cursor_.text().size()) {
      const llvm::StringRef line =
          cursor_.text().drop_front(at).take_until([](char c) { return c == '\n'; });
      const llvm::StringRef trimmed = line.ltrim();
      if (at != from && trimmed.starts_with("rule ")) break;
      llvm::StringRef rest = trimmed;
      if (at != from && rest.consume_front(word) && (rest.empty() || llvm::isSpace(rest.front())))
        return at + (line.size() - trimmed.size());
      at += line.size() + 1;
    }
    return llvm::StringRef::npos;
  }

  // "x, y : T, n : s32 for T in {f16, bf16}, U in {s8}"
  llvm::Error With() {
    if (llvm::Error error = cursor_.Expect("with", "")) return error;
    std::vector<std::pair<size_t, std::string>> named;  // types, to be looked up
    do {
      std::vector<std::string> names;
      do {
        cursor_.SkipSpace();
        const size_t at = cursor_.offset();
        names.push_back(cursor_.Identifier().str());
        if (names.back().empty()) return cursor_.Error("expected the name of a variable");
        if (FindVariable(names.back()) || llvm::count(names, names.back()) > 1)
          return cursor_.ErrorAt(at, "variable '" + names.back() + "' is named twice");
        if (llvm::Error error = RefuseKeyword(names.back(), at)) return error;
        if (cursor_.LooksAt(":")) break;
      } while (cursor_.Consume(","));
      if (llvm::Error error = cursor_.Expect(":", "and the type of '" + names.back() + "'"))
        return error;
      cursor_.SkipSpace();
      const size_t at = cursor_.offset();
      const std::string type = cursor_.Identifier().str();
      if (type.empty()) return cursor_.Error("expected a type");
      named.emplace_back(at, type);
      for (std::string& name : names) rule_.variables.push_back({std::move(name), type});
    } while (cursor_.Consume(","));
    if (cursor_.Consume("for")) {
      do {
        if (llvm::Error error = Choice()) return error;
      } while (cursor_.Consume(","));
    }
    for (const auto& [at, type] : named) {
      if (!IsType(type)) return cursor_.ErrorAt(at, "there is no type '" + type + "'");
    }
    return llvm::Error::success();
  }

  // The choices of a name other than types: operations, or numbers.
  struct Choices {
    std::string name;
    std::vector<Opcode> opcodes;
    std::vector<Expression> numbers;
  };
  const Choices* FindChoices(llvm::StringRef name) const {
    auto found = llvm::find_if(choices_, [&](const Choices& of) { return of.name == name; });
    return found == choices_.end() ? nullptr : &*found;
  }
  bool IsNumber(llvm::StringRef name) const {
    const Choices* found = FindChoices(name);
    return found != nullptr && !found->numbers.empty();
  }

  // "T in {f16, bf16}", "f in {add, multiply}", or "c in {2, 4}"
  llvm::Error Choice() {
    cursor_.SkipSpace();
    const size_t at = cursor_.offset();
    TypeVariable types{cursor_.Identifier().str(), {}};
    const std::string& name = types.name;
    if (name.empty()) return cursor_.Error("expected the name of a type or of an operation");
    if (IsType(name) || FindChoices(name) != nullptr)
      return cursor_.Error("type '" + name + "' is named twice");
    if (FindVariable(name) || OpcodeOfFunction(name) != Opcode::kUnknown)
      return cursor_.ErrorAt(at, "'" + name + "' is the name of something else");
    if (llvm::Error error = RefuseKeyword(name, at)) return error;
    if (llvm::Error error = cursor_.Expect("in", "and the types that it may be")) return error;
    if (llvm::Error error = cursor_.Expect("{", "before the types")) return error;
    Choices choices{name, {}, {}};
    do {
      if (llvm::Error error = Chosen(types, choices)) return error;
    } while (cursor_.Consume(","));
    if (llvm::Error error = cursor_.Expect("}", "after the types")) return error;
    if (types.types.empty())
      choices_.push_back(std::move(choices));
    else
      rule_.types.push_back(std::move(types));
    return llvm::Error::success();
  }

  // One of several types, operations with as many operands, or numbers.
  llvm::Error Chosen(TypeVariable& types, Choices& choices) {
    cursor_.SkipSpace();
    const size_t at = cursor_.offset();
    const bool of_types = choices.opcodes.empty() && choices.numbers.empty();
    if (llvm::isDigit(cursor_.Peek()) && types.types.empty() && choices.opcodes.empty()) {
      auto number = Number();
      if (!number) return number.takeError();
      choices.numbers.push_back(std::move(*number));
      return llvm::Error::success();
    }
    const llvm::StringRef chosen = cursor_.Identifier();
    if (const auto type = TypeNamed(chosen); type && of_types) {
      types.types.push_back(*type);
      return llvm::Error::success();
    }
    const Opcode opcode = OpcodeOfFunction(chosen);
    const bool is_operation = opcode != Opcode::kUnknown && !IsNamedWithMore(opcode);
    if (!is_operation || !types.types.empty() || !choices.numbers.empty())
      return cursor_.ErrorAt(at,
                             "expected an integer or float type, or pred, found '" + chosen + "'");
    choices.opcodes.push_back(opcode);
    if (hlo::Arity(opcode) != hlo::Arity(choices.opcodes[0]))
      return cursor_.ErrorAt(at, "'" + chosen + "' has another number of operands");
    return llvm::Error::success();
  }

  // The rule that was read with each choice of its operations and numbers, those of the last name
  // changing first.
  std::vector<ValueRule> ForEachChoice() const {
    std::vector<ValueRule> rules = {rule_};
    rules[0].family = rule_.name;
    for (const Choices& choices : choices_) {
      std::vector<ValueRule> chosen;
      for (const ValueRule& rule : rules) {
        auto add = [&](const std::string& of, const Expression& becomes) {
          chosen.push_back(rule);
          chosen.back().name += "." + of;
          for (Expression* side : {&chosen.back().lhs, &chosen.back().rhs})
            Choose(choices.name, becomes, *side);
          if (rule.when) Choose(choices.name, becomes, *chosen.back().when);
        };
        for (const Opcode opcode : choices.opcodes)
          add(FunctionOf(opcode), {.kind = Expression::Kind::kOp, .opcode = opcode});
        for (const Expression& number : choices.numbers) add(number.text, number);
      }
      rules = std::move(chosen);
    }
    return rules;
  }
  static void Choose(llvm::StringRef name, const Expression& becomes, Expression& e) {
    for (Expression& arg : e.args) Choose(name, becomes, arg);
    if (e.kind == Expression::Kind::kNumber || e.text != name) return;
    std::vector<Expression> args = std::move(e.args);
    e = becomes;
    e.args = std::move(args);
  }

  bool IsType(llvm::StringRef name) const {
    return TypeNamed(name) ||
           llvm::any_of(rule_.types, [&](const TypeVariable& of) { return of.name == name; });
  }
  bool FindVariable(llvm::StringRef name) const {
    return llvm::any_of(rule_.variables, [&](const Variable& of) { return of.name == name; });
  }

  llvm::Error RefuseKeyword(llvm::StringRef name, size_t at) {
    if (!IsKeyword(name)) return llvm::Error::success();
    return cursor_.ErrorAt(at, "'" + name + "' is a word of the language");
  }

  llvm::Error Class() {
    if (llvm::Error error = cursor_.Expect("class", "and exact, defined or licensed")) return error;
    for (const RuleClass of : {RuleClass::kExact, RuleClass::kDefined, RuleClass::kLicensed}) {
      if (!cursor_.Consume(Name(of))) continue;
      rule_.of_class = of;
      return llvm::Error::success();
    }
    return cursor_.Error("expected exact, defined or licensed");
  }

  llvm::Error Why() {
    if (llvm::Error error = cursor_.Expect("why", "and a line that says why the rule holds"))
      return error;
    const llvm::StringRef rest = cursor_.text().drop_front(cursor_.offset());
    const llvm::StringRef why = rest.take_until([](char c) { return c == '\n'; });
    cursor_.set_offset(cursor_.offset() + why.size());
    rule_.why = why.trim().str();
    if (rule_.why.empty()) return cursor_.Error("expected a line that says why the rule holds");
    return llvm::Error::success();
  }

  // ---- terms

  llvm::Error Side(Expression& out) {
    auto read = Binary(0, 0);
    if (!read) return read.takeError();
    out = std::move(*read);
    return llvm::Error::success();
  }

  const Operator* NextOperator(int binds) {
    if (cursor_.LooksAt("=>")) return nullptr;
    for (const Operator& op : kBinary) {
      if (cursor_.LooksAt(op.text)) return op.binds > binds ? &op : nullptr;
    }
    return nullptr;
  }

  llvm::Expected<Expression> Binary(int binds, int depth) {
    if (depth > kMostNesting) return cursor_.Error("the term is nested too deep");
    auto left = Unary(depth + 1);
    if (!left) return left;
    while (const Operator* op = NextOperator(binds)) {
      const size_t at = cursor_.offset();
      cursor_.Consume(op->text);
      auto right = Binary(op->binds, depth + 1);
      if (!right) return right;
      Expression made{
          .kind = Expression::Kind::kOp, .opcode = op->opcode, .direction = op->direction.str()};
      made.args.push_back(std::move(*left));
      made.args.push_back(std::move(*right));
      left = std::move(made);
      const bool again = op->opcode == Opcode::kCompare && NextOperator(2) != nullptr &&
                         NextOperator(2)->opcode == Opcode::kCompare;
      if (again) return cursor_.ErrorAt(at, "comparisons do not form chains: use &&");
    }
    return left;
  }

  llvm::Expected<Expression> Unary(int depth) {
    if (depth > kMostNesting) return cursor_.Error("the term is nested too deep");
    const bool is_not = cursor_.LooksAt("!") && !cursor_.LooksAt("!=");
    if (cursor_.LooksAt("-") || is_not) {
      cursor_.Consume(is_not ? "!" : "-");
      const char next =
          cursor_.offset() < cursor_.text().size() ? cursor_.text()[cursor_.offset()] : '\0';
      // -0.0 is a number; what -(0.0) is, too.
      if (!is_not && (llvm::isDigit(next) || cursor_.LooksAt("inf") || cursor_.LooksAt("nan"))) {
        auto number = Primary(depth + 1);
        if (number) number->text = "-" + number->text;
        return number;
      }
      auto of = Unary(depth + 1);
      if (!of) return of;
      Expression made{.kind = Expression::Kind::kOp,
                      .opcode = is_not ? Opcode::kNot : Opcode::kNegate};
      made.args.push_back(std::move(*of));
      return made;
    }
    return Primary(depth + 1);
  }

  llvm::Expected<Expression> Primary(int depth) {
    if (cursor_.Consume("(")) {
      auto inner = Binary(0, depth + 1);
      if (!inner) return inner;
      if (llvm::Error error = cursor_.Expect(")", "after the term")) return error;
      return inner;
    }
    if (llvm::isDigit(cursor_.Peek())) return Number();
    const size_t at = cursor_.offset();
    const llvm::StringRef name = cursor_.Identifier();
    if (name.empty()) return cursor_.Error("expected a term");
    if (cursor_.LooksAt("(")) return Function(name, at, depth);
    if (IsNamedNumber(name))
      return Expression{.kind = Expression::Kind::kNumber, .text = name.str()};
    if (!FindVariable(name) && !IsNumber(name))
      return cursor_.ErrorAt(at, "there is no variable '" + name + "'");
    return Expression{.kind = Expression::Kind::kVariable, .text = name.str()};
  }

  // 3, 0x7f, 1.5e-3
  llvm::Expected<Expression> Number() {
    const llvm::StringRef rest = cursor_.text().drop_front(cursor_.offset());
    size_t length = 0;
    while (length < rest.size()) {
      const char c = rest[length];
      const bool sign = (c == '-' || c == '+') && length > 0 &&
                        llvm::toLower(rest[length - 1]) == 'e' && !rest.starts_with("0x");
      if (!llvm::isAlnum(c) && c != '.' && !sign) break;
      ++length;
    }
    std::string text = rest.take_front(length).str();
    double value = 0;
    uint64_t bits = 0;
    llvm::StringRef digits = text;
    if (digits.consume_front("0x")) {
      if (digits.getAsInteger(16, bits))
        return cursor_.Error("expected a number, found '" + text + "'");
      text = std::to_string(bits);
    } else if (digits.getAsDouble(value)) {
      return cursor_.Error("expected a number, found '" + text + "'");
    }
    cursor_.set_offset(cursor_.offset() + length);
    return Expression{.kind = Expression::Kind::kNumber, .text = text};
  }

  llvm::Expected<Expression> Function(llvm::StringRef name, size_t at, int depth) {
    Expression made{.kind = Expression::Kind::kOp};
    const Choices* chosen = IsNumber(name) ? nullptr : FindChoices(name);
    const bool is_constant = IsType(name);
    made.opcode = is_constant ? Opcode::kConstant : OpcodeOfFunction(name);
    if (is_constant) made.type = name.str();
    if (chosen != nullptr) {
      made.opcode = chosen->opcodes[0];
      made.text = name.str();
    }
    const bool is_op =
        is_constant || (made.opcode != Opcode::kUnknown && made.opcode != Opcode::kCompare);
    if (!is_op) return cursor_.ErrorAt(at, "there is no elementwise operation '" + name + "'");
    cursor_.Consume("(");
    const bool with_more = IsNamedWithMore(made.opcode);
    bool has_more = false;
    do {
      if (with_more && made.args.size() == 1) {
        if (llvm::Error error = ReadMore(made)) return error;
        has_more = true;
        break;
      }
      auto arg = Binary(0, depth + 1);
      if (!arg) return arg;
      made.args.push_back(std::move(*arg));
    } while (cursor_.Consume(","));
    if (llvm::Error error = cursor_.Expect(")", "after the operands")) return error;
    const int arity = is_constant ? 1 : hlo::Arity(made.opcode);
    if (std::ssize(made.args) != arity || (with_more && !has_more)) {
      const llvm::StringRef more = made.opcode == Opcode::kConvert ? " and a type"
                                   : with_more ? " and the bits of the exponent and the mantissa"
                                               : "";
      return cursor_.ErrorAt(at, "expected " + llvm::Twine(arity) + " operand" +
                                     (arity == 1 ? "" : "s") + more + " of '" + name + "'");
    }
    if (is_constant && made.args[0].kind != Expression::Kind::kNumber)
      return cursor_.ErrorAt(at, "expected a number in '" + name + "(...)'");
    return made;
  }

  // The type of a convert; the bits of the exponent and the mantissa of a reduce_precision.
  llvm::Error ReadMore(Expression& made) {
    cursor_.SkipSpace();
    const size_t at = cursor_.offset();
    if (made.opcode == Opcode::kConvert) {
      made.type = cursor_.Identifier().str();
      if (!IsType(made.type)) return cursor_.ErrorAt(at, "expected a type");
      return llvm::Error::success();
    }
    for (int64_t* bits : {&made.exponent_bits, &made.mantissa_bits}) {
      if (bits == &made.mantissa_bits) {
        if (llvm::Error error = cursor_.Expect(",", "and the bits of the mantissa")) return error;
      }
      cursor_.SkipSpace();
      auto number = Number();
      if (!number) return number.takeError();
      if (llvm::StringRef(number->text).getAsInteger(10, *bits) || *bits > 64)
        return cursor_.ErrorAt(at, "expected numbers of bits");
    }
    return llvm::Error::success();
  }

  TextCursor cursor_;
  ValueRule rule_;
  std::vector<Choices> choices_;  // of the rule that is read
};

}  // namespace

bool HasValueRules(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::StringRef word = line.ltrim();
    if (word.consume_front("with") && (word.empty() || llvm::isSpace(word.front()))) return true;
    text = rest;
  }
  return false;
}

llvm::Expected<std::vector<ValueRule>> ParseValueRules(llvm::StringRef text,
                                                       llvm::StringRef where) {
  return Reader(text, where).Run();
}

}  // namespace affirm::value_rules
