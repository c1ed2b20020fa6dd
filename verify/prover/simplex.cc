// The simplex method of Dutertre and de Moura ("A Fast Linear-Arithmetic Solver for DPLL(T)",
// 2006), with the rule of Bland. Each fact about several variables is a slack variable with a lower
// bound, and an upper one if it is an equation. A fact about one variable is a bound of it.
#include "verify/prover/simplex.h"

namespace affirm::prover {

Rational::Rational(const BigInt& n, const BigInt& d) : num(n), den(d) {
  if (den < 0) {
    num = -num;
    den = -den;
  }
  if (num == 0) {
    den = BigInt(1);
  } else if (den != 1) {
    BigInt g = llvm::gcd(llvm::abs(num), den);
    if (g != 1) {
      num /= g;
      den /= g;
    }
  }
}

namespace {

// An end of a variable's range, and the fact that gives it: x - at, or at - x, is 1/scale times the
// fact. The scale is negative for one of the two ends of an equation.
struct End {
  Rational at, scale;
  size_t fact = 0;
};

class Tableau {
 public:
  Tableau(const std::vector<LinearFact>& facts, int columns)
      : facts_(facts), columns_(static_cast<size_t>(columns)) {
    lower_.resize(columns_);
    upper_.resize(columns_);
    for (size_t i = 0; i < facts.size(); ++i) {
      if (facts[i].terms.size() == 1)
        AddBound(i);
      else
        AddRow(i);
    }
    for (size_t j = 0; j < columns_; ++j) nonbasic_.push_back(j);
    at_.resize(lower_.size());
    for (size_t j = 0; j < columns_; ++j) {
      if (lower_[j] && Rational() < lower_[j]->at) at_[j] = lower_[j]->at;
      if (upper_[j] && upper_[j]->at < Rational()) at_[j] = upper_[j]->at;
    }
    for (size_t r = 0; r < rows_.size(); ++r) {
      Rational& value = at_[basic_[r]];
      for (size_t c = 0; c < columns_; ++c) {
        if (!rows_[r][c].IsZero() && !at_[c].IsZero()) value = value + rows_[r][c] * at_[c];
      }
    }
  }

  SimplexAnswer Solve(int pivots) {
    SimplexAnswer answer;
    for (size_t j = 0; j < columns_; ++j) {
      if (!lower_[j] || !upper_[j] || !(upper_[j]->at < lower_[j]->at)) continue;
      Multiples multiples;
      Add(multiples, *lower_[j], Rational(BigInt(1)));
      Add(multiples, *upper_[j], Rational(BigInt(1)));
      return Contradiction(multiples);
    }
    for (;;) {
      const std::optional<size_t> row = Violated();
      if (!row) {
        answer.solution.assign(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(columns_));
        return answer;
      }
      const size_t v = basic_[*row];
      const bool up = lower_[v] && at_[v] < lower_[v]->at;
      const std::optional<size_t> column = Entering(*row, up);
      if (!column) return Explain(*row, up);
      if (pivots-- == 0) {
        answer.gave_up = true;
        return answer;
      }
      Pivot(*row, *column, up ? lower_[v]->at : upper_[v]->at);
    }
  }

 private:
  using Multiples = std::vector<std::pair<size_t, Rational>>;

  void AddBound(size_t i) {
    const LinearFact& fact = facts_[i];
    const auto& [x, c] = fact.terms.front();
    const End end{Rational(-fact.constant, c), Rational(c), i};
    const auto v = static_cast<size_t>(x);
    if ((c > 0 || fact.is_equation) && (!lower_[v] || lower_[v]->at < end.at)) lower_[v] = end;
    if ((c < 0 || fact.is_equation) && (!upper_[v] || end.at < upper_[v]->at)) {
      upper_[v] = end;
      upper_[v]->scale = -end.scale;
    }
  }
  void AddRow(size_t i) {
    const LinearFact& fact = facts_[i];
    std::vector<Rational>& row = rows_.emplace_back(columns_);
    for (const auto& [x, c] : fact.terms) row[static_cast<size_t>(x)] = Rational(c);
    basic_.push_back(lower_.size());
    End end{Rational(-fact.constant), Rational(BigInt(1)), i};
    lower_.emplace_back(end);
    end.scale = -end.scale;
    upper_.push_back(fact.is_equation ? std::optional(end) : std::nullopt);
  }

