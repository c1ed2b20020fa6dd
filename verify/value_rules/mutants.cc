#include "verify/value_rules/mutants.h"

#include <functional>

#include "llvm/ADT/STLExtras.h"

namespace affirm::value_rules {

namespace {

using hlo::Opcode;

struct Pair {
  Opcode a, b;
};
constexpr Pair kAlike[] = {
    {Opcode::kAdd, Opcode::kSubtract},
    {Opcode::kMultiply, Opcode::kDivide},
    {Opcode::kMinimum, Opcode::kMaximum},
    {Opcode::kAnd, Opcode::kOr},
    {Opcode::kAnd, Opcode::kXor},
    {Opcode::kShiftLeft, Opcode::kShiftRightLogical},
    {Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical},
    {Opcode::kNegate, Opcode::kAbs},
    {Opcode::kFloor, Opcode::kCeil},
    {Opcode::kSign, Opcode::kNegate},
    {Opcode::kMultiply, Opcode::kAdd},
    {Opcode::kNot, Opcode::kNegate},
};

class Mutator {
 public:
  explicit Mutator(const ValueRule& rule) : rule_(rule) {}

  std::vector<Mutant> Run() {
    ValueRule changed = rule_;
    for (Expression* root : {&changed.lhs, &changed.rhs}) Visit(changed, *root);
    // The right side with another sign, or turned around, or one more than it is.
    for (const Opcode opcode : {Opcode::kNegate, Opcode::kNot, Opcode::kAdd}) {
      Expression wrapped{.kind = Expression::Kind::kOp, .opcode = opcode};
      wrapped.args.push_back(rule_.rhs);
      if (opcode == Opcode::kAdd)
        wrapped.args.push_back({.kind = Expression::Kind::kNumber, .text = "1"});
      changed.rhs = std::move(wrapped);
      Keep(changed, hlo::Name(opcode).str() + " of the right side");
      changed.rhs = rule_.rhs;
    }
    for (const char* number : {"0", "7", "true", "false"}) {
      changed.rhs = {.kind = Expression::Kind::kNumber, .text = number};
      Keep(changed, number + std::string(" for the right side"));
      changed.rhs = rule_.rhs;
    }
    if (changed.when) {
      Visit(changed, *changed.when);
      ValueRule without = rule_;
      without.when.reset();
      made_.push_back({"no condition", without});
    }
    return std::move(made_);
  }

 private:
  // The rule as it is changed now, where it is another one.
  void Keep(const ValueRule& changed, const std::string& what) {
    if (ToString(changed) != ToString(rule_)) made_.push_back({what, changed});
  }

  void Visit(ValueRule& all, Expression& e) {
    const Expression before = e;
    auto become = [&](const std::function<void(Expression&)>& change, const std::string& what) {
      change(e);
      Keep(all, what);
      e = before;
    };
    if (e.kind == Expression::Kind::kVariable) {
      for (const Variable& other : rule_.variables) {
        if (other.name != e.text)
          become([&](Expression& x) { x.text = other.name; }, other.name + " for " + e.text);
      }
      return;
    }
    if (e.kind == Expression::Kind::kNumber) {
      for (const char* other : {"0", "1", "2"}) {
        if (e.text != other)
          become([&](Expression& x) { x.text = other; }, other + (" for " + e.text));
      }
      if (e.text.starts_with("-"))
        become([&](Expression& x) { x.text = before.text.substr(1); }, "no sign of " + e.text);
      return;
    }
    if (e.opcode == Opcode::kConvert) {
      for (const char* other : {"bf16", "f16", "f8e5m2", "s8", "u8"})
        become([&](Expression& x) { x.type = other; }, other + (" for " + e.type));
    }
    if (e.args.size() == 1 && e.opcode != Opcode::kConstant)
      become([&](Expression& x) { x = Expression(before.args[0]); },
             "no " + hlo::Name(e.opcode).str());
    if (e.opcode == Opcode::kCompare) {
      for (const char* other : {"LT", "LE", "EQ", "NE", "GT", "GE"}) {
        if (e.direction != other)
          become([&](Expression& x) { x.direction = other; }, other + (" for " + e.direction));
      }
    }
    for (const Pair& pair : kAlike) {
      for (const auto& [from, to] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
        if (e.opcode == from && e.direction.empty()) {
          become([&, to = to](Expression& x) { x.opcode = to; },
                 hlo::Name(to).str() + " for " + hlo::Name(from).str());
        }
      }
    }
    if (e.args.size() >= 2) {
      const size_t first = e.opcode == Opcode::kSelect ? 1 : 0;
      become([&](Expression& x) { std::swap(x.args[first], x.args[first + 1]); },
             "operands of " + hlo::Name(e.opcode).str() + " change places");
    }
    // A constant of a type is a number.
    for (Expression& arg : e.args) Visit(all, arg);
  }

  const ValueRule& rule_;
  std::vector<Mutant> made_;
};

}  // namespace

std::vector<Mutant> MutantsOf(const ValueRule& rule) { return Mutator(rule).Run(); }

}  // namespace affirm::value_rules
