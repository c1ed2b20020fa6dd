// Long sweep: forged certificates that aim at the limits of arithmetic. What is accepted is true.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "core/simplify/simplify.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/differential/cases.h"
#include "tests/differential/text_map.h"
#include "verify/certificate/check.h"
#include "verify/rules/certify.h"

namespace affirm {
namespace {

using Number = TextMap::Number;

std::string TextOf(const Number& v) {
  std::string text;
  llvm::raw_string_ostream(text) << v;
  return text;
}

// Numbers at which machine arithmetic goes wrong, and their neighbors.
std::string Extreme(Draw& draw) {
  static const unsigned kBits[] = {31, 32, 62, 63, 64, 65, 126, 127, 128, 129, 191, 255};
  Number v(1);
  for (unsigned k = kBits[draw.Pick(0, 11)]; k > 0; --k) v *= 2;
  v += draw.Pick(-2, 2);
  if (draw.OneIn(6)) v *= draw.Pick(2, 7);
  return TextOf(v);
}

std::string SomeNumber(Draw& draw) {
  return draw.OneIn(2) ? std::to_string(draw.Pick(0, 9)) : Extreme(draw);
}

// The least and greatest values near which a variable is looked at.
std::vector<Number> Candidates(int variable, const TextMap& a, const TextMap& b) {
  std::set<Number> ends;
  for (const TextMap* map : {&a, &b}) {
    for (const TextMap::BoundedTerm& fact : map->facts) {
      if (fact.variable != variable) continue;
      for (int by : {-1, 0, 1, 2, 3, 4}) ends.insert(fact.lower + by);
      for (int by : {-1, 0, 1}) ends.insert(fact.upper + by);
    }
  }
  if (ends.empty()) ends = {Number(-5), Number(0), Number(1), Number(3), Number(INT64_MAX)};
  return {ends.begin(), ends.end()};
}

// A point at which the two maps differ; empty when none was found.
std::string Difference(const std::string& first, const std::string& last) {
  TextMap a(first), b(last);
  size_t count = std::max(a.names.size(), b.names.size());
  std::vector<std::vector<Number>> values;
  for (size_t k = 0; k < count; ++k) values.push_back(Candidates(static_cast<int>(k), a, b));
  std::vector<size_t> at(count, 0);
  for (int64_t tries = 0; tries < 3000; ++tries) {
    TextMap::Point point;
    for (size_t k = 0; k < count; ++k) point.push_back(values[k][at[k]]);
    bool in_a = a.Contains(point), in_b = b.Contains(point);
    if (in_a != in_b || (in_a && a.At(point) != b.At(point))) {
      std::string text;
      llvm::raw_string_ostream os(text);
      for (const Number& v : point) os << v << " ";
      return text;
    }
    size_t k = 0;
    while (k < count && ++at[k] == values[k].size()) at[k++] = 0;
    if (k == count) break;
  }
  return "";
}

class CertificateSweep : public ::testing::Test {
 protected:
  ~CertificateSweep() override {
    std::printf("%lld certificates, %lld accepted\n", static_cast<long long>(all_),
                static_cast<long long>(accepted_));
  }

  void Judge(int64_t number, const std::string& text) {
    ++all_;
    certificate::CheckResult verdict = certificate::Check(text);
    if (!verdict.accepted) return;
    ++accepted_;
    EXPECT_EQ(Difference(verdict.first, verdict.last), "") << "case " << number << "\n" << text;
  }

  int64_t all_ = 0, accepted_ = 0;
};

// The numbers of a certificate's lines, comments and the header aside.
std::vector<std::pair<size_t, size_t>> NumbersOf(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> found;
  bool skip = true;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') skip = at + 1 < text.size() && text[at + 1] == '#';
    bool digit = std::isdigit(static_cast<unsigned char>(text[at]));
    bool in_name = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]));
    if (skip || !digit || in_name) continue;
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    found.push_back({at, end - at});
    at = end - 1;
  }
  return found;
}

