// Integers of arith as terms, while no operation can wrap.
#include "driver/dump/emitter_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

namespace {

// The signed values of a type; nothing for what is no integer.
std::optional<Interval> ValuesOfType(llvm::StringRef type, int64_t index_bits) {
  int64_t bits = 0;
  type = type.trim();
  if (type == "index") {
    bits = index_bits;
  } else if (!type.consume_front("i") || type.getAsInteger(10, bits) || bits < 2 || bits > 64) {
    return std::nullopt;
  }
  if (bits == 64) return Interval::All();
  const int64_t half = int64_t{1} << (bits - 1);
  return Interval{-half, half - 1};
}

// "i32" of "%0, %1 : i32", "index" of "%0 : i32 to index".
llvm::StringRef ResultType(llvm::StringRef text) {
  llvm::StringRef type = text.rsplit(" : ").second;
  return type.contains(" to ") ? type.rsplit(" to ").second : type;
}

// "i32" of "%0 : i32 to index".
llvm::StringRef SourceType(llvm::StringRef text) {
  return text.rsplit(" : ").second.split(" to ").first;
}

// Bounded, and inside of the type.
bool Fits(Interval range, const std::optional<Interval>& type) {
  return type && range.IsBounded() && range.Within(*type);
}

enum class Operation : uint8_t { kAdd, kSub, kMul, kDiv, kRem, kMin, kMax, kCast };

struct Arith {
  Operation operation;
  bool is_unsigned = false;
};

std::optional<Arith> ArithOf(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, Arith> kAll[] = {
      {"addi", {Operation::kAdd}},        {"subi", {Operation::kSub}},
      {"muli", {Operation::kMul}},        {"divui", {Operation::kDiv, true}},
      {"divsi", {Operation::kDiv}},       {"floordivsi", {Operation::kDiv}},
      {"remui", {Operation::kRem, true}}, {"remsi", {Operation::kRem}},
      {"minsi", {Operation::kMin}},       {"maxsi", {Operation::kMax}},
      {"minui", {Operation::kMin, true}}, {"maxui", {Operation::kMax, true}},
      {"index_cast", {Operation::kCast}}, {"index_castui", {Operation::kCast, true}},
      {"extsi", {Operation::kCast}},      {"extui", {Operation::kCast, true}},
      {"trunci", {Operation::kCast}},
  };
  if (!name.consume_front("arith.")) return std::nullopt;
  for (const auto& [known, arith] : kAll) {
    if (known == name) return arith;
  }
  return std::nullopt;
}

EmitterCondition Never() { return {.never = true}; }

// Null where no expression says it.
SymbolicExpr ResultOf(Operation operation, SymbolicExpr a, SymbolicExpr b) {
  switch (operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSub:
      return a - b;
    case Operation::kMul:
      return a * b;
    case Operation::kDiv:
      return a.FloorDiv(b);
    case Operation::kRem:
      return a.Mod(b);
    case Operation::kMin:
      return a.Min(b);
    case Operation::kMax:
      return a.Max(b);
    case Operation::kCast:
      return a;
  }
  return {};
}

}  // namespace

EmitterTensorType TensorType(llvm::StringRef text) {
  EmitterTensorType type;
  text = text.trim();
  if (!text.starts_with("tensor<")) return type;
  text = text.drop_front(6);
  llvm::StringRef inner = TakeGroup(text, '<');
  for (int64_t size = 0; !inner.empty() && llvm::isDigit(inner.front());) {
    if (inner.consumeInteger(10, size) || !inner.consume_front("x")) return {};
    type.shape.push_back(size);
  }
  auto [element, encoding] = inner.split(", ");
  type.element = element.trim().str();
  if (encoding.consume_front("dense<")) {
    llvm::StringRef list = TakeGroup(encoding, '[');
    for (llvm::StringRef part : SplitList(list)) {
      int64_t dim = 0;
      if (part.trim().getAsInteger(10, dim)) return {};
      type.order.push_back(dim);
    }
    // A layout is a permutation of the dimensions.
    std::vector<int64_t> sorted = type.order;
    llvm::sort(sorted);
    for (size_t k = 0; k < sorted.size(); ++k) {
      if (sorted[k] != static_cast<int64_t>(k)) return {};
    }
    if (type.order.size() != type.shape.size()) return {};
  }
  return type;
}

