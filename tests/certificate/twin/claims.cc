#include "tests/certificate/twin/claims.h"

#include <string>
#include <utility>

#include "tests/certificate/twin/proof.h"
#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

// The values of the variables of a map, as forms; those that are missing have none.
using Values = std::vector<Polynomial>;

void AddAtoms(Values& values, size_t first, size_t count) {
  for (size_t k = 0; k < count; ++k)
    values.push_back(Polynomial::OfAtom(static_cast<Atom>(first + k)));
}

// A divisor is not 0, a modulus is positive.
void AddDivisorGoal(const Polynomial& divisor, bool is_modulus, std::vector<Goal>& goals) {
  if (const auto value = divisor.AsConstant()) {
    Expect(is_modulus ? *value > 0 : *value != 0, "a divisor is 0 or a modulus is not positive");
  } else if (is_modulus) {
    goals.push_back({Goal::kAtLeast0, divisor + -1});
  } else {
    goals.push_back({Goal::kIsNot0, divisor});
  }
}

Polynomial Apply(Op op, const Polynomial& x, const Polynomial& y, const Table& table) {
  switch (op) {
    case Op::kMultiply:
      return x.Times(y);
    case Op::kFloor:
      return table.Find(Operation::kQuotient, x, y);
    case Op::kCeiling:
      return -table.Find(Operation::kQuotient, -x, y);
    case Op::kModulo:
      return x - y.Times(table.Find(Operation::kQuotient, x, y));
    case Op::kMin:
      return table.Find(Operation::kMinimum, x, y);
    case Op::kMax:
      return table.Find(Operation::kMaximum, x, y);
    default:
      Refuse("an operator without two operands");
  }
}

// A term as a form. What has to be shown for it to have a value is added to `goals`.
Polynomial FormOf(const Term& term, const Values& values, const Table& table,
                  std::vector<Goal>* goals = nullptr) {
  std::vector<Polynomial> stack;
  for (const Item& item : term) {
    ExpectTime();
    if (item.op == Op::kNumber) {
      stack.emplace_back(item.number);
      continue;
    }
    if (item.op == Op::kVariable) {
      Expect(item.variable < values.size(), "a variable has no value");
      stack.push_back(values[item.variable]);
      continue;
    }
    const Polynomial right = std::move(stack.back());
    stack.pop_back();
    Polynomial& left = stack.back();
    const bool is_modulus = item.op == Op::kModulo;
    if (goals && (is_modulus || item.op == Op::kFloor || item.op == Op::kCeiling))
      AddDivisorGoal(right, is_modulus, *goals);
    if (item.op == Op::kAdd || item.op == Op::kSubtract) {
      left.AddMultiple(right, item.op == Op::kAdd ? 1 : -1);
    } else {
      left = Apply(item.op, left, right, table);
    }
  }
  return stack.back();
}

std::vector<Polynomial> FormsOf(const std::vector<Term>& terms, const Values& values,
                                const Table& table, std::vector<Goal>* goals = nullptr) {
  std::vector<Polynomial> forms;
  forms.reserve(terms.size());
  for (const Term& term : terms) forms.push_back(FormOf(term, values, table, goals));
  return forms;
}

// Forms that are at least 0 within the domain.
std::vector<Polynomial> BoundsOf(const Map& map, const Values& values, const Table& table,
                                 std::vector<Goal>* goals = nullptr) {
  std::vector<Polynomial> bounds;
  for (const Constraint& c : map.domain) {
    const Polynomial subject = FormOf(c.subject, values, table, goals);
    if (c.lower) bounds.push_back(subject - Polynomial(*c.lower));
    if (c.upper) bounds.push_back(Polynomial(*c.upper) - subject);
  }
  return bounds;
}

std::vector<Polynomial> Differences(const std::vector<Polynomial>& a,
                                    const std::vector<Polynomial>& b) {
  Expect(a.size() == b.size(), "the maps have different numbers of results");
  std::vector<Polynomial> differences;
  differences.reserve(a.size());
  for (size_t k = 0; k < a.size(); ++k) differences.push_back(a[k] - b[k]);
  return differences;
}

void AddGoals(std::vector<Goal>& goals, Goal::Kind kind, const std::vector<Polynomial>& forms) {
  for (const Polynomial& form : forms) goals.push_back({kind, form});
}

void AddFacts(std::vector<Fact>& facts, bool are_equations, const std::vector<Polynomial>& forms) {
  for (const Polynomial& form : forms) facts.push_back({are_equations, form});
}

// `names` are those of the variables of `inner` in the proof.
void CheckOneWithin(Lines& lines, const Map& inner, const Names& names,
                    const std::vector<Map>& outer, size_t common) {
  lines.ExpectLine("evidence");
  const Table table = ReadTable(lines, inner.variables());
  Values own;
  AddAtoms(own, 1, inner.variables());
  std::vector<Fact> facts;
  AddFacts(facts, false, BoundsOf(inner, own, table));
  const GoalsOf goals = [&](size_t position, const std::vector<Term>& chosen) {
    Expect(position < outer.size(), "the union has no such map");
    const Map& map = outer[position];
    Values values(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(common));
    for (Polynomial& form : FormsOf(chosen, own, table)) values.push_back(std::move(form));
    std::vector<Goal> all;
    const auto wanted = FormsOf(inner.results, own, table, &all);
    const auto bounds = BoundsOf(map, values, table, &all);
    const auto given = FormsOf(map.results, values, table, &all);
    AddGoals(all, Goal::kAtLeast0, bounds);
    AddGoals(all, Goal::kIs0, Differences(wanted, given));
    return all;
  };
  FollowProof(lines, table, std::move(facts), goals, names);
}

