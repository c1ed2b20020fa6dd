#include "tests/certificate/twin/operand_reader.h"
#include "tests/certificate/twin/rejection.h"

namespace twin {

Access OperandReader::Moved() const {
  const Dims& dims = op_.dimensions;
  return One({}, {}, [&](size_t j) {
    switch (op_.kind) {
      case Kind::kBroadcast:
        return Variable(DimAt(dims, j));
      case Kind::kTranspose:
        return Variable(Place(j, dims));
      case Kind::kReverse:
        return Contains(dims, j) ? Subtract(Number(SizeAt(out_, j) - 1), Variable(j)) : Variable(j);
      default:
        return Add(Multiply(Variable(j), SizeAt(op_.strides, j, 1)), Number(SizeAt(op_.starts, j)));
    }
  });
}

// The same position in row-major order. The only index along a dimension of size 1 is 0.
Access OperandReader::Reshaped() const {
  Term position = Number(0);
  for (size_t d = 0; d < rank(); ++d) position = Add(Multiply(position, out_[d]), Variable(d));
  return One({}, {}, [&](size_t j) {
    if (operand_[j] == 1) return Number(0);
    Integer behind = 1;
    for (size_t d = j + 1; d < operand_.size(); ++d) behind *= operand_[d];
    return Modulo(Floor(position, AtLeast1(behind)), AtLeast1(operand_[j]));
  });
}

std::vector<Access> OperandReader::Padded() const {
  const auto from = [&](size_t d) { return Subtract(Variable(d), Number(SizeAt(op_.low, d))); };
  const auto step = [&](size_t d) { return Integer(SizeAt(op_.interior, d) + 1); };
  if (k_ == 0) {
    Domain facts;
    for (size_t d = 0; d < rank(); ++d) facts.push_back(Is0(Modulo(from(d), step(d))));
    return {One({}, facts, [&](size_t j) { return Floor(from(j), step(j)); })};
  }
  // The scalar is read where no element of the array lies.
  std::vector<Access> all;
  for (size_t d = 0; d < rank(); ++d)
    for (const Constraint& outside :
         {AtMost(from(d), -1), AtLeast(from(d), (SizeAt(Of(0), d) - 1) * step(d) + 1),
          AtLeast(Modulo(from(d), step(d)), 1)})
      all.push_back(Reading({}, out_, {}, {outside}, {}));
  return all;
}

Access OperandReader::Concatenated() const {
  const size_t d = DimAt(op_.dimensions, 0);
  Integer before = 0;
  for (size_t k = 0; k < k_; ++k) before += SizeAt(Of(k), d);
  return One({}, {}, [&](size_t j) {
    return j == d ? Subtract(Variable(j), Number(before)) : Variable(j);
  });
}

Access OperandReader::Reduced() const {
  if (k_ >= operands_.size() / 2) return Own();
  Sizes reduced;
  for (size_t d : op_.dimensions) reduced.push_back(SizeAt(operand_, d));
  return One(reduced, {}, [&](size_t j) {
    return Variable(Contains(op_.dimensions, j) ? rank() + Place(j, op_.dimensions)
                                                : Kept(op_.dimensions, j));
  });
}

Access OperandReader::ReducedByWindows() const {
  if (k_ >= operands_.size() / 2) return Own();
  const auto tap = [&](size_t d) { return Tap(WindowAt(d), Variable(d), Variable(rank() + d)); };
  Domain facts;
  for (size_t d = 0; d < rank(); ++d) facts.push_back(Is0(Modulo(tap(d), WindowAt(d).base)));
  return One(Taps(), facts, [&](size_t j) { return Floor(tap(j), WindowAt(j).base); });
}

Access OperandReader::Multiplied() const {
  const Dims& batch = k_ == 0 ? op_.left_batch : op_.right_batch;
  const Dims& contracted = k_ == 0 ? op_.left_contracted : op_.right_contracted;
  const size_t left = Of(0).size(), of_left = op_.left_contracted.size();
  const size_t first_free = k_ == 0 ? batch.size() : left - std::min(left, of_left);
  Sizes sizes;
  for (size_t d : contracted) sizes.push_back(SizeAt(operand_, d));
  return One(sizes, {}, [&](size_t j) {
    if (Contains(batch, j)) return Variable(Place(j, batch));
    if (Contains(contracted, j)) return Variable(rank() + Place(j, contracted));
    return Variable(first_free + Kept(Joined(batch, contracted), j));
  });
}

Access OperandReader::ConvolvedInput() const {
  const Labels &i = op_.input, &o = op_.output;
  const Term feature = Variable(o.minor);
  const Integer features = SizeAt(out_, o.minor);
  const Integer group = SizeAt(operand_, i.minor) / op_.feature_groups;
  const auto tap = [&](size_t n) {
    return Tap(WindowAt(n), Variable(DimAt(o.spatial, n)), Variable(rank() + n + 1));
  };
  Sizes ranges = Taps();
  ranges.insert(ranges.begin(), group);
  Domain facts;
  for (size_t n = 0; n < op_.windows.size(); ++n)
    facts.push_back(Is0(Modulo(tap(n), WindowAt(n).base)));
  return One(ranges, facts, [&](size_t j) {
    if (j == i.major)
      return Add(Variable(o.major), Multiply(Floor(feature, features / op_.batch_groups),
                                             SizeAt(operand_, i.major) / op_.batch_groups));
    if (j == i.minor)
      return Add(Multiply(Floor(feature, features / op_.feature_groups), group), Variable(rank()));
    const size_t n = Place(j, i.spatial);
    return Floor(tap(n), WindowAt(n).base);
  });
}

Access OperandReader::ConvolvedKernel() const {
  const Labels &i = op_.input, &k = op_.kernel, &o = op_.output;
  Sizes ranges = Taps();
  ranges.insert(ranges.begin(), SizeAt(operand_, k.major));
  Domain facts;
  for (size_t n = 0; n < op_.windows.size(); ++n) {
    const Term tap = Tap(WindowAt(n), Variable(DimAt(o.spatial, n)), Variable(rank() + n + 1));
    facts.push_back(Is0(Modulo(tap, WindowAt(n).base)));
    facts.push_back({Floor(tap, WindowAt(n).base), Integer(0),
                     Integer(SizeAt(Of(0), DimAt(i.spatial, n)) - 1)});
  }
  return One(ranges, facts, [&](size_t j) {
    if (j == k.major) return Variable(rank());
    if (j == k.minor) return Variable(o.minor);
    const size_t n = Place(j, k.spatial);
    const Term tap = Variable(rank() + n + 1);
    return WindowAt(n).reversed ? Subtract(Number(WindowAt(n).taps - 1), tap) : tap;
  });
}

std::vector<Access> OperandReader::Read() const {
  switch (op_.kind) {
    case Kind::kElementwise:
      return {Own()};
    case Kind::kBroadcast:
    case Kind::kTranspose:
    case Kind::kReverse:
    case Kind::kSlice:
      return {Moved()};
    case Kind::kReshape:
      return {Reshaped()};
    case Kind::kPad:
      return Padded();
    case Kind::kConcatenate:
      return {Concatenated()};
    case Kind::kReduce:
      return {Reduced()};
    case Kind::kReduceWindow:
      return {ReducedByWindows()};
    case Kind::kDot:
      return {Multiplied()};
    case Kind::kConvolution:
      return {k_ == 0 ? ConvolvedInput() : ConvolvedKernel()};
    case Kind::kSort: {
      const size_t d = DimAt(op_.dimensions, 0);
      return {
          One({SizeAt(operand_, d)}, {}, [&](size_t j) { return Variable(j == d ? rank() : j); })};
    }
    case Kind::kDynamicSlice:
      return {Sliced()};
    case Kind::kDynamicUpdateSlice:
      return Updated();
    case Kind::kGather:
      return {Gathered()};
    case Kind::kScatter:
      return {Scattered()};
    case Kind::kSelectAndScatter:
      return {Selected()};
    case Kind::kConditional:
      return Chosen();
  }
  Refuse("an op has no meaning");
}

std::vector<Access> ReadOf(const HloOp& op, const std::vector<Sizes>& operands, const Sizes& out,
                           const std::vector<size_t>& nodes, size_t k) {
  return OperandReader(op, operands, out, nodes, k).Read();
}

}  // namespace twin
