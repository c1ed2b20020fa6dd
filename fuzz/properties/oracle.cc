// Pairs of maps that differ a little, and the verdicts of the engines next to enumeration.
#include "fuzz/properties/oracle.h"

#include "core/simplify/simplify.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/enumerated_map.h"
#include "verify/maps/maps.h"

namespace affirm::fuzz {

std::pair<IndexingMap, IndexingMap> GeneratePair(llvm::ArrayRef<uint8_t> bytes, Context& context) {
  Choices choices(bytes);
  const bool simplified = choices.OneIn(3);
  const uint64_t place = choices.Between(3, 40);
  const uint64_t change = choices.Between(1, 7);
  const llvm::ArrayRef<uint8_t> rest = bytes.drop_front(std::min<size_t>(bytes.size(), 3));
  std::vector<uint8_t> other = rest.vec();
  if (place < other.size()) other[place] ^= change;
  MapLimits limits;
  limits.max_points = 500;
  Choices first(rest), second(other);
  IndexingMap a = GenerateMap(first, context, limits);
  IndexingMap b = simplified ? Simplify(a) : GenerateMap(second, context, limits);
  return {std::move(a), std::move(b)};
}

OracleCheck CheckOracle(const IndexingMap& a, const IndexingMap& b) {
  auto meaning_a = Enumerate(a), meaning_b = Enumerate(b);
  if (!meaning_a || !meaning_b) return {};
  const bool comparable =
      a.dims().size() == b.dims().size() && a.runtime().size() == b.runtime().size();
  const std::string difference = Difference(*meaning_a, *meaning_b);
  DecideOptions options;
  options.budget.z3_rlimit = 2'000'000;
  options.budget.isl_operations = 500'000;
  options.budget.wall_ms = 600'000;
  for (bool cross_check : {false, true}) {
    options.cross_check = cross_check;
    const MapProofResult answer = ProveEqual(a, b, options);
    if (answer.verdict == Verdict::kUnknown) {
      return {OracleCheck::Kind::kUnknown, answer.reason, answer.reason};
    }
    const bool same = answer.verdict == Verdict::kProved;
    if (!comparable || same == difference.empty()) continue;
    return {OracleCheck::Kind::kWrong,
            std::string("the engine ") + Name(answer.engine) + " says " +
                (same ? "equal" : "different"),
            difference.empty() ? "enumeration finds no difference" : "enumerated: " + difference};
  }
  return {};
}

}  // namespace affirm::fuzz
