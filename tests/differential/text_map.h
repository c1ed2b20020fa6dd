// Maps of certificates, read and evaluated in integers of any size. It shares nothing with the
// checker, nor with the reader of maps, whose constants have 64 bits.
#ifndef AFFIRM_TESTS_DIFFERENTIAL_TEXT_MAP_H_
#define AFFIRM_TESTS_DIFFERENTIAL_TEXT_MAP_H_

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DynamicAPInt.h"

namespace affirm {

class TextMap {
 public:
  using Number = llvm::DynamicAPInt;
  using Point = std::vector<Number>;
  using Value = std::optional<Number>;
  using Term = std::function<Value(const Point&)>;
  struct BoundedTerm {
    Term term;
    Number lower, upper;  // the limits of int64 are infinite
    int variable = -1;    // when it is the bound of one
  };

  // `text` is well-formed.
  explicit TextMap(const std::string& text) : text_(text) {
    if (Take("KNOWN EMPTY")) {
      empty = true;
      return;
    }
    for (const char* brackets : {"()", "[]", "{}"}) {
      if (!Take(std::string(1, brackets[0]))) continue;
      while (!Take(std::string(1, brackets[1]))) {
        Take(",");
        names.push_back(Word());
      }
    }
    Take("->");
    Take("(");
    while (!Take(")")) {
      Take(",");
      results.push_back(Sum());
    }
    if (!Take(",")) return;
    Take("domain:");
    while (Skip(), at_ < text_.size()) {
      Take(",");
      size_t from = (Skip(), at_);
      BoundedTerm fact{.term = Sum()};
      std::string said = text_.substr(from, at_ - from);
      said.erase(std::remove(said.begin(), said.end(), ' '), said.end());
      auto named = std::find(names.begin(), names.end(), said);
      if (named != names.end()) fact.variable = static_cast<int>(named - names.begin());
      Take("in");
      Take("[");
      fact.lower = *Sum()({});
      Take(",");
      fact.upper = *Sum()({});
      Take("]");
      facts.push_back(fact);
      Skip();
    }
  }

  bool Contains(const Point& point) const {
    if (empty) return false;
    return std::all_of(facts.begin(), facts.end(), [&](const BoundedTerm& fact) {
      Value v = fact.term(point);
      return v && (fact.lower <= INT64_MIN || *v >= fact.lower) &&
             (fact.upper >= INT64_MAX || *v <= fact.upper);
    });
  }
  std::vector<Value> At(const Point& point) const {
    std::vector<Value> values;
    for (const Term& term : results) values.push_back(term(point));
    return values;
  }

  bool empty = false;
  std::vector<std::string> names;
  std::vector<Term> results;
  std::vector<BoundedTerm> facts;

 private:
  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Take(const std::string& token) {
    Skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  std::string Word() {
    Skip();
    size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.')) {
      ++at_;
    }
    return text_.substr(from, at_ - from);
  }

  template <typename Op>
  static Term Both(Term a, Term b, Op op) {
    return [=](const Point& p) -> Value {
      Value x = a(p), y = b(p);
      if (!x || !y) return std::nullopt;
      return op(*x, *y);
    };
  }
  static Value Floor(const Number& a, const Number& b) {
    if (b == 0) return std::nullopt;
    Number n = b < 0 ? -a : a, d = b < 0 ? -b : b, q = n / d;
    return q * d > n ? q - 1 : q;
  }

  Term Sum() {
    Term sum = Product();
    while (true) {
      Skip();
      if (text_.compare(at_, 2, "->") == 0) return sum;
      if (Take("+")) {
        sum = Both(sum, Product(), [](const Number& a, const Number& b) -> Value { return a + b; });
      } else if (Take("-")) {
        sum = Both(sum, Product(), [](const Number& a, const Number& b) -> Value { return a - b; });
      } else {
        return sum;
      }
    }
  }
  Term Product() {
    Term left = Unary();
    while (true) {
      if (Take("*")) {
        left = Both(left, Unary(), [](const Number& a, const Number& b) -> Value { return a * b; });
      } else if (Take("floordiv")) {
        left = Both(left, Unary(), Floor);
      } else if (Take("ceildiv")) {
        left = Both(left, Unary(), [](const Number& a, const Number& b) -> Value {
          Value q = Floor(-a, b);
          return q ? Value(-*q) : q;
        });
      } else if (Take("mod")) {
        left = Both(left, Unary(), [](const Number& a, const Number& b) -> Value {
          return b > 0 ? Value(a - b * *Floor(a, b)) : std::nullopt;
        });
      } else {
        return left;
      }
    }
  }
  Term Unary() {
    if (Take("-")) {
      Term of = Unary();
      return [=](const Point& p) -> Value {
        Value v = of(p);
        return v ? Value(-*v) : v;
      };
    }
    if (Take("(")) {
      Term inner = Sum();
      Take(")");
      return inner;
    }
    std::string word = Word();
    if ((word == "min" || word == "max") && Take("(")) return Extremum(word == "min");
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      Number value(0);
      for (char c : word) value = value * 10 + (c - '0');
      return [=](const Point&) -> Value { return value; };
    }
    auto at = static_cast<size_t>(std::find(names.begin(), names.end(), word) - names.begin());
    return [=](const Point& p) -> Value { return p[at]; };
  }
  Term Extremum(bool is_min) {
    Term best = Sum();
    while (Take(",")) {
      best = Both(best, Sum(), [=](const Number& a, const Number& b) -> Value {
        return is_min == (a < b) ? a : b;
      });
    }
    Take(")");
    return best;
  }

  std::string text_;
  size_t at_ = 0;
};

}  // namespace affirm

#endif  // AFFIRM_TESTS_DIFFERENTIAL_TEXT_MAP_H_
