#include "driver/validate/lazy_operands.h"

#include <algorithm>
#include <cstring>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using kernel::Param;
using kernel::SparseMemory;

LazyOperands::LazyOperands(const KernelSubject& subject, const ArgumentSets& sets, int64_t number)
    : launch_(subject.launch), elements_(sets.MakeElements(number)) {
  std::vector<std::pair<int64_t, int64_t>> leaves;  // of parameters, in order
  for (auto [p, parameter] : llvm::enumerate(subject.computation->parameters)) {
    const size_t count = hlo::LeafShapes(parameter->shape).size();
    for (size_t leaf = 0; leaf < count; ++leaf) leaves.push_back({p, leaf});
  }
  operand_of_.assign(launch_.NumMemories(), -1);
  std::vector<int64_t> sizes(launch_.NumMemories(), 0);
  for (const Param& param : launch_.params) {
    sizes[param.memory] = param.bytes;
    if (param.role != Param::kInput) continue;
    operand_of_[param.memory] = std::ssize(operands_);
    const auto [parameter, leaf] = leaves[operands_.size()];
    operands_.push_back({&param, parameter, leaf, ElementCodec(param)});
  }
  for (size_t k = 0; k < sizes.size(); ++k) {
    SparseMemory::Filler fill;
    if (operand_of_[k] >= 0) {
      fill = [this, k](int64_t offset, llvm::MutableArrayRef<uint8_t> bytes) {
        Fill(static_cast<int64_t>(k), offset, bytes);
      };
    }
    initial_.emplace_back(sizes[k], std::move(fill));
  }
}

void LazyOperands::Fill(int64_t memory, int64_t offset, llvm::MutableArrayRef<uint8_t> bytes) {
  Operand& operand = operands_[operand_of_[memory]];
  const hlo::Shape& shape = operand.param->shape;
  const int64_t bits = operand.codec.bits(), count = shape.NumElements();
  std::fill(bytes.begin(), bytes.end(), 0);
  // Pages begin and end between two elements.
  const int64_t end = std::min(count, (offset + std::ssize(bytes)) * 8 / bits);
  for (int64_t position = offset * 8 / bits; position < end; ++position) {
    const int64_t linear = LinearAtPosition(shape, position);
    const unsigned __int128 value =
        operand.codec.Encode(elements_(operand.parameter, operand.leaf, linear));
    const int64_t bit = position * bits - offset * 8;
    if (bits < 8) {
      bytes[bit / 8] |= static_cast<uint8_t>(value << (bit % 8));
    } else {
      std::memcpy(bytes.data() + bit / 8, &value, bits / 8);
    }
  }
}

std::vector<SparseMemory*> LazyOperands::MakeMemories() {
  std::vector<bool> is_written(initial_.size(), false);
  std::vector<int64_t> starts_as(initial_.size());
  for (size_t k = 0; k < initial_.size(); ++k) starts_as[k] = static_cast<int64_t>(k);
  for (const Param& param : launch_.params) {
    if (param.role == Param::kOutput) is_written[param.memory] = true;
    if (param.starts_as) starts_as[param.memory] = launch_.params[*param.starts_as].memory;
  }
  written_.clear();
  for (size_t k = 0; k < initial_.size(); ++k) {
    SparseMemory::Filler fill;
    SparseMemory* from = &initial_[starts_as[k]];
    if (operand_of_[starts_as[k]] >= 0) {
      fill = [from](int64_t offset, llvm::MutableArrayRef<uint8_t> bytes) {
        const int64_t count = std::min(std::ssize(bytes), from->size() - offset);
        for (int64_t i = 0; i < count; ++i) {
          bytes[i] = static_cast<uint8_t>(from->Read(offset + i, 1));
        }
      };
    }
    written_.emplace_back(initial_[k].size(), std::move(fill));
  }
  std::vector<SparseMemory*> memories;
  memories.reserve(initial_.size());
  for (size_t k = 0; k < initial_.size(); ++k) {
    memories.push_back(is_written[k] ? &written_[k] : &initial_[k]);
  }
  return memories;
}

compare::TypedScalar LazyOperands::Load(int64_t number, int64_t position) {
  Operand& operand = operands_[number];
  const hlo::Shape& shape = operand.param->shape;
  if (position < 0 || position >= shape.NumElements()) return {hlo::PrimitiveType::kInvalid, {}};
  const unsigned __int128 bits = operand.codec.Read(initial_[operand.param->memory], position);
  return compare::OfScalar(shape.type, operand.codec.Decode(bits));
}

}  // namespace affirm::driver
