// Reading and printing of value rules.
#include <array>
#include <optional>
#include <utility>

#include "core/symbolic/error.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

constexpr int kMostNesting = 100;

struct Operator {
  llvm::StringLiteral text;
  int binds;  // the more, the closer
  Opcode opcode;
  llvm::StringLiteral direction = "";
};
// Longer ones before those that they begin with.
constexpr Operator kBinary[] = {
    {"||", 1, Opcode::kOr, "of predicates"},
    {"&&", 2, Opcode::kAnd, "of predicates"},
    {"==", 3, Opcode::kCompare, "EQ"},
    {"!=", 3, Opcode::kCompare, "NE"},
    {"<=", 3, Opcode::kCompare, "LE"},
    {">=", 3, Opcode::kCompare, "GE"},
    {"<", 3, Opcode::kCompare, "LT"},
    {">", 3, Opcode::kCompare, "GT"},
    {"+", 4, Opcode::kAdd},
    {"-", 4, Opcode::kSubtract},
    {"*", 5, Opcode::kMultiply},
    {"/", 5, Opcode::kDivide},
    {"%", 5, Opcode::kRemainder},
};
constexpr int kUnaryBinds = 6;

std::optional<PrimitiveType> TypeNamed(llvm::StringRef name) {
  const PrimitiveType type = hlo::PrimitiveTypeFromName(name);
  const bool known = type == PrimitiveType::kPred || hlo::IsInt(type) || hlo::IsFloat(type);
  return known ? std::optional(type) : std::nullopt;
}

// "shift_left" is shift-left; min and max as in rules about maps.
Opcode OpcodeOfFunction(llvm::StringRef name) {
  if (name == "min") return Opcode::kMinimum;
  if (name == "max") return Opcode::kMaximum;
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', '-');
  const Opcode opcode = hlo::OpcodeFromName(text);
  return opcode != Opcode::kUnknown && hlo::IsElementwise(opcode) ? opcode : Opcode::kUnknown;
}

class Reader {
 public:
  Reader(llvm::StringRef text, llvm::StringRef where) : cursor_(text, where) {}

  llvm::Expected<std::vector<ValueRule>> Run() {
    std::vector<ValueRule> rules;
    llvm::StringSet<> names;
    while (!cursor_.AtEnd()) {
      const size_t at = cursor_.offset();
      rule_ = ValueRule();
      if (llvm::Error error = OneRule()) return error;
      if (!names.insert(rule_.name).second)
        return cursor_.ErrorAt(at, "rule '" + rule_.name + "' is defined twice");
      rules.push_back(std::move(rule_));
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
      if (at != from && rest.consume_front(word) && (rest.empty() || rest.front() == ' '))
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
        if (llvm::Error error = TypeChoice()) return error;
      } while (cursor_.Consume(","));
    }
    for (const auto& [at, type] : named) {
      if (!IsType(type)) return cursor_.ErrorAt(at, "there is no type '" + type + "'");
    }
    return llvm::Error::success();
  }

  llvm::Error TypeChoice() {
    TypeVariable variable;
    variable.name = cursor_.Identifier().str();
    if (variable.name.empty()) return cursor_.Error("expected the name of a type");
    if (TypeNamed(variable.name) || IsType(variable.name))
      return cursor_.Error("type '" + variable.name + "' is named twice");
    if (llvm::Error error = cursor_.Expect("in", "and the types that it may be")) return error;
    if (llvm::Error error = cursor_.Expect("{", "before the types")) return error;
    do {
      cursor_.SkipSpace();
      const size_t at = cursor_.offset();
      const llvm::StringRef name = cursor_.Identifier();
      const auto type = TypeNamed(name);
      if (!type)
        return cursor_.ErrorAt(at,
                               "expected an integer or float type, or pred, found '" + name + "'");
      variable.types.push_back(*type);
    } while (cursor_.Consume(","));
    if (llvm::Error error = cursor_.Expect("}", "after the types")) return error;
    rule_.types.push_back(std::move(variable));
    return llvm::Error::success();
  }

  bool IsType(llvm::StringRef name) const {
    return TypeNamed(name) ||
           llvm::any_of(rule_.types, [&](const TypeVariable& of) { return of.name == name; });
  }
  bool FindVariable(llvm::StringRef name) const {
    return llvm::any_of(rule_.variables, [&](const Variable& of) { return of.name == name; });
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
      if (!is_not && (llvm::isDigit(next) || StartsWord("inf") || StartsWord("nan"))) {
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

  bool StartsWord(llvm::StringRef word) { return cursor_.LooksAt(word); }

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
    if (name == "inf" || name == "nan" || name == "true" || name == "false")
      return Expression{.kind = Expression::Kind::kNumber, .text = name.str()};
    if (!FindVariable(name)) return cursor_.ErrorAt(at, "there is no variable '" + name + "'");
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
    const bool is_constant = IsType(name);
    made.opcode = is_constant ? Opcode::kConstant : OpcodeOfFunction(name);
    if (is_constant) made.type = name.str();
    const bool is_op =
        is_constant || (made.opcode != Opcode::kUnknown && made.opcode != Opcode::kCompare);
    if (!is_op) return cursor_.ErrorAt(at, "there is no elementwise operation '" + name + "'");
    cursor_.Consume("(");
    const bool converts = made.opcode == Opcode::kConvert;
    do {
      if (converts && made.args.size() == 1) {
        cursor_.SkipSpace();
        const size_t of = cursor_.offset();
        made.type = cursor_.Identifier().str();
        if (!IsType(made.type)) return cursor_.ErrorAt(of, "expected a type");
        break;
      }
      auto arg = Binary(0, depth + 1);
      if (!arg) return arg;
      made.args.push_back(std::move(*arg));
    } while (cursor_.Consume(","));
    if (llvm::Error error = cursor_.Expect(")", "after the operands")) return error;
    const int arity = is_constant ? 1 : hlo::Arity(made.opcode);
    if (std::ssize(made.args) != arity || (converts && made.type.empty())) {
      return cursor_.ErrorAt(at, "expected " + llvm::Twine(arity) + " operand" +
                                     (arity == 1 ? "" : "s") + (converts ? " and a type" : "") +
                                     " of '" + name + "'");
    }
    if (is_constant && made.args[0].kind != Expression::Kind::kNumber)
      return cursor_.ErrorAt(at, "expected a number in '" + name + "(...)'");
    return made;
  }

  TextCursor cursor_;
  ValueRule rule_;
};

