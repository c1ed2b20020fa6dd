#include "verify/certificate/check.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace affirm::certificate {
namespace {

constexpr std::string_view kHeader = "affirm certificate 1";

Int FloorOf(Int a, Int b) {  // b > 0
  Int q = a / b;
  return a % b < 0 ? q - 1 : q;
}

std::string Text(Int v) {
  if (v < 0) return "-" + Text(-v);
  if (v < 10) return std::string(1, static_cast<char>('0' + static_cast<int>(v)));
  return Text(v / 10) + Text(v % 10);
}

bool Within(const Range& inner, const Range& outer) {
  return (!outer.lower || (inner.lower && *inner.lower >= *outer.lower)) &&
         (!outer.upper || (inner.upper && *inner.upper <= *outer.upper));
}

// Whether some fact says just this.
bool IsPlain(const Fact& fact, const std::vector<Fact>& facts) {
  if (fact.range == Range{}) return true;
  return std::any_of(facts.begin(), facts.end(), [&](const Fact& known) {
    return known.form == fact.form && Within(known.range, fact.range);
  });
}

// One line of a certificate: "map ...", or "  NAME: hint".
struct Line {
  size_t number = 0;
  std::string text;
};

class HintReader {
 public:
  explicit HintReader(const std::string& text) : in_(text) {}

  // "scale 4, use fact 2 * -1, modulo fact 3 * 5"; all parts may be absent.
  bool Read(Hint& hint) {
    std::string part;
    while (std::getline(in_, part, ',')) {
      std::istringstream words(part);
      std::string kind, fact, star, rest;
      long long a = 0, b = 0;
      if (!(words >> kind)) continue;  // "fact 2: " is the plain reason
      if (kind == "scale") {
        if (!(words >> a) || a < 1) return false;
        hint.scale = a;
      } else if (kind == "use" || kind == "modulo") {
        if (!(words >> fact >> a >> star >> b) || fact != "fact" || star != "*" || a < 0) {
          return false;
        }
        (kind == "use" ? hint.use : hint.modulo).push_back({static_cast<size_t>(a), b});
      } else {
        return false;
      }
      if (words >> rest) return false;
    }
    return true;
  }

 private:
  std::istringstream in_;
};

// The hints of one step, by claim.
using Hints = std::map<std::string, std::vector<Hint>>;

bool ReadHint(const std::string& line, Hints& hints) {
  size_t colon = line.find(':'), from = line.find_first_not_of(' ');
  if (colon == std::string::npos || from >= colon) return false;
  return HintReader(line.substr(colon + 1))
      .Read(hints[line.substr(from, colon - from)].emplace_back());
}

// Why the step does not hold; empty when it does.
std::string CheckStep(Integers& integers, const Map& from, const Map& to, const Hints& hints) {
  std::vector<std::vector<Fact>> others;
  std::string problem;
  std::vector<Claim> claims = ClaimsOf(integers, from, to, others, problem);
  if (!problem.empty()) return problem;
  std::set<std::string> used;
  bool any = false;
  for (const Claim& claim : claims) {
    auto given = hints.find(claim.name);
    if (given != hints.end()) used.insert(claim.name);
    bool follows =
        Follows(integers, claim, given == hints.end() ? std::vector<Hint>{{}} : given->second);
    any |= follows;
    if (!follows && !to.empty) return claim.name + " does not follow";
  }
  if (to.empty && !from.empty && !any) return "no fact contradicts the others";
  return used.size() == hints.size() ? "" : "a hint speaks of something that is not claimed";
}

}  // namespace

Range RangeByHint(Integers& integers, const Form& form, const std::vector<Fact>& facts,
                  const Hint& hint) {
  Form rest = integers.Add({}, form, hint.scale), residue = form;
  Range used{0, 0};
  for (const Hint::Use& use : hint.use) {
    if (use.fact >= facts.size()) return {};
    rest = integers.Add(std::move(rest), facts[use.fact].form, -use.times);
    used = integers.Sum(used, integers.Scaled(facts[use.fact].range, use.times));
  }
  for (const Hint::Use& use : hint.modulo) {
    if (use.fact >= facts.size() || !facts[use.fact].range.IsPoint()) return {};
    residue = integers.Add(std::move(residue), facts[use.fact].form, -use.times);
    residue = integers.Add(std::move(residue), integers.Constant(*facts[use.fact].range.lower),
                           use.times);
  }
  Range range = integers.Sum(integers.Bounds(rest, facts), used);
  if (hint.scale < 1 || integers.broken()) return {};
  Int g = CommonFactor(residue), c = ConstantOf(residue);
  if (g == 0) return {c, c};
  // The integers between the ends that are c modulo g.
  if (range.lower) {
    Int least = -FloorOf(-*range.lower, hint.scale);
    range.lower = c - g * FloorOf(c - least, g);
  }
  if (range.upper) {
    Int most = FloorOf(*range.upper, hint.scale);
    range.upper = c + g * FloorOf(most - c, g);
  }
  return range;
}