  std::optional<size_t> Violated() const {
    std::optional<size_t> best;
    for (size_t r = 0; r < basic_.size(); ++r) {
      const size_t v = basic_[r];
      if (best && basic_[*best] < v) continue;
      if ((lower_[v] && at_[v] < lower_[v]->at) || (upper_[v] && upper_[v]->at < at_[v])) best = r;
    }
    return best;
  }
  // A column whose variable can move the row's up (or down).
  std::optional<size_t> Entering(size_t row, bool up) const {
    std::optional<size_t> best;
    for (size_t c = 0; c < nonbasic_.size(); ++c) {
      const int sign = rows_[row][c].Sign() * (up ? 1 : -1);
      const size_t v = nonbasic_[c];
      if (sign == 0 || (best && nonbasic_[*best] < v)) continue;
      const bool can_move =
          sign > 0 ? !upper_[v] || at_[v] < upper_[v]->at : !lower_[v] || lower_[v]->at < at_[v];
      if (can_move) best = c;
    }
    return best;
  }

  // `times` times the distance to an end.
  static void Add(Multiples& multiples, const End& end, const Rational& times) {
    multiples.emplace_back(end.fact, times / end.scale);
  }
  static SimplexAnswer Contradiction(const Multiples& multiples) {
    SimplexAnswer answer;
    BigInt common(1);
    for (const auto& m : multiples) common = llvm::lcm(common, m.second.den);
    for (const auto& [fact, m] : multiples)
      answer.contradiction.emplace_back(fact, m.num * (common / m.den));
    return answer;
  }
  // The row's variable is beyond an end, and all that it is made of stand at theirs.
  SimplexAnswer Explain(size_t row, bool up) const {
    const size_t v = basic_[row];
    Multiples multiples;
    Add(multiples, up ? *lower_[v] : *upper_[v], Rational(BigInt(1)));
    for (size_t c = 0; c < nonbasic_.size(); ++c) {
      const Rational& k = rows_[row][c];
      if (k.IsZero()) continue;
      const bool at_upper = (k.Sign() > 0) == up;
      const End& end = at_upper ? *upper_[nonbasic_[c]] : *lower_[nonbasic_[c]];
      Add(multiples, end, k.Sign() > 0 ? k : -k);
    }
    return Contradiction(multiples);
  }

  void Pivot(size_t row, size_t column, const Rational& target) {
    const size_t leaves = basic_[row], enters = nonbasic_[column];
    const Rational step = (target - at_[leaves]) / rows_[row][column];
    at_[enters] = at_[enters] + step;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (!rows_[r][column].IsZero()) at_[basic_[r]] = at_[basic_[r]] + rows_[r][column] * step;
    }
    // leaves = p * enters + rest becomes enters = leaves / p - rest / p.
    std::vector<Rational>& pivot = rows_[row];
    const Rational inverse = Rational(BigInt(1)) / pivot[column];
    for (size_t c = 0; c < pivot.size(); ++c) {
      if (c != column && !pivot[c].IsZero()) pivot[c] = -(pivot[c] * inverse);
    }
    pivot[column] = inverse;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (r == row || rows_[r][column].IsZero()) continue;
      const Rational by = rows_[r][column];
      for (size_t c = 0; c < pivot.size(); ++c) {
        if (pivot[c].IsZero()) continue;
        rows_[r][c] = c == column ? by * inverse : rows_[r][c] + by * pivot[c];
      }
    }
    std::swap(basic_[row], nonbasic_[column]);
  }

  const std::vector<LinearFact>& facts_;
  const size_t columns_;
  // By variable: first those of the facts, then a slack for each row.
  std::vector<std::optional<End>> lower_, upper_;
  std::vector<Rational> at_;
  std::vector<std::vector<Rational>> rows_;  // a basic variable by those that are not
  std::vector<size_t> basic_, nonbasic_;
};

}  // namespace

SimplexAnswer Solve(const std::vector<LinearFact>& facts, int columns, int pivots) {
  return Tableau(facts, columns).Solve(pivots);
}

}  // namespace affirm::prover
