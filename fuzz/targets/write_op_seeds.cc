// write_op_seeds DIR: a few instances of every op, each as a file of HLO text.
#include <string>

#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char** argv) {
  using namespace affirm;
  constexpr uint64_t kEach = 4;
  if (argc != 2) {
    llvm::errs() << "usage: write_op_seeds DIR\n";
    return 3;
  }
  for (hlo::Opcode opcode : fuzz::GeneratedOpcodes()) {
    for (uint64_t seed = 0; seed < kEach; ++seed) {
      const std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 160);
      fuzz::Choices choices(bytes);
      const std::string path =
          (llvm::Twine(argv[1]) + "/" + hlo::Name(opcode) + "." + llvm::Twine(seed) + ".hlo").str();
      std::error_code error;
      llvm::raw_fd_ostream file(path, error);
      if (error) {
        llvm::errs() << path << ": error: " << error.message() << "\n";
        return 3;
      }
      file << hlo::ToString(*fuzz::GenerateOpInstance(choices, opcode));
    }
  }
  return 0;
}