EmitterValue EmitterValue::Index(SymbolicExpr expr) {
  EmitterValue value;
  value.kind = expr ? kIndex : kOther;
  value.expr = expr;
  return value;
}

EmitterValue EmitterValue::Of(EmitterCondition condition) {
  EmitterValue value;
  value.kind = kCondition;
  value.condition = std::move(condition);
  return value;
}

std::optional<int64_t> EmitterValue::Constant() const {
  if (kind != kIndex || !expr.IsConstant()) return std::nullopt;
  return expr.value();
}

bool EmitterValue::SameAs(const EmitterValue& other) const {
  if (kind != other.kind) return false;
  if (kind == kIndex) return expr == other.expr && assumes == other.assumes;
  if (kind == kTensor) return tensor == other.tensor;
  return kind == kOther;
}

EmitterScope::EmitterScope(Context& context, const LaunchBounds& launch) : context_(context) {
  for (size_t k = 0; k < launch.size(); ++k)
    ids_.push_back({.bounds = launch[k], .name = kLaunchNames[k], .source = std::nullopt});
}

SymbolicExpr EmitterScope::OpenLoop(Interval bounds) {
  loops_.push_back({next_loop_, next_loop_, bounds});
  return context_.Range(next_loop_++);
}

void EmitterScope::CloseLoop() { loops_.pop_back(); }

void EmitterScope::Enter(EmitterCondition condition) {
  conditions_.push_back(std::move(condition));
}

bool EmitterScope::opaque() const {
  return llvm::any_of(conditions_, [](const auto& c) { return c.opaque; });
}

bool EmitterScope::assumes() const {
  return llvm::any_of(conditions_, [](const auto& c) { return c.assumes; });
}

std::vector<int64_t> EmitterScope::loops() const {
  std::vector<int64_t> numbers;
  numbers.reserve(loops_.size());
  for (const OpenedLoop& loop : loops_) numbers.push_back(loop.number);
  return numbers;
}

IndexingMap EmitterScope::MapOf(llvm::ArrayRef<SymbolicExpr> results) const {
  auto place = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t index) -> SymbolicExpr {
      if (kind != VarKind::kRange) return {};
      for (size_t k = 0; k < loops_.size(); ++k) {
        if (loops_[k].range == index) return context_.Range(static_cast<int64_t>(k));
      }
      return {};
    });
  };
  std::vector<SymbolicExpr> exprs;
  for (SymbolicExpr result : results) exprs.push_back(place(result));
  std::vector<Variable> ranges;
  ranges.reserve(loops_.size());
  for (const OpenedLoop& loop : loops_)
    ranges.push_back({.bounds = loop.bounds, .name = "", .source = std::nullopt});
  std::vector<Constraint> constraints;
  for (const EmitterCondition& condition : conditions_) {
    if (condition.never) return IndexingMap::KnownEmpty(context_);
    for (const Constraint& c : condition.all) constraints.push_back({place(c.expr), c.bounds});
  }
  return IndexingMap(context_, exprs, ids_, ranges, {}, constraints);
}

Interval EmitterScope::RangeOf(SymbolicExpr e) const {
  if (e.IsConstant()) return Interval::Point(e.value());
  IndexingMap map = MapOf({e});
  // Nothing runs here, and so any range is right.
  if (map.IsKnownEmpty()) return Interval::Point(0);
  return map.RangeOf(map.results().front());
}

