#include "tests/certificate/twin/access.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr size_t kLongestTerm = 10'000'000;

using Substitution = std::vector<Term>;  // what stands for each variable

Term Substituted(const Term& term, const Substitution& terms) {
  Term result;
  for (const Item& item : term) {
    if (item.op == Op::kVariable) {
      Expect(item.variable < terms.size(), "a term has a variable that its map has not");
      const Term& other = terms[item.variable];
      result.insert(result.end(), other.begin(), other.end());
    } else {
      result.push_back(item);
    }
    Expect(result.size() <= kLongestTerm, "a term is too long");
  }
  ExpectTime();
  return result;
}

std::vector<Term> Substituted(const std::vector<Term>& all, const Substitution& terms) {
  std::vector<Term> results;
  results.reserve(all.size());
  for (const Term& term : all) results.push_back(Substituted(term, terms));
  return results;
}

void AddSubstituted(std::vector<Constraint>& domain, const std::vector<Constraint>& more,
                    const Substitution& terms) {
  for (const Constraint& c : more)
    domain.push_back({Substituted(c.subject, terms), c.lower, c.upper});
}

void AddSubstituted(std::vector<Producer>& producers, const std::vector<Producer>& more,
                    const Substitution& terms) {
  for (const Producer& p : more) producers.push_back({p.from, Substituted(p.at, terms), p.limit});
}

// So many variables, from this one on.
void AddVariables(Substitution& terms, size_t first, size_t count) {
  for (size_t k = 0; k < count; ++k) terms.push_back(Variable(first + k));
}

}  // namespace

Term Number(const Integer& value) { return {{Op::kNumber, 0, value}}; }
Term Variable(size_t number) { return {{Op::kVariable, number, 0}}; }
Term Join(Op op, const Term& left, const Term& right) {
  Term term = left;
  term.insert(term.end(), right.begin(), right.end());
  term.push_back({op, 0, 0});
  return term;
}

Names DefaultNames(size_t runtime, size_t dims, size_t ranges) {
  Names names;
  const auto add = [&](const std::string& prefix, size_t count) {
    for (size_t k = 0; k < count; ++k) names.push_back(prefix + std::to_string(k));
  };
  add("rt", runtime);
  add("d", dims);
  add("s", ranges);
  return names;
}

std::vector<Constraint> Indices(size_t first, const std::vector<Integer>& sizes) {
  std::vector<Constraint> indices;
  indices.reserve(sizes.size());
  for (const Integer& size : sizes)
    indices.push_back({Variable(first + indices.size()), Integer(0), Integer(size - 1)});
  return indices;
}

std::vector<Constraint> Clamped(const std::vector<Producer>& producers) {
  std::vector<Constraint> clamped;
  clamped.reserve(producers.size());
  for (const Producer& p : producers)
    clamped.push_back({Variable(clamped.size()), Integer(0), p.limit});
  return clamped;
}

bool IsPlain(const Term& term, size_t variables) {
  for (size_t k = 0; k < term.size(); ++k) {
    const Op op = term[k].op;
    if (op == Op::kVariable && term[k].variable >= variables) return false;
    if (op == Op::kFloor || op == Op::kCeiling || op == Op::kModulo) {
      // The divisor ends just before.
      const Item& last = term[k - 1];
      if (last.op != Op::kNumber || last.number <= 0) return false;
    }
  }
  return true;
}

bool IsPlain(const Access& access) {
  const Map& map = access.map;
  const auto is_plain = [&](const Term& term) { return IsPlain(term, map.variables()); };
  const auto all_plain = [&](const std::vector<Term>& terms) {
    return std::all_of(terms.begin(), terms.end(), is_plain);
  };
  return access.producers.size() == map.runtime && all_plain(map.results) &&
         std::all_of(map.domain.begin(), map.domain.end(),
                     [&](const Constraint& c) { return is_plain(c.subject); }) &&
         std::all_of(access.producers.begin(), access.producers.end(),
                     [&](const Producer& p) { return all_plain(p.at); });
}

bool IsOfDims(const std::vector<Term>& terms, size_t runtime, size_t dims) {
  for (const Term& term : terms)
    for (const Item& item : term)
      if (item.op == Op::kVariable && (item.variable < runtime || item.variable >= runtime + dims))
        return false;
  return true;
}

// Variables: the runtime variables of both, the dims of the outer one, the range variables of both.
Access Compose(const Access& outer, const Access& inner) {
  const Map &a = outer.map, &b = inner.map;
  Substitution left, right;
  AddVariables(left, 0, a.runtime);
  AddVariables(left, a.runtime + b.runtime, a.dims + a.ranges);
  AddVariables(right, a.runtime, b.runtime);
  Expect(a.results.size() == b.dims, "a result and an index have different numbers of dims");
  for (const Term& result : a.results) right.push_back(Substituted(result, left));
  AddVariables(right, a.variables() + b.runtime, b.ranges);
  Access both;
  both.map.runtime = a.runtime + b.runtime;
  both.map.dims = a.dims;
  both.map.ranges = a.ranges + b.ranges;
  AddSubstituted(both.map.domain, a.domain, left);
  AddSubstituted(both.map.domain, b.domain, right);
  both.map.results = Substituted(b.results, right);
  AddSubstituted(both.producers, outer.producers, left);
  AddSubstituted(both.producers, inner.producers, right);
  return both;
}

Map Forget(const Access& access) {
  const Map& map = access.map;
  Substitution terms;
  AddVariables(terms, map.dims, map.runtime);
  AddVariables(terms, 0, map.dims);
  AddVariables(terms, map.runtime + map.dims, map.ranges);
  Map forgotten;
  forgotten.dims = map.dims;
  forgotten.ranges = map.runtime + map.ranges;
  AddSubstituted(forgotten.domain, map.domain, terms);
  forgotten.results = Substituted(map.results, terms);
  forgotten.names = DefaultNames(0, forgotten.dims, forgotten.ranges);
  return forgotten;
}

Map Aligned(const Access& access, const std::vector<Producer>& known, size_t dims) {
  const Map& map = access.map;
  const size_t runtime = known.size();
  Expect(access.producers.size() == map.runtime && map.dims == dims,
         "a map has other variables than the result has dims");
  Substitution moved(map.runtime);
  AddVariables(moved, runtime, map.dims + map.ranges);
  Substitution terms;
  for (const Producer& p : access.producers) {
    Expect(IsOfDims(p.at, map.runtime, dims), "a runtime variable depends on more than the index");
    const Producer wanted = {p.from, Substituted(p.at, moved), p.limit};
    const auto at = std::find(known.begin(), known.end(), wanted);
    Expect(at != known.end(), "a runtime variable is not stated");
    terms.push_back(Variable(static_cast<size_t>(at - known.begin())));
  }
  AddVariables(terms, runtime, map.dims + map.ranges);
  Map aligned;
  aligned.runtime = runtime;
  aligned.dims = dims;
  aligned.ranges = map.ranges;
  aligned.domain = Clamped(known);
  AddSubstituted(aligned.domain, map.domain, terms);
  aligned.results = Substituted(map.results, terms);
  aligned.names = DefaultNames(runtime, dims, map.ranges);
  return aligned;
}

}  // namespace twin
