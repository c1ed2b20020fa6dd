// Reads affine attributes by the reader of maps: each part at the column where it stands.
#include "driver/reports/affine_text.h"

#include <utility>

#include "core/indexing/map_text.h"
#include "core/symbolic/error.h"
#include "core/symbolic/text.h"
#include "core/symbolic/text_cursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/maps/maps.h"

namespace affirm::driver {
namespace {

// The text with everything outside of [begin, end) blank, but the ends of lines.
std::string Only(llvm::StringRef text, size_t begin, size_t end) {
  std::string out = text.str();
  for (size_t i = 0; i < out.size(); ++i) {
    if ((i < begin || i >= end) && out[i] != '\n') out[i] = ' ';
  }
  return out;
}

bool UsesDims(SymbolicExpr e, int64_t dims) {
  bool uses = false;
  e.Walk([&](SymbolicExpr part) { uses |= part.IsVariable() && part.value() < dims; });
  return uses;
}

// Why the expression, over dims and symbols as dims behind them, is not affine; "" if it is.
std::string AffineProblem(SymbolicExpr e, int64_t dims) {
  std::string problem;
  e.Walk([&](SymbolicExpr part) {
    if (part.kind() == ExprKind::kMin || part.kind() == ExprKind::kMax)
      problem = "min and max are no parts of an affine expression";
    auto uses = [&](SymbolicExpr op) { return UsesDims(op, dims); };
    if (part.kind() == ExprKind::kMul && llvm::count_if(part.ops(), uses) > 1)
      problem = "a product of dims is not affine, expected a constant or symbols as one factor";
  });
  return problem;
}

class AffineReader {
 public:
  AffineReader(llvm::StringRef text, Context& context, llvm::StringRef where)
      : text_(text), context_(context), where_(where) {}

  // The map that stands in [begin, end) of the text.
  llvm::Error Map(size_t begin, size_t end) {
    return Read(Only(text_, begin, end), begin, result_.results);
  }

  // The set that stands there.
  llvm::Error Set(size_t begin, size_t end) {
    result_.is_set = true;
    const size_t colon = text_.find(':', begin);
    if (colon >= end) return Error(begin, "expected ':' and constraints in an affine_set");
    size_t open = colon + 1;
    while (open < end && llvm::isSpace(text_[open])) ++open;
    size_t close = text_.rfind(')', end);
    if (open >= end || text_[open] != '(' || close == llvm::StringRef::npos || close < open)
      return Error(open, "expected '(' and constraints in parentheses");
    if (!text_.slice(close + 1, end).trim().empty())
      return Error(close + 1, "unexpected text after the constraints");
    for (size_t from = open + 1;;) {
      const size_t to = EndOfOperand(from, close);
      if (llvm::Error error = ReadConstraint(begin, colon, from, to)) return error;
      if (to == close) break;
      from = to + 1;
    }
    for (int64_t i = 0; i < result_.dims + result_.symbols; ++i)
      result_.results.push_back(context_.Dim(i));
    return llvm::Error::success();
  }

  AffineText& result() { return result_; }

  llvm::Error Error(size_t at, const llvm::Twine& message) const {
    return TextCursor(text_, where_).ErrorAt(std::min(at, text_.size()), message);
  }

 private:
  // The comma or the end behind an operand of a list.
  size_t EndOfOperand(size_t at, size_t end) const {
    for (int depth = 0; at < end; ++at) {
      if (text_[at] == '(') ++depth;
      if (text_[at] == ')') --depth;
      if (text_[at] == ',' && depth == 0) break;
    }
    return at;
  }

