#include "verify/lemma/lemma.h"

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/lemma/machine_code.h"
#include "verify/lemma/store.h"

namespace affirm::lemma {

namespace {

// More operations that may give either zero would each double the work.
constexpr int kMostChoices = 6;

std::string Hex(uint64_t bits) { return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true); }

// "they differ where x0 = 0x3c00 and x1 = 0x8000: 0x3a and 0x3b"
std::string Difference(const Statement& statement, const SidesAtPoint& sides, uint32_t point) {
  std::string text = "they differ where ";
  for (const auto& [k, leaf] : llvm::enumerate(statement.leaves)) {
    const uint64_t bits = (uint64_t{point} >> leaf.first) & ((uint64_t{1} << leaf.width) - 1);
    text += (k > 0 ? " and x" : "x") + std::to_string(k) + " = " + Hex(bits);
  }
  auto side = [](uint64_t bits, bool is_open) { return is_open ? "unspecified" : Hex(bits); };
  return text + ": " + side(sides.left, sides.left_is_open != 0) + " and " +
         side(sides.right, sides.right_is_open != 0);
}

// The first point of a block at which the sides differ.
uint32_t FirstDifference(const MachineCode& code, uint32_t begin, uint32_t count,
                         uint32_t choices) {
  while (count > 1) {
    const uint32_t half = count / 2;
    if (code.CountDifferences(begin, half, choices) > 0) {
      count = half;
    } else {
      begin += half;
      count -= half;
    }
  }
  return begin;
}

Lemma Exhaust(const Statement& statement, int64_t most_work) {
  Lemma lemma;
  lemma.bits = statement.bits;
  const int64_t points = int64_t{1} << statement.bits;
  const auto nodes = static_cast<int64_t>(statement.nodes.size());
  auto code = MachineCode::Create(statement);
  if (!code) {
    lemma.reason = llvm::toString(code.takeError());
    return lemma;
  }
  const int num_choices = code->num_choices();
  if (num_choices > kMostChoices || (points * nodes) << num_choices > most_work) {
    lemma.reason = "there are too many values to try";
    return lemma;
  }
  constexpr int64_t kBlock = int64_t{1} << 16;
  for (uint32_t choices = 0; choices < 1u << num_choices; ++choices) {
    for (int64_t begin = 0; begin < points; begin += kBlock) {
      const auto first = static_cast<uint32_t>(begin);
      const auto count = static_cast<uint32_t>(std::min(kBlock, points - begin));
      if (code->CountDifferences(first, count, choices) == 0) continue;
      const uint32_t point = FirstDifference(*code, first, count, choices);
      lemma.verdict = Verdict::kRefuted;
      lemma.reason = Difference(statement, code->Evaluate(point, choices), point);
      return lemma;
    }
  }
  lemma.verdict = Verdict::kProved;
  return lemma;
}

}  // namespace

std::string Lemma::Name() const { return ExhaustionText({bits}); }

std::string ExhaustionText(const std::set<int>& bits) {
  std::vector<std::string> powers;
  powers.reserve(bits.size());
  for (int of : bits) powers.push_back("2^" + std::to_string(of));
  return bits.empty() ? "" : "exhaustion over " + llvm::join(powers, " and ") + " values";
}

Lemma ProveLemma(const Statement& statement, int64_t most_work) {
  Store& store = Store::OfProcess();
  const std::string text = statement.Text();
  if (std::optional<Lemma> known = store.Find(text, statement.bits)) return *known;
  Lemma lemma = Exhaust(statement, most_work);
  store.Keep(text, lemma);
  return lemma;
}

}  // namespace affirm::lemma
