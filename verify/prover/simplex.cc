// The simplex method of Dutertre and de Moura ("A Fast Linear-Arithmetic Solver for DPLL(T)",
// 2006), with the rule of Bland. Each fact is a slack variable with a lower bound, and an upper one
// if it is an equation.
#include "verify/prover/simplex.h"

#include <numeric>

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

class Tableau {
 public:
  Tableau(const std::vector<LinearFact>& facts, int columns)
      : facts_(facts), columns_(static_cast<size_t>(columns)) {
    for (size_t j = 0; j < columns_; ++j) nonbasic_.push_back(j);
    at_.resize(columns_ + facts.size());
    for (size_t i = 0; i < facts.size(); ++i) {
      std::vector<Rational> row(columns_);
      for (const auto& [x, c] : facts[i].terms) row[static_cast<size_t>(x)] = Rational(c);
      rows_.push_back(std::move(row));
      basic_.push_back(columns_ + i);
    }
  }

  SimplexAnswer Solve(int pivots) {
    for (;;) {
      std::optional<size_t> row = Violated();
      SimplexAnswer answer;
      if (!row) {
        answer.solution.assign(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(columns_));
        return answer;
      }
      const bool up = at_[basic_[*row]] < Bound(basic_[*row]);
      std::optional<size_t> column = Entering(*row, up);
      if (!column) {
        Explain(*row, up, answer);
        return answer;
      }
      if (pivots-- == 0) {
        answer.gave_up = true;
        return answer;
      }
      Pivot(*row, *column);
    }
  }

 private:
  bool IsSlack(size_t v) const { return v >= columns_; }
  const LinearFact& FactOf(size_t v) const { return facts_[v - columns_]; }
  // The lower bound of a slack; of an equation also the upper one.
  Rational Bound(size_t v) const { return Rational(-FactOf(v).constant); }

  std::optional<size_t> Violated() const {
    std::optional<size_t> best;
    for (size_t r = 0; r < basic_.size(); ++r) {
      const size_t v = basic_[r];
      if (!IsSlack(v) || (best && basic_[*best] < v)) continue;
      const Rational bound = Bound(v);
      if (at_[v] < bound || (FactOf(v).is_equation && bound < at_[v])) best = r;
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
      // A slack that is not basic stands at its bound: it can rise, unless it is an equation's.
      if (!IsSlack(v) || (sign > 0 && !FactOf(v).is_equation)) best = c;
    }
    return best;
  }
  void Explain(size_t row, bool up, SimplexAnswer& answer) const {
    std::vector<std::pair<size_t, Rational>> multiples;
    const Rational sign(BigInt(up ? 1 : -1));
    multiples.push_back({basic_[row] - columns_, sign});
    for (size_t c = 0; c < nonbasic_.size(); ++c) {
      if (rows_[row][c].IsZero()) continue;
      multiples.push_back({nonbasic_[c] - columns_, Rational() - sign * rows_[row][c]});
    }
    BigInt common(1);
    for (const auto& m : multiples) common = llvm::lcm(common, m.second.den);
    for (const auto& [fact, m] : multiples)
      answer.contradiction.push_back({fact, m.num * (common / m.den)});
  }

  void Pivot(size_t row, size_t column) {
    const size_t leaves = basic_[row], enters = nonbasic_[column];
    const Rational target = Bound(leaves);
    const Rational step = (target - at_[leaves]) / rows_[row][column];
    at_[enters] = at_[enters] + step;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (!rows_[r][column].IsZero()) at_[basic_[r]] = at_[basic_[r]] + rows_[r][column] * step;
    }
    // leaves = p * enters + rest becomes enters = leaves / p - rest / p.
    std::vector<Rational>& pivot = rows_[row];
    const Rational inverse = Rational(BigInt(1)) / pivot[column];
    for (size_t c = 0; c < pivot.size(); ++c) {
      if (c != column && !pivot[c].IsZero()) pivot[c] = Rational() - pivot[c] * inverse;
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
  std::vector<std::vector<Rational>> rows_;  // a basic variable by those that are not
  std::vector<size_t> basic_, nonbasic_;
  std::vector<Rational> at_;
};

}  // namespace

SimplexAnswer Solve(const std::vector<LinearFact>& facts, int columns, int pivots) {
  return Tableau(facts, columns).Solve(pivots);
}

}  // namespace affirm::prover