  // `lhs >= rhs`, `lhs <= rhs` or `lhs == rhs` in [from, to); the header ends at the colon.
  llvm::Error ReadConstraint(size_t begin, size_t colon, size_t from, size_t to) {
    llvm::StringRef part = text_.slice(from, to);
    size_t at = part.find_first_of("><=");
    if (at == llvm::StringRef::npos || !part.drop_front(at + 1).starts_with("="))
      return Error(from, "expected '>=', '<=' or '==' in a constraint");
    std::vector<SymbolicExpr> sides;
    const std::pair<size_t, size_t> places[] = {{from, from + at}, {from + at + 2, to}};
    for (auto [first, last] : places) {
      if (text_.slice(first, last).trim().empty())
        return Error(first, "expected an expression on both sides of a constraint");
      // A map of one result, so that the reader of maps can be asked: "(d0) : (d0 - 1 >= 0)" is
      // "(d0) -> (d0 - 1)     ". Each part keeps its place, where a space is at the colon.
      std::string map = Only(text_, first, last);
      map.replace(begin, colon - begin, text_.slice(begin, colon).str());
      const size_t arrow = text_[colon + 1] != '(' ? colon : colon - 1;
      map[last] = ')';
      map[text_.find('(', colon)] = '(';
      if (llvm::isSpace(text_[arrow]) || llvm::isSpace(text_[arrow + 1])) {
        map.replace(arrow, 2, "->");
      } else {
        map.replace(colon, 1, "->");
      }
      if (llvm::Error error = Read(map, from, sides)) return error;
    }
    if (sides.size() != 2) return Error(from, "expected one expression on each side");
    SymbolicExpr difference = sides[0] - sides[1];
    const char op = part[at];
    Interval bounds = Interval::Point(0);
    if (op == '>') bounds = {0, kInt64Max};
    if (op == '<') bounds = {kInt64Min, 0};
    result_.constraints.push_back({difference, bounds});
    return llvm::Error::success();
  }

  llvm::Error Read(const std::string& text, size_t at, std::vector<SymbolicExpr>& results) {
    std::vector<ReadDivisor> divisors;
    auto map = ParseSymbolicMap(text, context_, where_, /*first_line=*/1, &divisors);
    if (!map) return map.takeError();
    if (map->num_runtime() > 0)
      return Error(at, "an affine attribute has dims and symbols, no variables in braces");
    result_.dims = map->num_dims();
    result_.symbols = map->num_ranges();
    auto as_dims = [&](SymbolicExpr e) {
      return e.Substitute([&](VarKind kind, int64_t i) {
        return context_.Dim(kind == VarKind::kDim ? i : result_.dims + i);
      });
    };
    for (const ReadDivisor& divisor : divisors) result_.divisors.push_back(as_dims(divisor.expr));
    for (SymbolicExpr e : map->results()) {
      results.push_back(as_dims(e));
      std::string problem = AffineProblem(results.back(), result_.dims);
      if (problem.empty()) problem = NegativeDivisor(results.back());
      if (!problem.empty()) return Error(at, problem);
    }
    for (SymbolicExpr divisor : result_.divisors) {
      if (UsesDims(divisor, result_.dims))
        return Error(at, "a divisor uses dims, expected a constant or symbols");
    }
    return llvm::Error::success();
  }

  static std::string NegativeDivisor(SymbolicExpr e) {
    bool found = false;
    e.Walk([&](SymbolicExpr part) {
      const bool divides = part.kind() == ExprKind::kFloorDiv ||
                           part.kind() == ExprKind::kCeilDiv || part.kind() == ExprKind::kMod;
      found |= divides && part.op(1).IsConstant() && part.op(1).value() <= 0;
    });
    return found ? "a divisor is not positive, so the map has no value" : "";
  }

