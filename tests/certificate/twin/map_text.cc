#include "tests/certificate/twin/map_text.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "tests/certificate/twin/certificate_text.h"
#include "tests/certificate/twin/rejection.h"

namespace twin {
namespace {

constexpr int kDeepest = 400;
constexpr size_t kMostDigits = 19;
constexpr std::array<std::string_view, 7> kKeywords = {"floordiv", "ceildiv", "mod",   "min",
                                                       "max",      "in",      "domain"};
constexpr std::string_view kSymbols = "()[]{},:+-*";

bool IsLetter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_'; }
bool IsName(std::string_view token) { return !token.empty() && IsLetter(token[0]); }
bool IsDigits(std::string_view token) { return !token.empty() && IsDigit(token[0]); }

// The tokens of a text; the empty token is its end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : left_(text) { Advance(); }

  std::string_view peek() const { return token_; }
  std::string_view Next() {
    const std::string_view token = token_;
    Advance();
    return token;
  }
  bool Takes(std::string_view token) {
    if (token_ != token) return false;
    Advance();
    return true;
  }
  void ExpectToken(std::string_view token) {
    if (!Takes(token)) Refuse("expected '" + std::string(token) + "' in a map");
  }

 private:
  void Advance() {
    left_.remove_prefix(std::min(left_.find_first_not_of(' '), left_.size()));
    size_t size = left_.empty() ? 0 : 1;
    if (IsName(left_)) {
      while (size < left_.size() && (IsLetter(left_[size]) || IsDigit(left_[size]))) ++size;
    } else if (IsDigits(left_)) {
      while (size < left_.size() && IsDigit(left_[size])) ++size;
      Expect(size <= kMostDigits, "a number has more than 19 digits");
    } else if (left_.starts_with("->")) {
      size = 2;
    } else if (!left_.empty()) {
      Expect(kSymbols.find(left_[0]) != kSymbols.npos, "a map has no such character");
    }
    token_ = left_.substr(0, size);
    left_.remove_prefix(size);
  }

  std::string_view left_, token_;
};

// Reads terms over the variables that have these names.
class TermReader {
 public:
  TermReader(Tokens& tokens, const Names& names) : tokens_(tokens) {
    for (size_t i = 0; i < names.size(); ++i) numbers_[names[i]] = i;
  }

  Term Read() {
    term_.clear();
    Sum(0);
    return std::move(term_);
  }

 private:
  void Put(Op op) { term_.push_back({op, 0, 0}); }
  void PutNumber(Integer number) { term_.push_back({Op::kNumber, 0, std::move(number)}); }

  void Sum(int depth) {
    Expect(depth <= kDeepest, "a term is nested too deep");
    Product(depth);
    while (tokens_.peek() == "+" || tokens_.peek() == "-") {
      const Op op = tokens_.Next() == "+" ? Op::kAdd : Op::kSubtract;
      Product(depth);
      Put(op);
    }
  }

  // All four operators bind alike, from the left.
  void Product(int depth) {
    static const std::map<std::string_view, Op> operators = {{"*", Op::kMultiply},
                                                             {"floordiv", Op::kFloor},
                                                             {"ceildiv", Op::kCeiling},
                                                             {"mod", Op::kModulo}};
    Unary(depth);
    for (auto op = operators.find(tokens_.peek()); op != operators.end();
         op = operators.find(tokens_.peek())) {
      tokens_.Next();
      Unary(depth);
      Put(op->second);
    }
  }

  // The minus of a number belongs to it.
  void Unary(int depth) {
    Expect(depth <= kDeepest, "a term is nested too deep");
    if (!tokens_.Takes("-")) return Primary(depth);
    if (IsDigits(tokens_.peek())) return PutNumber(-Integer(std::string(tokens_.Next()), 10));
    PutNumber(0);
    Unary(depth + 1);
    Put(Op::kSubtract);
  }

