// SymbolicExpr.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <variant>
#include <vector>

#include "core/simplify/canonicalize.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/python/binding.h"

namespace affirm::python {
namespace {

using Operand = std::variant<Expr, int64_t>;

// Deeper or larger expressions are for programs that write them, and would overflow a stack or a
// memory sooner or later: the reader of texts has the first limit too.
constexpr uint32_t kMostLevels = 1000, kMostNodes = 1 << 20;
constexpr int64_t kMostVariables = 10'000;

Expr Checked(const ContextPtr& context, SymbolicExpr e, const char* why_null,
             std::vector<ReadDivisor> divisors = {}) {
  if (!e) Throw(why_null);
  if (e.depth() > kMostLevels) Throw("an expression of more than 1000 levels");
  if (e.size() > kMostNodes) Throw("an expression of more than 1048576 nodes");
  return {context, e, std::move(divisors)};
}

// Checks an expression that was just made.
std::optional<ReadDivisor> DivisorOf(SymbolicExpr e) {
  const bool is_modulus = e && e.kind() == ExprKind::kMod;
  const bool is_quotient = e && (e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kCeilDiv);
  if ((!is_modulus && !is_quotient) || e.op(1).IsConstant()) return std::nullopt;
  return ReadDivisor{e.op(1), is_modulus};
}

Expr Variable(VarKind kind, int64_t index) {
  if (index < 0 || index >= kMostVariables) {
    Throw("no variable " + llvm::Twine(index) + ": there are 0 to " +
          llvm::Twine(kMostVariables - 1));
  }
  const ContextPtr context = DefaultContext();
  const Turn turn(context);
  return {context, context->context.Variable(kind, index)};
}

// The operation on both in the context of the expression among them.
template <typename Operation>
Expr Apply(const Expr& self, const Operand& other, bool reflected, const char* why_null,
           const Operation& operation) {
  const Expr* expr = std::get_if<Expr>(&other);
  const Turn turn(self.context, expr ? expr->context : self.context);
  SymbolicExpr b =
      expr ? In(self.context, *expr) : self.context->context.Constant(std::get<int64_t>(other));
  SymbolicExpr a = self.expr;
  if (reflected) std::swap(a, b);
  const SymbolicExpr made = operation(a, b);
  std::vector<ReadDivisor> divisors = self.divisors;
  if (expr) AppendDivisors(self.context, *expr, divisors);
  if (const auto divisor = DivisorOf(made); divisor && !llvm::is_contained(divisors, *divisor))
    divisors.push_back(*divisor);
  return Checked(self.context, made, why_null, std::move(divisors));
}

constexpr const char* kBadDivisor = "a division by zero";
constexpr const char* kBadModulus = "a modulus that is not positive";
constexpr const char* kNoValue = "an expression that cannot be formed";

std::optional<VarKind> KindOf(llvm::StringRef& name) {
  if (name.consume_front("rt")) return VarKind::kRuntime;
  if (name.consume_front("d")) return VarKind::kDim;
  if (name.consume_front("s")) return VarKind::kRange;
  return std::nullopt;
}

Expr Parse(const std::string& text) {
  const ContextPtr context = DefaultContext();
  const Turn turn(context);
  TextCursor cursor(text, "<expression>");
  auto variable = [&](llvm::StringRef name) -> SymbolicExpr {
    const std::optional<VarKind> kind = KindOf(name);
    int64_t index = 0;
    if (!kind || name.empty() || name.getAsInteger(10, index) || index >= kMostVariables) return {};
    if (name != "0" && name.starts_with("0")) return {};
    return context->context.Variable(*kind, index);
  };
  std::vector<ReadDivisor> divisors;
  auto e = ParseExpr(cursor, context->context, variable, &divisors);
  if (!e) throw PythonError(driver::MessageOf(driver::WithSourceLine(e.takeError(), text)));
  if (!cursor.AtEnd()) {
    ThrowIf(driver::WithSourceLine(cursor.Error("unexpected text after the expression"), text));
  }
  return Checked(context, *e, kNoValue, std::move(divisors));
}

const char* KindName(SymbolicExpr e) {
  constexpr const char* kNames[] = {"constant", "variable", "add", "mul", "floordiv",
                                    "ceildiv",  "mod",      "min", "max"};
  return kNames[static_cast<size_t>(e.kind())];
}

Expr Substitute(const Expr& self, const std::vector<std::pair<Expr, Operand>>& pairs) {
  // Each replacement may come from a context of its own; they are taken to this one first.
  std::vector<std::pair<SymbolicExpr, SymbolicExpr>> known;
  std::vector<ReadDivisor> divisors;
  for (const auto& [variable, value] : pairs) {
    const Expr* expr = std::get_if<Expr>(&value);
    if (!variable.expr.IsVariable())
      Throw("substitute: " + variable.expr.ToString() + " is no variable");
    SymbolicExpr key, replacement;
    {
      const Turn turn(self.context, variable.context);
      key = In(self.context, variable);
    }
    {
      const Turn turn(self.context, expr ? expr->context : self.context);
      replacement =
          expr ? In(self.context, *expr) : self.context->context.Constant(std::get<int64_t>(value));
      if (expr) AppendDivisors(self.context, *expr, divisors);
    }
    known.emplace_back(key, replacement);
  }
  const Turn turn(self.context);
  auto replace = [&](VarKind kind, int64_t index) -> SymbolicExpr {
    for (const auto& [variable, value] : known) {
      if (variable.var_kind() == kind && variable.value() == index) return value;
    }
    return {};
  };
  for (const ReadDivisor& divisor : self.divisors) {
    divisors.push_back({divisor.expr.Substitute(replace), divisor.is_modulus});
    Checked(self.context, divisors.back().expr, kNoValue);
  }
  return Checked(self.context, self.expr.Substitute(replace), kNoValue, std::move(divisors));
}

void AddMakersOfExpressions(nb::class_<Expr>& type) {
  type.def(nb::new_([](const std::string& text) { return Parse(text); }), "text"_a,
           "The same as SymbolicExpr.parse.");
  type.def_static("parse", Parse, "text"_a, R"(Reads XLA's text form, with variables d0, s0 and rt0.

>>> SymbolicExpr.parse('(d0 * 4) floordiv 2 + min(s0, 3)')
SymbolicExpr('(d0 * 4) floordiv 2 + min(s0, 3)'))");
  type.def_static(
      "constant",
      [](int64_t value) {
        const ContextPtr context = DefaultContext();
        const Turn turn(context);
        return Expr{context, context->context.Constant(value)};
      },
      "value"_a, "An integer.");
  type.def_static(
      "dim", [](int64_t i) { return Variable(VarKind::kDim, i); }, "index"_a, "d0, d1, ...");
  type.def_static(
      "symbol", [](int64_t i) { return Variable(VarKind::kRange, i); }, "index"_a,
      "s0, s1, ...: a range variable.");
  type.def_static(
      "runtime", [](int64_t i) { return Variable(VarKind::kRuntime, i); }, "index"_a,
      "rt0, rt1, ...: a value that is known at run time.");
}

void AddArithmetic(nb::class_<Expr>& type) {
  auto add = [](SymbolicExpr a, SymbolicExpr b) { return a + b; };
  auto subtract = [](SymbolicExpr a, SymbolicExpr b) { return a - b; };
  auto multiply = [](SymbolicExpr a, SymbolicExpr b) { return a * b; };
  auto floor_div = [](SymbolicExpr a, SymbolicExpr b) { return a.FloorDiv(b); };
  auto ceil_div = [](SymbolicExpr a, SymbolicExpr b) { return a.CeilDiv(b); };
  auto mod = [](SymbolicExpr a, SymbolicExpr b) { return a.Mod(b); };
  auto binary = [&](const char* name, const char* reflected, const char* why_null, auto operation) {
    type.def(
        name,
        [=](const Expr& self, const Operand& other) {
          return Apply(self, other, false, why_null, operation);
        },
        "other"_a, nb::is_operator());
    type.def(
        reflected,
        [=](const Expr& self, const Operand& other) {
          return Apply(self, other, true, why_null, operation);
        },
        "other"_a, nb::is_operator());
  };
  binary("__add__", "__radd__", kNoValue, add);
  binary("__sub__", "__rsub__", kNoValue, subtract);
  binary("__mul__", "__rmul__", kNoValue, multiply);
  binary("__floordiv__", "__rfloordiv__", kBadDivisor, floor_div);
  binary("__mod__", "__rmod__", kBadModulus, mod);
  type.def("__neg__", [](const Expr& self) {
    const Turn turn(self.context);
    return Checked(self.context, -self.expr, kNoValue, self.divisors);
  });
  type.def(
      "floordiv",
      [=](const Expr& self, const Operand& other) {
        return Apply(self, other, false, kBadDivisor, floor_div);
      },
      "divisor"_a, "The quotient, rounded down; the same as `//`.");
  type.def(
      "ceildiv",
      [=](const Expr& self, const Operand& other) {
        return Apply(self, other, false, kBadDivisor, ceil_div);
      },
      "divisor"_a, "The quotient, rounded up.");
  type.def(
      "mod",
      [=](const Expr& self, const Operand& other) {
        return Apply(self, other, false, kBadModulus, mod);
      },
      "modulus"_a, "The remainder that is not negative; the same as `%`.");
  type.def(
      "min",
      [](const Expr& self, const Operand& other) {
        return Apply(self, other, false, kNoValue,
                     [](SymbolicExpr a, SymbolicExpr b) { return a.Min(b); });
      },
      "other"_a, "The smaller one.");
  type.def(
      "max",
      [](const Expr& self, const Operand& other) {
        return Apply(self, other, false, kNoValue,
                     [](SymbolicExpr a, SymbolicExpr b) { return a.Max(b); });
      },
      "other"_a, "The larger one.");
}

void AddValues(nb::class_<Expr>& type) {
  type.def(
      "evaluate",
      [](const Expr& self, const std::vector<int64_t>& dims, const std::vector<int64_t>& symbols,
         const std::vector<int64_t>& runtime) {
        const Turn turn(self.context);
        const SymbolicExpr::Value value = self.expr.Evaluate(dims, symbols, runtime);
        if (!value.value) Throw(self.expr.ToString() + " has no value there: " + value.error);
        return *value.value;
      },
      "dims"_a = std::vector<int64_t>(), "symbols"_a = std::vector<int64_t>(),
      "runtime"_a = std::vector<int64_t>(),
      R"(The value at a point.

>>> SymbolicExpr('d0 mod 4').evaluate([7])
3
>>> SymbolicExpr('7 floordiv d0').evaluate([0])
Traceback (most recent call last):
affirm.errors.Error: 7 floordiv d0 has no value there: division by zero)");
  type.def(
      "canonicalize",
      [](const Expr& self) {
        const Turn turn(self.context);
        return Checked(self.context, Canonicalize(self.expr), kNoValue, self.divisors);
      },
      R"(The canonical form by the rule table, for all integers: what needs a range does not apply.

>>> SymbolicExpr('(d0 * 4 + 1) floordiv 2').canonicalize()
SymbolicExpr('d0 * 2'))");
  type.def("substitute", Substitute, "values"_a, R"(Replaces variables, all at once.

>>> d0, d1 = SymbolicExpr.dim(0), SymbolicExpr.dim(1)
>>> (d0 * 2 + d1).substitute([(d0, d1), (d1, 5)])
SymbolicExpr('d1 * 2 + 5'))");
}

void AddNodes(nb::class_<Expr>& type) {
  type.def_prop_ro(
      "kind", [](const Expr& self) { return KindName(self.expr); },
      "'constant', 'variable', 'add', 'mul', 'floordiv', 'ceildiv', 'mod', 'min' or 'max'.");
  type.def_prop_ro(
      "operands",
      [](const Expr& self) {
        std::vector<Expr> operands;
        for (SymbolicExpr op : self.expr.ops()) operands.push_back({self.context, op});
        return operands;
      },
      "Those of the node; the constant of a sum and the factor of a product are `value`.");
  type.def_prop_ro(
      "value", [](const Expr& self) { return self.expr.value(); },
      "Of a constant: itself. Of a sum: its constant. Of a product: its constant factor. Of a "
      "variable: its index.");
  type.def_prop_ro(
      "variables",
      [](const Expr& self) {
        const Turn turn(self.context);
        std::vector<Expr> found;
        self.expr.Walk([&](SymbolicExpr e) {
          if (e.IsVariable()) found.push_back({self.context, e});
        });
        llvm::sort(found, [](const Expr& a, const Expr& b) {
          return std::pair(a.expr.var_kind(), a.expr.value()) <
                 std::pair(b.expr.var_kind(), b.expr.value());
        });
        return found;
      },
      "The variables that occur: dims, then symbols, then runtime ones.");
}

void AddComparison(nb::class_<Expr>& type) {
  type.def(
      "__eq__",
      [](const Expr& self, const Expr& other) {
        if (self.context == other.context) return self.expr == other.expr;
        const Turn turn(self.context, other.context);
        return In(self.context, other) == self.expr;
      },
      "other"_a, nb::is_operator(), EqualSignature());
  type.def("__hash__", [](const Expr& self) { return self.expr.node()->hash; });
  type.def("__str__", [](const Expr& self) {
    const Turn turn(self.context);
    return self.expr.ToString();
  });
  type.def("__repr__", [](const Expr& self) {
    const Turn turn(self.context);
    return "SymbolicExpr('" + self.expr.ToString() + "')";
  });
  type.def("__reduce__", [](nb::handle_t<Expr> self) {
    return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
  });
}

}  // namespace

void AddExpressions(nb::module_& module) {
  auto type = nb::class_<Expr>(module, "SymbolicExpr",
                               R"(An integer expression over the variables of a map: d0, s0, rt0.

Immutable; equal where the structure is equal. Values are integers of any size: nothing wraps.

>>> from affirm import SymbolicExpr
>>> d0, s0 = SymbolicExpr.dim(0), SymbolicExpr.symbol(0)
>>> e = (d0 * 8 + s0) // 4 - d0
>>> e
SymbolicExpr('-d0 + (d0 * 8 + s0) floordiv 4')
>>> e.evaluate(dims=[2], symbols=[5])
3
>>> e == SymbolicExpr.parse('(d0 * 8 + s0) floordiv 4 - d0')
True)");
  AddMakersOfExpressions(type);
  AddArithmetic(type);
  AddValues(type);
  AddNodes(type);
  AddComparison(type);
}

}  // namespace affirm::python
