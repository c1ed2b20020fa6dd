// libFuzzer: the bytes choose a map and a width; the verdict is what executing its code says.
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/machine_int_oracle.h"
#include "fuzz/targets/abort_if_wrong.h"
#include "verify/width/width.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace affirm;
  Context context;
  fuzz::Choices choices({data, size});
  const IndexingMap map = fuzz::GenerateMap(choices, context, {.max_depth = 3, .max_points = 300});
  if (map.state() != IndexingMap::State::kNormal) return 0;
  const auto width = static_cast<unsigned>(choices.Between(1, 16));
  const Signedness signedness = choices.OneIn(2) ? Signedness::kUnsigned : Signedness::kSigned;
  DecideOptions options;
  options.budget.z3_rlimit = 1'000'000;
  options.budget.isl_operations = 1'000'000;
  options.budget.wall_ms = 600'000;
  const WidthResult answer = ProveWidth(map, width, signedness, options);
  const std::optional<bool> overflows = fuzz::OverflowsSomewhere(map, width, signedness);
  if (!overflows || answer.verdict == Verdict::kUnknown) return 0;
  const bool right = (answer.verdict == Verdict::kRefuted) == *overflows;
  fuzz::AbortIfWrong(map.ToString() + " in " + std::to_string(width) + " bits, " + Name(signedness),
                     right ? "" : std::string(Name(answer.verdict)) + ", which is wrong");
  return 0;
}