  void Primary(int depth) {
    const std::string_view token = tokens_.Next();
    if (IsDigits(token)) {
      PutNumber(Integer(std::string(token), 10));
    } else if (token == "(") {
      Sum(depth + 1);
      tokens_.ExpectToken(")");
    } else if (token == "min" || token == "max") {
      tokens_.ExpectToken("(");
      Sum(depth + 1);
      tokens_.ExpectToken(",");
      Sum(depth + 1);
      tokens_.ExpectToken(")");
      Put(token == "min" ? Op::kMin : Op::kMax);
    } else {
      const auto at = numbers_.find(token);
      if (at == numbers_.end()) Refuse("there is no variable '" + std::string(token) + "'");
      term_.push_back({Op::kVariable, at->second, 0});
    }
  }

  Tokens& tokens_;
  std::map<std::string, size_t, std::less<>> numbers_;
  Term term_;
};

Names ReadNames(Tokens& tokens, std::string_view closing) {
  Names names;
  if (tokens.Takes(closing)) return names;
  do {
    names.emplace_back(tokens.Next());
    Expect(IsName(names.back()), "expected the name of a variable");
    for (std::string_view keyword : kKeywords)
      Expect(names.back() != keyword, "a keyword is no name of a variable");
  } while (tokens.Takes(","));
  tokens.ExpectToken(closing);
  return names;
}

// An end of a range; the outermost number of 64 bits stands for none.
std::optional<Integer> ReadEnd(Tokens& tokens, const Integer& infinite) {
  static const Integer least("-9223372036854775808"), most("9223372036854775807");
  const bool is_negative = tokens.Takes("-");
  const std::string digits(tokens.Next());
  Expect(IsDigits(digits), "expected a bound");
  Integer end(digits, 10);
  if (is_negative) end = -end;
  Expect(least <= end && end <= most, "a bound has more than 64 bits");
  return end == infinite ? std::nullopt : std::optional(end);
}

std::vector<Constraint> ReadDomain(Tokens& tokens, TermReader& terms) {
  static const Integer least("-9223372036854775808"), most("9223372036854775807");
  std::vector<Constraint> domain;
  do {
    Constraint c;
    c.subject = terms.Read();
    tokens.ExpectToken("in");
    tokens.ExpectToken("[");
    c.lower = ReadEnd(tokens, least);
    tokens.ExpectToken(",");
    c.upper = ReadEnd(tokens, most);
    tokens.ExpectToken("]");
    domain.push_back(std::move(c));
  } while (tokens.Takes(","));
  return domain;
}

}  // namespace

std::optional<Map> ReadMap(std::string_view text) {
  if (text == "KNOWN EMPTY") return std::nullopt;
  Tokens tokens(text);
  tokens.ExpectToken("(");
  const Names dims = ReadNames(tokens, ")");
  const Names ranges = tokens.Takes("[") ? ReadNames(tokens, "]") : Names();
  const Names runtime = tokens.Takes("{") ? ReadNames(tokens, "}") : Names();
  Map map;
  map.runtime = runtime.size(), map.dims = dims.size(), map.ranges = ranges.size();
  for (const Names* part : {&runtime, &dims, &ranges})
    map.names.insert(map.names.end(), part->begin(), part->end());
  Expect(std::set(map.names.begin(), map.names.end()).size() == map.names.size(),
         "two variables have one name");
  TermReader terms(tokens, map.names);
  tokens.ExpectToken("->");
  tokens.ExpectToken("(");
  if (!tokens.Takes(")")) {
    do map.results.push_back(terms.Read());
    while (tokens.Takes(","));
    tokens.ExpectToken(")");
  }
  if (tokens.Takes(",")) {
    tokens.ExpectToken("domain");
    tokens.ExpectToken(":");
    map.domain = ReadDomain(tokens, terms);
  }
  Expect(tokens.peek().empty(), "there is text behind a map");
  return map;
}

std::vector<Term> ReadTerms(std::string_view text, const Names& names) {
  Tokens tokens(text);
  TermReader reader(tokens, names);
  std::vector<Term> terms;
  if (tokens.peek().empty()) return terms;
  do terms.push_back(reader.Read());
  while (tokens.Takes(","));
  Expect(tokens.peek().empty(), "there is text behind a term");
  return terms;
}

}  // namespace twin