const Operator* OperatorOf(const Expression& e) {
  const auto* found = llvm::find_if(kBinary, [&](const Operator& op) {
    return op.opcode == e.opcode && op.direction == e.direction && e.args.size() == 2;
  });
  return found == std::end(kBinary) ? nullptr : found;
}

void Print(const Expression& e, int binds, std::string& out) {
  if (e.kind != Expression::Kind::kOp) {
    out += e.text;
    return;
  }
  if (const Operator* op = OperatorOf(e)) {
    const bool inside = op->binds <= binds;
    if (inside) out += "(";
    Print(e.args[0], op->binds - 1, out);
    out += " " + op->text.str() + " ";
    Print(e.args[1], op->binds, out);
    if (inside) out += ")";
    return;
  }
  const bool negates = e.opcode == Opcode::kNegate || e.opcode == Opcode::kNot;
  // -3 is read as a number: the negation of a number is a function.
  if (negates && e.args[0].kind != Expression::Kind::kNumber) {
    out += e.opcode == Opcode::kNot ? "!" : "-";
    Print(e.args[0], kUnaryBinds - 1, out);
    return;
  }
  std::string name = e.opcode == Opcode::kMinimum   ? "min"
                     : e.opcode == Opcode::kMaximum ? "max"
                                                    : hlo::Name(e.opcode).str();
  std::replace(name.begin(), name.end(), '-', '_');
  out += (e.opcode == Opcode::kConstant ? e.type : name) + "(";
  for (size_t k = 0; k < e.args.size(); ++k) {
    if (k > 0) out += ", ";
    Print(e.args[k], 0, out);
  }
  if (!e.type.empty() && e.opcode != Opcode::kConstant) out += ", " + e.type;
  out += ")";
}

}  // namespace

llvm::StringRef Name(RuleClass of) {
  switch (of) {
    case RuleClass::kExact:
      return "exact";
    case RuleClass::kDefined:
      return "defined";
    case RuleClass::kLicensed:
      return "licensed";
  }
  return "";
}

bool HasValueRules(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::StringRef word = line.ltrim();
    if (word.consume_front("with") && word.starts_with(" ")) return true;
    text = rest;
  }
  return false;
}

llvm::Expected<std::vector<ValueRule>> ParseValueRules(llvm::StringRef text,
                                                       llvm::StringRef where) {
  return Reader(text, where).Run();
}

std::string ToString(const Expression& expression) {
  std::string out;
  Print(expression, 0, out);
  return out;
}

std::string ToString(const ValueRule& rule) {
  std::string out = "rule " + rule.name + ": " + ToString(rule.lhs) + "  =>  " +
                    ToString(rule.rhs) + "\n  with  ";
  for (size_t k = 0; k < rule.variables.size(); ++k) {
    const bool same = k > 0 && rule.variables[k].type == rule.variables[k - 1].type;
    if (k > 0) out += same ? ", " : " : " + rule.variables[k - 1].type + ", ";
    out += rule.variables[k].name;
  }
  if (!rule.variables.empty()) out += " : " + rule.variables.back().type;
  for (size_t k = 0; k < rule.types.size(); ++k) {
    out += (k == 0 ? " for " : ", ") + rule.types[k].name + " in {";
    for (size_t t = 0; t < rule.types[k].types.size(); ++t)
      out += (t == 0 ? "" : ", ") + hlo::Name(rule.types[k].types[t]).str();
    out += "}";
  }
  if (rule.when) out += "\n  when  " + ToString(*rule.when);
  out += "\n  class " + Name(rule.of_class).str() + "\n  why   " + rule.why + "\n";
  return out;
}

}  // namespace affirm::value_rules
