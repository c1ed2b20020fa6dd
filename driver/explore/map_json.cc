#include "driver/explore/map_json.h"

#include "driver/json_text.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

// The integers that a double and its neighbors hold.
constexpr int64_t kSafe = (int64_t{1} << 53) - 1;

Value EndJson(int64_t end, bool is_infinite) {
  if (is_infinite) return nullptr;
  return IntegerJson(end);
}

Array IntervalJson(const Interval& interval) {
  return Array{EndJson(interval.lower, !interval.HasLower()),
               EndJson(interval.upper, !interval.HasUpper())};
}

std::string VariableJson(SymbolicExpr variable) {
  const char* letter = variable.var_kind() == VarKind::kDim     ? "d"
                       : variable.var_kind() == VarKind::kRange ? "s"
                                                                : "t";
  return letter + std::to_string(variable.value());
}

Array OperationJson(const char* name, SymbolicExpr expr) {
  Array tree{name};
  if (expr.kind() == ExprKind::kAdd || expr.kind() == ExprKind::kMul)
    tree.push_back(IntegerJson(expr.value()));
  for (SymbolicExpr part : expr.ops()) tree.push_back(ExpressionJson(part));
  return tree;
}

}  // namespace

Value IntegerJson(__int128 value) {
  if (-kSafe <= value && value <= kSafe) return static_cast<int64_t>(value);
  return terms::ToString(value);
}

Value ExpressionJson(SymbolicExpr expr) {
  if (!expr) return nullptr;
  switch (expr.kind()) {
    case ExprKind::kConstant: {
      Value constant = IntegerJson(expr.value());
      if (constant.kind() == Value::String) return Array{"c", std::move(constant)};
      return constant;
    }
    case ExprKind::kVariable:
      return VariableJson(expr);
    case ExprKind::kAdd:
      return OperationJson("+", expr);
    case ExprKind::kMul:
      return OperationJson("*", expr);
    case ExprKind::kFloorDiv:
      return OperationJson("floordiv", expr);
    case ExprKind::kCeilDiv:
      return OperationJson("ceildiv", expr);
    case ExprKind::kMod:
      return OperationJson("mod", expr);
    case ExprKind::kMin:
      return OperationJson("min", expr);
    case ExprKind::kMax:
      return OperationJson("max", expr);
  }
  return nullptr;
}

Object MapJson(const IndexingMap& map) {
  if (map.IsUndefined()) return Object{{"text", "undefined"}, {"state", "undefined"}};
  Object json{{"text", JsonText(map.ToString())}};
  if (map.IsKnownEmpty()) {
    json["state"] = "empty";
    return json;
  }
  auto bounds = [&](VarKind kind) {
    Array all;
    for (const Variable& v : map.vars(kind)) all.push_back(IntervalJson(v.bounds));
    return all;
  };
  json["dims"] = bounds(VarKind::kDim);
  json["ranges"] = bounds(VarKind::kRange);
  Array runtime;
  for (size_t i = 0; i < map.runtime().size(); ++i) {
    const Variable& v = map.runtime()[i];
    Object one{{"bounds", IntervalJson(v.bounds)},
               {"name", JsonText(map.VariableName(VarKind::kRuntime, static_cast<int64_t>(i)))}};
    if (v.source) {
      one["producer"] = JsonText(v.source->producer_name);
      // Clamping leaves a single value, whatever is read.
      if (v.bounds.IsPoint() && v.source->clamp == v.bounds) one["fixed"] = true;
      if (v.source->map) one["at"] = JsonText(v.source->map->ToString());
    }
    runtime.push_back(std::move(one));
  }
  json["runtime"] = std::move(runtime);
  Array results;
  for (SymbolicExpr result : map.results()) results.push_back(ExpressionJson(result));
  json["results"] = std::move(results);
  Array constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back(Array{ExpressionJson(c.expr),
                                EndJson(c.bounds.lower, !c.bounds.HasLower()),
                                EndJson(c.bounds.upper, !c.bounds.HasUpper())});
  }
  json["constraints"] = std::move(constraints);
  return json;
}

int64_t MapPool::Add(const IndexingMap& map) {
  Object json = MapJson(map);
  std::string key = map.IsUndefined() ? "undefined" : map.ToString();
  for (const Variable& v : map.runtime()) {
    if (!v.source) continue;
    key += "\n" + std::to_string(v.source->producer) + " " +
           (v.source->map ? v.source->map->ToString() : "");
  }
  auto [known, is_new] = numbers_.try_emplace(key, static_cast<int64_t>(maps_.size()));
  if (is_new) maps_.push_back(std::move(json));
  return known->second;
}

Array TermPool::Node(terms::Term term) {
  using terms::Kind;
  auto with_args = [&](const char* name) {
    Array node{name};
    for (terms::Term part : term->args) node.push_back(Add(part));
    return node;
  };
  switch (term->kind) {
    case Kind::kSum: {
      if (term->IsNumber()) return Array{"n", IntegerJson(term->number)};
      Array node{"+", IntegerJson(term->number)};
      for (const terms::Monomial& m : term->sum) {
        node.push_back(IntegerJson(m.coefficient));
        node.push_back(Add(m.atom));
      }
      return node;
    }
    case Kind::kVariable:
      // The variable of a loop, or a loaded integer, is no place.
      if (term->name.starts_with("th_") || term->name.starts_with("bl_"))
        return Array{"v", JsonText(term->name)};
      break;
    case Kind::kQuotient: {
      Array node = with_args("/");
      node.push_back(IntegerJson(term->number));
      return node;
    }
    case Kind::kMax:
      return with_args("max");
    case Kind::kProduct:
      return with_args("*");
    case Kind::kPick:
      return with_args("?");
    case Kind::kTrue:
      return Array{"n", 1};
    case Kind::kFalse:
      return Array{"n", 0};
    case Kind::kAtLeastZero:
      return with_args(">=0");
    case Kind::kIsZero:
      return with_args("=0");
    case Kind::kNot:
      return with_args("!");
    case Kind::kAnd:
      return with_args("&");
    default:
      break;
  }
  return Array{"data", JsonText(terms::ToString(term, 120))};
}

int64_t TermPool::Add(terms::Term term) {
  auto known = numbers_.find(term);
  if (known != numbers_.end()) return known->second;
  Array node = Node(term);  // its parts come first
  const auto number = static_cast<int64_t>(nodes_.size());
  nodes_.push_back(std::move(node));
  numbers_.try_emplace(term, number);
  return number;
}

}  // namespace affirm::driver