// Two points with the same runtime variables and the same results are one.
void CheckInjective(Lines& lines, const Map& map) {
  lines.ExpectLine("evidence");
  const size_t own = map.dims + map.ranges;
  const Table table = ReadTable(lines, map.variables() + own);
  Values first, second;
  AddAtoms(first, 1, map.variables());
  AddAtoms(second, 1, map.runtime);
  AddAtoms(second, map.variables() + 1, own);
  std::vector<Fact> facts;
  AddFacts(facts, false, BoundsOf(map, first, table));
  AddFacts(facts, false, BoundsOf(map, second, table));
  AddFacts(facts, true,
           Differences(FormsOf(map.results, first, table), FormsOf(map.results, second, table)));
  const GoalsOf goals = [&](size_t, const std::vector<Term>&) {
    std::vector<Goal> all;
    FormsOf(map.results, first, table, &all);
    for (size_t i = map.runtime; i < map.variables(); ++i)
      all.push_back({Goal::kIs0, first[i] - second[i]});
    return all;
  };
  FollowProof(lines, table, std::move(facts), goals, map.names);
}

Term VariableTerm(size_t variable) { return {{Op::kVariable, variable, 0}}; }

// The indices of an array, at the runtime variables of a map and within their bounds.
Map IndicesOf(const std::vector<Integer>& sizes, const Map& map) {
  Map array;
  array.runtime = map.runtime, array.ranges = sizes.size();
  array.names.assign(map.names.begin(),
                     map.names.begin() + static_cast<std::ptrdiff_t>(map.runtime));
  for (const Constraint& c : map.domain)
    if (c.subject.size() == 1 && c.subject[0].op == Op::kVariable &&
        c.subject[0].variable < map.runtime)
      array.domain.push_back(c);
  for (size_t k = 0; k < sizes.size(); ++k) {
    const Term index = VariableTerm(map.runtime + k);
    array.names.push_back("s" + std::to_string(k));
    array.domain.push_back({index, Integer(0), Integer(sizes[k] - 1)});
    array.results.push_back(index);
  }
  return array;
}

void CheckOfArray(Lines& lines, std::string_view relation, const Map& map,
                  const std::vector<Integer>& sizes) {
  const Map array = IndicesOf(sizes, map);
  if (relation == "bijection") CheckInjective(lines, map);
  if (relation != "onto") CheckOneWithin(lines, map, map.names, {array}, map.runtime);
  if (relation != "into") CheckOneWithin(lines, array, array.names, {map}, map.runtime);
}

}  // namespace

std::vector<Map> ReadMaps(Lines& lines) {
  std::vector<Map> maps;
  while (lines.NextBegins("map "))
    if (auto map = ReadMap(lines.Next().substr(4))) maps.push_back(std::move(*map));
  return maps;
}

void ExpectAlike(const std::vector<Map>& maps, size_t runtime, size_t dims) {
  for (const Map& map : maps)
    Expect(map.runtime == runtime && map.dims == dims, "maps have different dims");
}

void CheckWithin(Lines& lines, const std::vector<Map>& inner, const std::vector<Map>& outer,
                 size_t common) {
  for (const Map& map : inner) CheckOneWithin(lines, map, map.names, outer, common);
}

void CheckMapClaim(Lines& lines, const Words& claim) {
  Expect(claim.size() >= 2 && claim[0] == "claim", "expected a claim");
  const std::string_view relation = claim[1];
  if (relation == "equal" || relation == "covers") {
    Expect(claim.size() == 2, "expected 'claim equal' or 'claim covers'");
    const std::vector<Map> first = ReadMaps(lines);
    lines.ExpectLine("and");
    const std::vector<Map> second = ReadMaps(lines);
    if (first.empty() && second.empty()) return;
    const Map& any = first.empty() ? second.front() : first.front();
    ExpectAlike(first, any.runtime, any.dims);
    ExpectAlike(second, any.runtime, any.dims);
    if (relation == "equal") CheckWithin(lines, first, second, any.runtime + any.dims);
    CheckWithin(lines, second, first, any.runtime + any.dims);
    return;
  }
  std::vector<Integer> sizes;
  if (relation == "onto" || relation == "into" || relation == "bijection") {
    Expect(claim.size() <= 4 && claim.size() >= 3 && claim[2] == "shape", "expected a shape");
    if (claim.size() == 4)
      for (std::string_view size : Split(claim[3], ',')) sizes.push_back(ReadInteger(size));
  } else {
    Expect(relation == "injective" && claim.size() == 2, "expected a claim");
  }
  const std::vector<Map> maps = ReadMaps(lines);
  Expect(maps.size() == 1, "expected one map");
  if (relation == "injective") return CheckInjective(lines, maps[0]);
  CheckOfArray(lines, relation, maps[0], sizes);
}

}  // namespace twin
