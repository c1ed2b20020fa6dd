// Reads an op with its attributes and sees whether the sizes fit. Its parts are in hlo_op.cc and
// hlo_window_ops.cc.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_OP_READER_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_OP_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/certificate/twin/hlo_dims.h"
#include "tests/certificate/twin/hlo_op.h"
#include "tests/certificate/twin/rejection.h"

namespace twin {

class OpReader {
 public:
  OpReader(std::string_view name, const Attributes& attributes,
           const std::vector<ArrayType>& operands, const ArrayType& out)
      : name_(name), attributes_(attributes), operands_(operands), out_(out) {}

  HloOp Read();

 private:
  const Words* Find(std::string_view key) {
    const auto at = attributes_.find(key);
    if (at == attributes_.end()) return nullptr;
    ++used_;
    return &at->second;
  }
  const Words& Needed(std::string_view key) {
    const Words* value = Find(key);
    if (!value) Refuse(std::string(name_) + " needs " + std::string(key));
    return *value;
  }
  std::string_view Word(std::string_view key) {
    const Words& value = Needed(key);
    Expect(value.size() == 1, "expected one word");
    return value[0];
  }
  static Dims DimsOf(const Words& value) {
    Dims dims;
    for (std::string_view item : ItemsOf(value)) dims.push_back(ReadDimension(item));
    return dims;
  }
  Dims DimsAt(std::string_view key) {
    const Words* value = Find(key);
    return value ? DimsOf(*value) : Dims();
  }
  Dims NeededDims(std::string_view key) { return DimsOf(Needed(key)); }
  Sizes NeededSizes(std::string_view key) {
    Sizes sizes;
    for (std::string_view item : ItemsOf(Needed(key))) sizes.push_back(ReadPlainInteger(item));
    return sizes;
  }
  size_t OneDim() {
    const Dims dims = NeededDims("dimensions");
    Expect(dims.size() == 1 && dims[0] < Rank(), "expected one dimension");
    return dims[0];
  }
  Integer Groups(std::string_view key) {
    if (!Find(key)) return 1;
    const Integer groups = ReadPlainInteger(Word(key));
    --used_;
    Expect(groups >= 1, "expected at least one group");
    return groups;
  }

  const Sizes& Of(size_t k) const {
    Expect(k < operands_.size(), "there are too few operands");
    return operands_[k].sizes;
  }
  const Sizes& Out() const { return out_.sizes; }
  size_t Rank() const { return Out().size(); }
  void ExpectCount(size_t count) const {
    Expect(operands_.size() == count, "expected another number of operands");
  }
  void ExpectFits(bool fits) const { Expect(fits, "the sizes of an instruction do not fit"); }
  // Arrays of one size, and as many scalars.
  bool AreArraysAndScalars() const;
  // Starts are scalars or one vector.
  bool AreStarts(size_t first) const;

  void ReadElementwise();
  void ReadMoved();
  void ReadBits();
  void ReadLast();
  void ReadSlice();
  void ReadPad();
  void ReadConcatenate();
  void ReadReduce();
  std::vector<Window> ReadWindows(const Words& value, size_t rank) const;
  void ExpectWindows(const Sizes& input, const Sizes& out) const;
  void ReadWindowed();
  void ReadDot();
  static Labels ReadLabels(std::string_view text, char major, char minor);
  void ReadConvolution();
  void ReadDynamic();
  void ReadGather();
  void ReadScatter();

  std::string_view name_;
  const Attributes& attributes_;
  const std::vector<ArrayType>& operands_;
  const ArrayType& out_;
  size_t used_ = 0;  // how many attributes are understood
  HloOp op_;
};

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_OP_READER_H_