void SweepOfSimplifications(const CaseStyle& style, int64_t cases,
                            llvm::function_ref<void(int64_t, const std::string&)> judge) {
  constexpr int64_t kForgeries = 20;
  for (int64_t number = 0; number < (NumCases(cases) + kForgeries - 1) / kForgeries; ++number) {
    Context context;
    Draw draw(number);
    MapDraw maps(draw, context, style);
    IndexingMap map = maps.Map(draw.Pick(1, 2), draw.Pick(0, 1), 0, draw.Pick(1, 2));
    Trace trace;
    IndexingMap after = Simplify(map, &trace);
    auto text = Certify(map, after, trace, RuleTable::Builtin());
    if (!text) {
      llvm::consumeError(text.takeError());
      continue;
    }
    judge(number, *text);
    for (int64_t k = 0; k < kForgeries; ++k) {
      std::string forged = *text;
      for (int64_t changes = draw.Pick(1, 3); changes > 0; --changes) {
        auto numbers = NumbersOf(forged);
        if (numbers.empty()) break;
        auto [at, size] = draw.Of(numbers);
        std::string other = SomeNumber(draw);
        if (draw.OneIn(4))
          other = std::to_string(std::stoi("0" + forged.substr(at, size).substr(0, 8)) +
                                 draw.Pick(1, 3));
        forged.replace(at, size, other);
      }
      judge(number, forged);
    }
  }
}

TEST_F(CertificateSweep, ChangedSimplifications) {
  SweepOfSimplifications({.max_points = 60, .runtime = false}, 2000,
                         [&](int64_t number, const std::string& text) { Judge(number, text); });
}
TEST_F(CertificateSweep, ChangedSimplificationsNearTheLimits) {
  SweepOfSimplifications({.max_points = 60, .near_limits = true, .runtime = false}, 2000,
                         [&](int64_t number, const std::string& text) { Judge(number, text); });
}

// A step between two maps that differ a little, with hints of any numbers.
std::string Forged(Draw& draw) {
  auto small = [&] { return std::to_string(draw.Pick(0, 4)); };
  auto bound = [&] {
    std::string end = draw.Of(std::vector<std::string>{
        "9223372036854775806", "9223372036854775805", "4611686018427387904", "-9223372036854775807",
        "1", "3", "0", "-1"});
    return "[" + end + ", " + end + "]";
  };
  std::vector<std::string> terms = {
      "d0",
      "d1",
      "d2",
      "d0 * " + small(),
      "d0 * " + Extreme(draw),
      "d0 * " + Extreme(draw) + " + d1 * " + Extreme(draw),
      "d0 mod " + Extreme(draw),
      "d0 floordiv " + Extreme(draw),
      "(d0 + " + Extreme(draw) + ") mod " + Extreme(draw),
      "d1 * d2",
      "d0 * d1 * " + Extreme(draw),
      "-" + Extreme(draw) + " - d0",
      "d0 + " + SomeNumber(draw),
      "(d0 * " + Extreme(draw) + ") floordiv " + Extreme(draw),
      "(d0 floordiv " + Extreme(draw) + ") floordiv -" + Extreme(draw)};
  std::string common = ", d1 in " + bound() + ", d2 in " + bound();
  if (draw.OneIn(2)) common += ", " + draw.Of(terms) + " in " + bound();
  if (draw.OneIn(3)) common += ", " + draw.Of(terms) + " in [" + small() + ", 6]";
  std::string result = draw.Of(terms);
  std::string other = draw.OneIn(2)   ? result
                      : draw.OneIn(2) ? draw.Of(terms)
                                      : result + " + " + SomeNumber(draw);
  auto map = [&](const std::string& term, int64_t lower, int64_t upper) {
    return "map (d0, d1, d2) -> (" + term + "), domain: d0 in [" + std::to_string(lower) + ", " +
           std::to_string(upper) + "]" + common + "\n";
  };
  int64_t lower = draw.Pick(0, 1), upper = draw.Pick(2, 4);
  std::string text = "affirm certificate 1\n" + map(result, lower, upper);
  for (int64_t n = draw.Pick(1, 4); n > 0; --n) {
    std::string claim = draw.Of(std::vector<std::string>{"result 0", "fact 0", "back 0", "empty 0",
                                                         "empty 1", "empty 3", "fact 0", "back 0"});
    std::string hint = "  " + claim + ": scale " + (draw.OneIn(2) ? "1" : SomeNumber(draw));
    for (int64_t k = draw.Pick(0, 3); k > 0; --k) {
      hint += draw.OneIn(2) ? ", use fact " : ", modulo fact ";
      hint += small() + " * " + (draw.OneIn(2) ? "-" : "") + SomeNumber(draw);
    }
    text += hint + "\n";
  }
  text += draw.OneIn(8) ? "map KNOWN EMPTY\n"
                        : map(other, draw.OneIn(2) ? lower : draw.Pick(0, 2),
                              draw.OneIn(2) ? upper : draw.Pick(2, 5));
  return text + "end\n";
}

