// libFuzzer: the bytes choose a map; every operation of the core must keep its enumerated sets.
#include <cstdio>
#include <cstdlib>

#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/map_operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  affirm::Context context;
  affirm::fuzz::Choices choices({data, size});
  affirm::fuzz::MapLimits limits;
  limits.max_points = 500;
  limits.extreme = choices.OneIn(4);
  affirm::IndexingMap map = affirm::fuzz::GenerateMap(choices, context, limits);
  std::string wrong = affirm::fuzz::CheckOperations(map, choices);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n%s\n", map.ToString().c_str(), wrong.c_str());
    std::abort();
  }
  return 0;
}
