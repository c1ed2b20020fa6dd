// Runs a fuzz target without libFuzzer: on seeded bytes, and on the files of folders, whole and
// with a few bytes changed. One line at the end says how many inputs there were.
//
// usage: PROGRAM [FOLDER ...]     AFFIRM_FUZZ_RUNS: how many inputs of seeded bytes (without: a few
// seconds' worth of the target's), and how many changes of each file (a tenth of that).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "fuzz/generators/choices.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Run(const std::vector<uint8_t>& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

// Some bytes replaced, removed or doubled.
std::vector<uint8_t> Changed(std::vector<uint8_t> bytes, uint64_t seed) {
  const std::vector<uint8_t> random = affirm::fuzz::SeededBytes(seed, 64);
  affirm::fuzz::Choices choices(random);
  for (uint64_t changes = choices.Below(4) + 1; changes > 0 && !bytes.empty(); --changes) {
    const auto at = bytes.begin() + static_cast<int64_t>(choices.Below(bytes.size()));
    switch (choices.Below(3)) {
      case 0:
        *at = static_cast<uint8_t>(choices.Below(128));
        break;
      case 1:
        bytes.erase(at);
        break;
      default:
        bytes.insert(at, *at);
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const char* set = std::getenv("AFFIRM_FUZZ_RUNS");
  const uint64_t runs = set ? std::strtoull(set, nullptr, 10) : AFFIRM_FUZZ_DEFAULT_RUNS;
  uint64_t inputs = 0;
  for (uint64_t k = 0; k < runs; ++k, ++inputs)
    Run(affirm::fuzz::SeededBytes(k, 16 + k * 37 % 240));
  std::set<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.insert(entry.path());
    }
  }
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::vector<uint8_t> bytes(text.begin(), text.end());
    Run(bytes);
    ++inputs;
    for (uint64_t k = 0; k < runs / 10; ++k, ++inputs) Run(Changed(bytes, k));
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(inputs));
  return 0;
}