// Hints whose multiples, of `factor` and each of 63 bits, add up to `total`.
std::string Pieces(const std::string& kind, int fact, Number total, int64_t factor) {
  const Number most = Number(INT64_MAX / factor * factor);
  std::string hints;
  while (total != 0) {
    Number piece = std::max(-most, std::min(most, total));
    hints += ", " + kind + " fact " + std::to_string(fact) + " * " + TextOf(piece);
    total -= piece;
  }
  return hints;
}

// A step that narrows the range of d0 or of a multiple of it. Its hints aim: residues at a
// constant, or slack at an end of a range, that is just within or just past the integers of some
// width.
std::string Aimed(Draw& draw) {
  static const unsigned kBits[] = {62, 63, 64, 126, 127, 127, 127, 128};
  Number target(1);
  for (unsigned k = kBits[draw.Pick(0, 7)]; k > 0; --k) target *= 2;
  target += draw.Pick(-20, 20);
  if (draw.OneIn(2)) target = -target;
  const int64_t value = INT64_MAX - draw.Pick(1, 9), factor = draw.Pick(1, 13);
  const int64_t lower = draw.Pick(-9, 0), upper = draw.Pick(1, 9);
  const bool residues = draw.OneIn(2);
  auto range = [](int64_t from, int64_t to) {
    return "[" + std::to_string(from) + ", " + std::to_string(to) + "]";
  };
  // d1 takes the large steps and d2 the small ones.
  const Number large = target / value / factor * factor;
  const Number rest = (target - large * value) / factor * factor;
  const char* kind = residues ? "modulo" : "use";
  std::string hint = "scale " + std::to_string(draw.OneIn(2) ? 1 : draw.Pick(2, 5)) +
                     Pieces(kind, 1, large, factor) + Pieces(kind, 2, rest, factor);
  const int64_t least = residues ? value : 0, one = residues ? 1 : 0;
  auto map = [&](int64_t from, int64_t to, int64_t a, int64_t b) {
    return "map (d0, d1, d2) -> (d0), domain: d0 in " + range(from, to) + ", d1 in " +
           range(least, value) + ", d2 in " + range(one, 1) + ", d0 * " + std::to_string(factor) +
           " + d1 * 0 + d2 - d2 in " + range(a, b) + "\n";
  };
  const int64_t a = factor * lower - draw.Pick(0, 2), b = factor * upper + draw.Pick(0, 2);
  std::string text = "affirm certificate 1\n" + map(lower, upper, a, b);
  const bool own = draw.OneIn(2) || factor == 1;
  const int64_t by = draw.Pick(0, 2), less = draw.Pick(0, 2);
  text += std::string(own ? "  fact 0: " : "  fact 3: ") + hint + "\n";
  if (draw.OneIn(2)) text += std::string(own ? "  fact 0: " : "  fact 3: ") + "\n";
  text += own ? map(lower + by, upper - less, a, b) : map(lower, upper, a + by, b - less);
  return text + "end\n";
}

TEST_F(CertificateSweep, Aimed) {
  for (int64_t number = 0; number < NumCases(5000); ++number) {
    Draw draw(number);
    Judge(number, Aimed(draw));
  }
}

TEST_F(CertificateSweep, Forgeries) {
  for (int64_t number = 0; number < NumCases(5000); ++number) {
    Draw draw(number);
    std::string text = Forged(draw);
    Judge(number, text);
    // A hint that speaks of no claim is refused: so the hints are taken away one by one, too.
    for (std::string less = text; less.find("\n  ") != std::string::npos;) {
      size_t from = less.find("\n  "), to = less.find('\n', from + 1);
      less.erase(from, to - from);
      Judge(number, less);
    }
  }
}

}  // namespace
}  // namespace affirm
