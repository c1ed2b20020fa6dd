// Executes a collective by its indexing maps: each element of the result on a device is gathered
// from the index that the map gives, on the device that the map's replica ID names.
//
// For all-gather(f32[4] x) with replica_groups={{1,0}}, element 5 of the result is element 1 on
// member 1 of the group, which is device 0: index (d0) -> (d0 mod 4), member (d0) -> (d0 floordiv
// 4). Only the arithmetic of reductions is shared with the interpreter, so the comparison in
// `check` tests the maps.
#ifndef AFFIRM_DRIVER_CHECK_EXCHANGE_H_
#define AFFIRM_DRIVER_CHECK_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "verify/reference/devices.h"
#include "verify/reference/scalar_function.h"

namespace affirm::driver {

class Exchange {
 public:
  // The maps of each array leaf of the result, as OutputToInput gives them. The instruction must
  // outlive the exchange. An error where the op's combiner cannot be applied.
  static llvm::Expected<Exchange> Create(const hlo::Instruction& collective,
                                         const hlo::Devices& devices,
                                         std::vector<InstructionIndexing> maps);

  // An element of array leaf `leaf` of the result on `device`, from the operands on all devices;
  // nullopt for an element without a sender, which is zero. A sum is in the order of the group. An
  // error if a map refers to a missing element.
  llvm::Expected<std::optional<hlo::Scalar>> Element(hlo::OperandsOfDevices operands,
                                                     int64_t device, int64_t leaf,
                                                     llvm::ArrayRef<int64_t> index);

 private:
  // An element of an operand of a device.
  struct Source {
    int64_t device, operand;
    std::vector<int64_t> index;
  };
  // The group of a device, and its position in it.
  struct Group {
    std::vector<int64_t> members;
    int64_t position = 0;
  };

  Exchange(const hlo::Instruction& collective, const hlo::Devices& devices,
           std::vector<InstructionIndexing> maps)
      : op_(&collective), devices_(devices), maps_(std::move(maps)) {}

  Group GroupOf(int64_t device) const;
  std::optional<int64_t> SourceOfPair(int64_t device) const;
  int64_t NumberOf(int64_t device) const;
  std::vector<int64_t> WithNumber(int64_t number, int64_t device) const;
  bool IsReduction() const;
  bool IsHandedThrough(int64_t leaf) const;
  // The elements that the maps give for an element of the result.
  llvm::Expected<std::vector<Source>> Sources(hlo::OperandsOfDevices operands, int64_t device,
                                              int64_t leaf, llvm::ArrayRef<int64_t> index) const;
  llvm::Expected<std::vector<Source>> RaggedSource(hlo::OperandsOfDevices operands, int64_t device,
                                                   llvm::ArrayRef<int64_t> index) const;
  llvm::Error AddSources(const LabeledMap& map, int64_t operand, int64_t device, int64_t leaf,
                         llvm::ArrayRef<int64_t> index, std::optional<int64_t> range,
                         std::vector<Source>& sources) const;
  llvm::Error Fail(const llvm::Twine& what) const;

  const hlo::Instruction* op_;
  hlo::Devices devices_;
  std::vector<InstructionIndexing> maps_;        // by leaf of the result
  std::vector<Group> groups_;                    // by device
  std::vector<std::optional<int64_t>> senders_;  // by device, for a permute
  std::vector<hlo::ScalarFunction> combiners_;   // by operand, for a reduction
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_EXCHANGE_H_