EmitterCondition EmitterScope::Within(SymbolicExpr e, Interval bounds) const {
  if (!e) return {.opaque = true};
  // `x - 47 <= 0` as `x <= 47`, so that bounds of one term meet.
  const int64_t constant = e.kind() == ExprKind::kAdd ? e.value() : 0;
  if (constant != 0 && AreSmall(Interval::Point(constant), Interval::Point(0))) {
    e = e - constant;
    bounds = bounds - Interval::Point(constant);
  }
  const Interval range = RangeOf(e);
  if (range.Within(bounds)) return {};
  if (range.Intersect(bounds).IsEmpty()) return Never();
  return {.all = {{e, bounds}}};
}

EmitterCondition EmitterScope::Not(const EmitterCondition& condition) const {
  EmitterCondition no{.opaque = true, .assumes = condition.assumes};
  if (condition.opaque) return no;
  if (condition.never) return {.assumes = condition.assumes};
  if (condition.all.empty()) return Never();
  if (condition.all.size() > 1) return no;  // a union of cases
  const auto& [expr, bounds] = condition.all.front();
  const Interval range = RangeOf(expr);
  if (!range.IsBounded()) return no;
  if (range.upper <= bounds.upper) {
    no = Within(expr, {range.lower, bounds.lower - 1});
  } else if (range.lower >= bounds.lower) {
    no = Within(expr, {bounds.upper + 1, range.upper});
  }
  no.assumes = condition.assumes;
  return no;
}

EmitterValue EmitterScope::Compared(const EmitterOp& op, const EmitterValue& a,
                                    const EmitterValue& b) const {
  using I = Interval;
  llvm::StringRef predicate = llvm::StringRef(op.text).split(',').first.trim();
  const bool is_unsigned = predicate.consume_front("u");
  if (is_unsigned && (RangeOf(a.expr).lower < 0 || RangeOf(b.expr).lower < 0)) return {};
  if (!is_unsigned) predicate.consume_front("s");
  const SymbolicExpr difference = a.expr - b.expr;
  EmitterCondition condition{.opaque = true};
  if (predicate == "eq") {
    condition = Within(difference, I::Point(0));
  } else if (predicate == "ne") {
    condition = Not(Within(difference, I::Point(0)));
  } else if (predicate == "lt") {
    condition = Within(difference, {kInt64Min, -1});
  } else if (predicate == "le") {
    condition = Within(difference, {kInt64Min, 0});
  } else if (predicate == "gt") {
    condition = Within(difference, {1, kInt64Max});
  } else if (predicate == "ge") {
    condition = Within(difference, {0, kInt64Max});
  }
  condition.assumes = a.assumes || b.assumes;
  return EmitterValue::Of(condition);
}

