// A recursive-descent reader of maps in XLA's text form.
#include "verify/certificate/map_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace affirm::certificate {
namespace {

constexpr int kMaxDepth = 500;
class Reader {
 public:
  Reader(std::string_view text, Integers& integers) : text_(text), integers_(integers) {}

  bool Read(Map& map) {
    if (Take("KNOWN EMPTY")) {
      map.empty = true;
      return AtEnd();
    }
    if (!Names("(", ")", map.dims) || !Names("[", "]", map.ranges) ||
        !Names("{", "}", map.runtime) || !Need("->") || !Need("(")) {
      return false;
    }
    while (!Take(")")) {
      if (!map.results.empty() && !Need(",")) return false;
      map.results.push_back(Sum());
      if (failed_) return false;
    }
    map.names = names_;
    map.facts.resize(names_.size());
    for (size_t k = 0; k < names_.size(); ++k) {
      map.facts[k].form = integers_.Variable(static_cast<int>(k));
    }
    if (Take(",") && !Domain(map)) return false;
    return AtEnd() && DivisorsHaveValues(map);
  }

  std::string Problem() const {
    return "expected " + expected_ + " at column " + std::to_string(at_ + 1);
  }

 private:
  void Space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Fail(std::string expected) {
    if (!failed_) expected_ = std::move(expected);
    failed_ = true;
    return false;
  }
  bool AtEnd() {
    Space();
    return at_ == text_.size() || Fail("the end of the map");
  }
  static bool IsWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  }
  // Punctuation, or a whole word.
  bool Take(std::string_view token) {
    Space();
    if (text_.substr(at_, token.size()) != token) return false;
    size_t end = at_ + token.size();
    if (IsWord(token.back()) && end < text_.size() && IsWord(text_[end])) return false;
    at_ = end;
    return true;
  }
  bool Need(std::string_view token) { return Take(token) || Fail("'" + std::string(token) + "'"); }
  std::string Word() {
    Space();
    size_t from = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  // A quotient by 0 and a residue modulo less than 1 have no value: there is no such map.
  bool DivisorsHaveValues(const Map& map) {
    for (const Integers::Divisor& divisor : integers_.TakeDivisors()) {
      Range range = integers_.Bounds(divisor.form, map.facts);
      bool positive = range.lower && *range.lower > 0;
      bool negative = range.upper && *range.upper < 0;
      if (!positive && (divisor.is_modulus || !negative)) {
        return Fail(divisor.is_modulus ? "a positive modulus" : "a divisor that is never 0");
      }
    }
    return true;
  }

  // A list of names in brackets; only the first kind of list must be there.
  bool Names(const char* open, const char* close, size_t& count) {
    if (!Take(open)) return open[0] != '(' || Fail("'('");
    while (!Take(close)) {
      if (count > 0 && !Need(",")) return false;
      std::string name = Word();
      bool is_word = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
      if (!is_word || std::count(names_.begin(), names_.end(), name) > 0) {
        return Fail("a new name");
      }
      names_.push_back(name);
      ++count;
    }
    return true;
  }

  bool Domain(Map& map) {
    if (!Need("domain:")) return false;
    Space();
    while (at_ < text_.size()) {
      Form form = Sum();
      Fact fact{form, {}};
      if (failed_ || !Need("in") || !Need("[") || !End(fact.range.lower, INT64_MIN) || !Need(",") ||
          !End(fact.range.upper, INT64_MAX) || !Need("]")) {
        return false;
      }
      size_t k = 0;
      while (k < names_.size() && map.facts[k].form != form) ++k;
      if (k < names_.size() && map.facts[k].range == Range{}) {
        map.facts[k].range = fact.range;
      } else {
        map.facts.push_back(std::move(fact));
      }
      Space();
      if (at_ < text_.size() && !Need(",")) return false;
      Space();
    }
    return true;
  }

  // An end of a range, of 64 bits; the limit on its side is infinite.
  bool End(std::optional<Int>& end, int64_t infinite) {
    bool negative = Take("-");
    end = Number();
    if (!end) return false;
    if (negative) end = -*end;
    if (*end < INT64_MIN || *end > INT64_MAX) return Fail("a number of 64 bits");
    if (*end == infinite) end.reset();
    return true;
  }

  std::optional<Int> Number() {
    Space();
    size_t from = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    std::optional<Int> value = Int::Read(text_.substr(from, at_ - from));
    if (!value) Fail("a number");
    return value;
  }

  Form Sum() {
    Form sum = Product();
    for (;;) {
      if (LooksAtArrow()) return sum;
      if (Take("+")) {
        sum = integers_.Add(std::move(sum), Product());
      } else if (Take("-")) {
        sum = integers_.Add(std::move(sum), Product(), -1);
      } else {
        return sum;
      }
      if (failed_) return {};
    }
  }
  bool LooksAtArrow() {
    Space();
    return text_.substr(at_, 2) == "->";
  }

  Form Product() {
    Form left = Primary();
    while (!failed_) {
      if (Take("*")) {
        left = integers_.Multiply(left, Primary());
      } else if (Take("floordiv") || Take("/")) {
        left = integers_.FloorDiv(std::move(left), Primary());
      } else if (Take("ceildiv")) {
        left = integers_.CeilDiv(left, Primary());
      } else if (Take("mod") || Take("%")) {
        left = integers_.Mod(left, Primary());
      } else {
        return left;
      }
      if (integers_.broken()) Fail("fewer terms and divisors other than 0");
    }
    return {};
  }

  Form Primary() {
    if (++depth_ > kMaxDepth) Fail("fewer parentheses");
    Form form = failed_ ? Form() : PrimaryWithin();
    --depth_;
    return form;
  }

  Form PrimaryWithin() {
    Space();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      return integers_.Constant(Number().value_or(0));
    }
    if (Take("-")) return integers_.Add({}, Primary(), -1);
    if (Take("(")) {
      Form inner = Sum();
      Need(")");
      return inner;
    }
    std::string name = Word();
    if (name == "min" || name == "max") return Extremum(name == "min");
    auto known = std::find(names_.begin(), names_.end(), name);
    if (name.empty() || known == names_.end()) return Fail("a term"), Form();
    return integers_.Variable(static_cast<int>(known - names_.begin()));
  }

  Form Extremum(bool is_min) {
    std::vector<Form> operands;
    if (!Need("(")) return {};
    do {
      operands.push_back(Sum());
    } while (!failed_ && Take(","));
    if (!Need(")")) return {};
    return is_min ? integers_.Min(std::move(operands)) : integers_.Max(std::move(operands));
  }

  std::string_view text_;
  Integers& integers_;
  std::vector<std::string> names_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  std::string expected_;
};

}  // namespace

bool ReadMap(std::string_view text, Integers& integers, Map& map, std::string& problem) {
  Reader reader(text, integers);
  if (reader.Read(map) && !integers.broken()) return true;
  problem = integers.broken()
                ? "a divisor is 0, a modulus is not positive or a product is too large"
                : reader.Problem();
  return false;
}

}  // namespace affirm::certificate