  llvm::StringRef text_;
  Context& context_;
  llvm::StringRef where_;
  AffineText result_;
};

// The variables of a pair, without bounds.
std::vector<Variable> MakeVariables(const AffineText& a) {
  std::vector<Variable> variables(static_cast<size_t>(a.dims + a.symbols),
                                  {Interval::All(), "", std::nullopt});
  for (int64_t i = 0; i < a.symbols; ++i) variables[a.dims + i].name = "s" + std::to_string(i);
  return variables;
}

}  // namespace

bool LooksAffine(llvm::StringRef text) {
  text = text.trim();
  return text.starts_with("affine_map") || text.starts_with("affine_set");
}

llvm::Expected<AffineText> ReadAffineAttribute(llvm::StringRef text, Context& context,
                                               llvm::StringRef where) {
  AffineReader reader(text, context, where);
  const size_t open = text.find('<'), close = text.rfind('>');
  const size_t start = text.find("affine_");
  const size_t name = start + llvm::StringRef("affine_map").size();
  if (open == llvm::StringRef::npos || !text.slice(name, open).trim().empty())
    return reader.Error(name, "expected '<' behind the name of an affine attribute");
  if (!text.drop_front(close + 1).trim().empty() || text[close - 1] == '-' || close < open)
    return reader.Error(text.size(), "expected '>' at the end of an affine attribute");
  const bool is_set = text.drop_front(start).starts_with("affine_set");
  llvm::Error error = is_set ? reader.Set(open + 1, close) : reader.Map(open + 1, close);
  if (error) return error;
  return std::move(reader.result());
}

llvm::Expected<AffineText> ReadAffineMap(llvm::StringRef text, Context& context,
                                         llvm::StringRef where) {
  AffineReader reader(text, context, where);
  if (llvm::Error error = reader.Map(0, text.size())) return error;
  return std::move(reader.result());
}

llvm::Expected<AffinePair> MakeAffinePair(const AffineText& a, const AffineText& b,
                                          Context& context) {
  if (a.is_set != b.is_set) return MakeError("another kind: one is a map and the other a set");
  if (a.dims != b.dims || a.symbols != b.symbols || a.results.size() != b.results.size())
    return MakeError("other numbers of dims, symbols or results");
  std::vector<Variable> variables = MakeVariables(a);
  std::vector<Constraint> positive;
  std::vector<std::string> conditions;
  for (const AffineText* side : {&a, &b}) {
    for (SymbolicExpr divisor : side->divisors) {
      const Constraint constraint{divisor, {1, kInt64Max}};
      if (llvm::is_contained(positive, constraint)) continue;
      positive.push_back(constraint);
      std::string text;
      llvm::raw_string_ostream os(text);
      Print(divisor, os, [&](VarKind, int64_t i) {
        return i < a.dims ? "d" + std::to_string(i) : "s" + std::to_string(i - a.dims);
      });
      conditions.push_back(text + " >= 1");
    }
  }
  // There is nothing to compare where no values make all divisors positive.
  const IndexingMap defined(context, std::vector<SymbolicExpr>(), variables, {}, {}, positive);
  if (!positive.empty() && ProveEmpty(defined).verdict == Verdict::kProved)
    return MakeError("no values of its variables at which " + llvm::join(conditions, " and ") +
                     ", as divisors have to be");
  for (const Constraint& c : positive) {
    if (c.expr.IsVariable()) variables[c.expr.value()].bounds = c.bounds;
  }
  auto make = [&](const AffineText& side) {
    std::vector<Constraint> constraints = side.constraints;
    for (const Constraint& c : positive) {
      if (!c.expr.IsVariable()) constraints.push_back(c);
    }
    return IndexingMap(context, side.results, variables, {}, {}, constraints);
  };
  AffinePair pair{make(a), make(b), "dims have no bounds"};
  if (a.symbols > 0) pair.reading = "dims and symbols are parameters, without bounds";
  if (!conditions.empty()) pair.reading += ", where " + llvm::join(conditions, " and ");
  return pair;
}

llvm::Expected<AffinePair> ReadAffinePair(llvm::StringRef a, llvm::StringRef b, Context& context,
                                          llvm::StringRef a_where, llvm::StringRef b_where) {
  if (LooksAffine(a) != LooksAffine(b)) {
    const llvm::StringRef where = LooksAffine(a) ? b_where : a_where;
    return MakeError(where + ":1:1: error: one map is affine and the other has a domain");
  }
  auto first = ReadAffineAttribute(a, context, a_where);
  if (!first) return first.takeError();
  auto second = ReadAffineAttribute(b, context, b_where);
  if (!second) return second.takeError();
  auto pair = MakeAffinePair(*first, *second, context);
  if (pair) return pair;
  return MakeError(b_where + ":1:1: error: against the first, this has " +
                   llvm::toString(pair.takeError()));
}

}  // namespace affirm::driver
