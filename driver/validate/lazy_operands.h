// Operands of a kernel whose elements are made when they are touched: of any size.
#ifndef AFFIRM_DRIVER_VALIDATE_LAZY_OPERANDS_H_
#define AFFIRM_DRIVER_VALIDATE_LAZY_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "driver/validate/argument_sets.h"
#include "driver/validate/buffers.h"
#include "driver/validate/validate.h"
#include "verify/compare/scalar_operations.h"
#include "verify/kernel/emulator/sparse_memory.h"

namespace affirm::driver {

class LazyOperands {
 public:
  // Set `number` of the sets of arguments for the subject, which outlives this.
  LazyOperands(const KernelSubject& subject, const ArgumentSets& sets, int64_t number);
  LazyOperands(const LazyOperands&) = delete;
  LazyOperands& operator=(const LazyOperands&) = delete;

  // The memories of the launch as they are before it, for one run. They are of this.
  std::vector<kernel::SparseMemory*> MakeMemories();
  // The element of an operand, numbered among the inputs of the launch, at a place of the order of
  // its layout. An operand that shares its memory with another is what the memory holds. Of type
  // kInvalid for a place outside.
  compare::TypedScalar Load(int64_t operand, int64_t position);

 private:
  // The initial contents of a memory: the elements of the last operand in it.
  void Fill(int64_t memory, int64_t offset, llvm::MutableArrayRef<uint8_t> bytes);

  struct Operand {
    const kernel::Param* param = nullptr;
    int64_t parameter = 0, leaf = 0;  // of the computation
    ElementCodec codec;
  };

  const kernel::Launch& launch_;
  ArgumentSets::Elements elements_;
  std::vector<Operand> operands_;
  std::vector<int64_t> operand_of_;            // of each memory; -1: unspecified at first
  std::vector<kernel::SparseMemory> initial_;  // pages are kept: the kernel and Load want the same
  std::vector<kernel::SparseMemory> written_;  // by the kernel, which may not change the others
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_LAZY_OPERANDS_H_