EmitterValue EmitterScope::Integer(const EmitterOp& op, llvm::ArrayRef<EmitterValue> operands,
                                   int64_t index_bits) const {
  llvm::StringRef name = op.name, text = op.text;
  if (name == "arith.constant") {
    if (text == "true") return EmitterValue::Of({});
    if (text == "false") return EmitterValue::Of(Never());
    int64_t value = 0;
    if (text.split(" : ").first.getAsInteger(10, value)) return {};
    return ValuesOfType(ResultType(text), index_bits)
               ? EmitterValue::Index(context_.Constant(value))
               : EmitterValue();
  }
  if (name == "arith.andi" && operands.size() == 2 &&
      operands[0].kind == EmitterValue::kCondition &&
      operands[1].kind == EmitterValue::kCondition) {
    EmitterCondition both = operands[0].condition;
    const EmitterCondition& other = operands[1].condition;
    both.opaque |= other.opaque;
    both.never |= other.never;
    both.assumes |= other.assumes;
    both.all.insert(both.all.end(), other.all.begin(), other.all.end());
    return EmitterValue::Of(both);
  }
  if (name == "arith.select" && operands.size() == 3) {
    const EmitterCondition& condition = operands[0].condition;
    if (operands[0].kind != EmitterValue::kCondition || condition.opaque || condition.assumes)
      return {};
    EmitterValue chosen;
    if (condition.never) chosen = operands[2];
    if (!condition.never && condition.all.empty()) chosen = operands[1];
    return chosen.kind == EmitterValue::kIndex ? chosen : EmitterValue();
  }
  const bool integers = !operands.empty() && llvm::all_of(operands, [](const EmitterValue& value) {
    return value.kind == EmitterValue::kIndex;
  });
  if (!integers) return {};
  if (name == "arith.cmpi" && operands.size() == 2) return Compared(op, operands[0], operands[1]);
  auto arith = ArithOf(name);
  const bool cast = arith && arith->operation == Operation::kCast;
  if (!arith || operands.size() != (cast ? 1u : 2u)) return {};
  // From a type to another of as many bits nothing changes but how it is read.
  if (cast &&
      ValuesOfType(SourceType(text), index_bits) == ValuesOfType(ResultType(text), index_bits))
    return operands.front();
  const SymbolicExpr a = operands.front().expr, b = operands.back().expr;
  // Division rounds as floordiv does, and unsigned values are what they say, where nothing is
  // negative.
  const bool divides = arith->operation == Operation::kDiv || arith->operation == Operation::kRem;
  if (arith->is_unsigned || divides) {
    if (RangeOf(a).lower < 0 || RangeOf(b).lower < 0) return {};
  }
  if (divides && !(b.IsConstant() && b.value() > 0)) return {};
  const SymbolicExpr result = ResultOf(arith->operation, a, b);
  if (!result || !Fits(RangeOf(result), ValuesOfType(ResultType(text), index_bits))) return {};
  EmitterValue value = EmitterValue::Index(result);
  value.assumes = llvm::any_of(operands, [](const EmitterValue& o) { return o.assumes; });
  return value;
}

std::vector<EmitterValue> EmitterScope::Applied(const IndexingMap& map,
                                                llvm::ArrayRef<EmitterValue> arguments,
                                                size_t dims) const {
  std::vector<EmitterValue> values(map.results().size());
  const bool fits = !map.IsKnownEmpty() && !map.IsUndefined() && map.runtime().empty() &&
                    map.dims().size() == dims && map.ranges().size() == arguments.size() - dims &&
                    llvm::all_of(arguments, [](const EmitterValue& value) {
                      return value.kind == EmitterValue::kIndex;
                    });
  if (!fits) return values;
  const EmitterCondition inside = DomainOf(map, arguments, dims);
  const bool assumes = inside.never || inside.opaque || !inside.all.empty() || inside.assumes;
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = EmitterValue::Index(
        map.results()[k].Substitute([&](VarKind kind, int64_t index) -> SymbolicExpr {
          return arguments[kind == VarKind::kDim ? index : index + static_cast<int64_t>(dims)].expr;
        }));
    values[k].assumes = assumes;
  }
  return values;
}

EmitterCondition EmitterScope::DomainOf(const IndexingMap& map,
                                        llvm::ArrayRef<EmitterValue> arguments, size_t dims) const {
  EmitterCondition domain;
  if (map.IsKnownEmpty()) return Never();
  for (const EmitterValue& value : arguments) {
    if (value.kind != EmitterValue::kIndex) return {.opaque = true};
    domain.assumes |= value.assumes;
  }
  auto add = [&](SymbolicExpr e, Interval bounds) {
    EmitterCondition one = Within(e, bounds);
    domain.never |= one.never;
    domain.opaque |= one.opaque;
    domain.all.insert(domain.all.end(), one.all.begin(), one.all.end());
  };
  for (size_t k = 0; k < arguments.size(); ++k)
    add(arguments[k].expr, k < dims ? map.dims()[k].bounds : map.ranges()[k - dims].bounds);
  for (const Constraint& c : map.constraints()) {
    add(c.expr.Substitute([&](VarKind kind, int64_t index) -> SymbolicExpr {
      return arguments[kind == VarKind::kDim ? index : index + static_cast<int64_t>(dims)].expr;
    }),
        c.bounds);
  }
  return domain;
}

}  // namespace affirm::driver