bool Follows(Integers& integers, const Claim& claim, const std::vector<Hint>& hints) {
  bool lower = !claim.range.lower, upper = !claim.range.upper;
  for (const Hint& hint : hints) {
    Range found = RangeByHint(integers, claim.form, *claim.facts, hint);
    // Bounds that exclude each other: the facts are never all true.
    bool never = found.lower && found.upper && *found.lower > *found.upper;
    lower |= never || (found.lower && claim.range.lower && *found.lower >= *claim.range.lower);
    upper |= never || (found.upper && claim.range.upper && *found.upper <= *claim.range.upper);
  }
  return lower && upper && !integers.broken();
}

std::vector<Claim> ClaimsOf(Integers& integers, const Map& from, const Map& to,
                            std::vector<std::vector<Fact>>& others, std::string& problem) {
  std::vector<Claim> claims;
  if (from.empty) {
    if (!to.empty) problem = "nothing is equal to an empty map but an empty map";
    return claims;
  }
  if (to.empty) {
    others.reserve(2 * from.facts.size());
    for (size_t j = 0; j < from.facts.size(); ++j) {
      const Fact& fact = from.facts[j];
      others.push_back(from.facts);
      others.back().erase(others.back().begin() + static_cast<std::ptrdiff_t>(j));
      std::string name = "empty " + std::to_string(j);
      if (fact.range.upper) {
        claims.push_back(
            {name, fact.form, {integers.CheckedAdd(*fact.range.upper, 1), {}}, &others.back()});
      }
      if (fact.range.lower) {
        claims.push_back(
            {name, fact.form, {{}, integers.CheckedAdd(*fact.range.lower, -1)}, &others.back()});
      }
    }
    return claims;
  }
  if (from.dims != to.dims || from.ranges != to.ranges || from.runtime != to.runtime ||
      from.results.size() != to.results.size()) {
    problem = "the maps have different variables or numbers of results";
    return claims;
  }
  for (size_t k = 0; k < from.results.size(); ++k) {
    Form difference = integers.Add(from.results[k], to.results[k], -1);
    if (difference.empty()) continue;
    claims.push_back({"result " + std::to_string(k), difference, {0, 0}, &from.facts});
  }
  auto entails = [&](const Map& a, const Map& b, const char* name) {
    for (size_t j = 0; j < b.facts.size(); ++j) {
      if (IsPlain(b.facts[j], a.facts)) continue;
      claims.push_back({name + std::to_string(j), b.facts[j].form, b.facts[j].range, &a.facts});
    }
  };
  entails(from, to, "fact ");
  entails(to, from, "back ");
  return claims;
}

std::string ToString(const Hint& hint) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (hint.scale != 1) add("scale " + Text(hint.scale));
  auto uses = [&](const char* kind, const std::vector<Hint::Use>& list) {
    for (const Hint::Use& u : list) {
      add(std::string(kind) + " fact " + std::to_string(u.fact) + " * " + Text(u.times));
    }
  };
  uses("use", hint.use);
  uses("modulo", hint.modulo);
  return text;
}

Verdict Check(std::string_view text) {
  Verdict verdict;
  std::istringstream in{std::string(text)};
  std::string line;
  size_t number = 0;
  auto reject = [&](const std::string& why) {
    verdict.problem = "line " + std::to_string(number) + ": " + why;
    return verdict;
  };
  Map current, next;
  bool started = false, ended = false;
  Hints hints;
  Integers integers;
  while (std::getline(in, line)) {
    if (++number == 1) {
      if (line != kHeader) return reject("expected '" + std::string(kHeader) + "'");
    } else if (line.empty() || line[0] == '#') {
      continue;
    } else if (ended) {
      return reject("nothing may follow 'end'");
    } else if (line == "end") {
      ended = true;
    } else if (line[0] == ' ') {
      if (!started || !ReadHint(line, hints)) return reject("expected a hint");
    } else if (line.starts_with("map ")) {
      next = Map();
      std::string problem;
      if (!ReadMap(line.substr(4), integers, next, problem)) return reject(problem);
      if (started) {
        problem = CheckStep(integers, current, next, hints);
        if (integers.broken()) problem = "numbers leave 128 bits";
        if (!problem.empty()) return reject(problem);
        ++verdict.steps;
      }
      (started ? verdict.last : verdict.first) = line.substr(4);
      if (!started) verdict.last = verdict.first;
      started = true;
      current = next;
      hints.clear();
    } else {
      return reject("expected 'map', a hint, a comment or 'end'");
    }
  }
  if (!started || !ended || !hints.empty()) return reject("the certificate is cut short");
  verdict.accepted = true;
  return verdict;
}

}  // namespace affirm::certificate
