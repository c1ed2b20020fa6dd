// ragged-dot, a dot in which one dimension of the left operand, the ragged one, is divided into
// groups whose sizes are values. Sums are taken as for dot, in f32 (f64 for f64), and rounded once.
//
// If the ragged dimension is free, each group of rows is multiplied by its own slice of the right
// operand. If it is contracted, the result has a slice for each group, with the sum over that
// group. If it is a batch dimension, the groups change nothing. Indices behind the last group
// contribute zero.
#include "core/hlo/attribute_values.h"
#include "core/symbolic/checked.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

enum class Mode : uint8_t { kFree, kContracted, kBatch };

struct RaggedDot {
  Mode mode = Mode::kFree;
  int64_t ragged = 0;      // dim of the left side
  int64_t group_dim = -1;  // of the right side; -1: none
  int64_t groups = 0;
  Index prefix;  // dims of the left side that have group sizes of their own
  Index lhs_free, rhs_free, contracted;

  static llvm::Expected<RaggedDot> Create(const OpInvocation& call);
};

// The elements of a list before `dim`.
Index Before(llvm::ArrayRef<int64_t> dims, int64_t dim) {
  return Index(dims.begin(), llvm::find(dims, dim));
}

llvm::Expected<RaggedDot> RaggedDot::Create(const OpInvocation& call) {
  const Attributes& a = call.attributes();
  const Shape &lhs = call.operand(0).shape(), &rhs = call.operand(1).shape();
  const Shape& sizes = call.operand(2).shape();
  const auto ragged = IntsAttribute(a, "lhs_ragged_dims");
  if (!ragged || ragged->size() != 1 || sizes.rank() < 1 || !IsInt(sizes.type)) {
    return Fail(call.instruction, "needs one ragged dimension and the sizes of its groups");
  }
  RaggedDot d;
  d.ragged = ragged->front();
  d.groups = sizes.dims.back();
  const Ints group_dims = IntsAttribute(a, "rhs_group_dims").value_or(Ints());
  if (!group_dims.empty()) d.group_dim = group_dims.front();
  for (llvm::ArrayRef<int64_t> dims : {a.lhs_batch, a.lhs_contracting, *ragged}) {
    if (auto error = CheckDimensions(call.instruction, dims, lhs.rank())) return error;
  }
  for (llvm::ArrayRef<int64_t> dims : {a.rhs_batch, a.rhs_contracting, group_dims}) {
    if (auto error = CheckDimensions(call.instruction, dims, rhs.rank())) return error;
  }
  d.lhs_free = Without(lhs.rank(), {a.lhs_batch, a.lhs_contracting});
  d.rhs_free = Without(rhs.rank(), {a.rhs_batch, a.rhs_contracting, group_dims});
  d.contracted = Select(lhs.dims, a.lhs_contracting);
  if (llvm::is_contained(a.lhs_batch, d.ragged)) {
    d.mode = Mode::kBatch;
    d.prefix = Before(a.lhs_batch, d.ragged);
  } else {
    const bool contracted = llvm::is_contained(a.lhs_contracting, d.ragged);
    d.mode = contracted ? Mode::kContracted : Mode::kFree;
    d.prefix = Index(a.lhs_batch.begin(), a.lhs_batch.end());
    d.prefix.append(
        Before(contracted ? llvm::ArrayRef<int64_t>(a.lhs_contracting) : d.lhs_free, d.ragged));
  }
  if (sizes.rank() == 1) d.prefix.clear();  // one list serves all
  Index expected;
  if (d.mode == Mode::kContracted) expected.push_back(d.groups);
  expected.append(Select(lhs.dims, a.lhs_batch));
  expected.append(Select(lhs.dims, d.lhs_free));
  expected.append(Select(rhs.dims, d.rhs_free));
  Index prefixed = Select(lhs.dims, d.prefix);
  prefixed.push_back(d.groups);
  const bool grouped = d.group_dim >= 0;
  if (!llvm::equal(expected, call.instruction.shape.dims) || !llvm::equal(prefixed, sizes.dims) ||
      grouped != (d.mode == Mode::kFree) || (grouped && rhs.dims[d.group_dim] != d.groups) ||
      Select(lhs.dims, a.lhs_batch) != Select(rhs.dims, a.rhs_batch) ||
      d.contracted != Select(rhs.dims, a.rhs_contracting)) {
    return Fail(call.instruction, "does not fit its operands");
  }
  if (auto error = CheckWork(call.instruction, {expected, d.contracted})) return error;
  return d;
}

// The group that an element of the left operand belongs to; -1 behind the last group. Reports the
// sizes that it depends on as read.
int64_t GroupOf(const OpInvocation& call, const RaggedDot& d, const Index& lhs_index,
                int64_t result) {
  const Literal& sizes = call.operand(2);
  Index at = Select(lhs_index, d.prefix);
  at.push_back(0);
  int64_t end = 0;
  for (int64_t g = 0; g < d.groups; ++g) {
    at.back() = g;
    const int64_t linear = sizes.Linear(at);
    call.Read(0, result, 2, 0, linear);
    end += std::clamp<int64_t>(LoadIndex(sizes, linear), 0, kInt64Max - end);
    if (lhs_index[d.ragged] < end) return g;
  }
  return -1;
}

}  // namespace

Result EvaluateRaggedDot(const OpInvocation& call) {
  auto d = RaggedDot::Create(call);
  if (!d) return d.takeError();
  const Attributes& a = call.attributes();
  const Shape &lhs = call.operand(0).shape(), &rhs = call.operand(1).shape();
  const PrimitiveType type = call.instruction.shape.type;
  if (!IsFloat(lhs.type) || !IsFloat(rhs.type) || !IsFloat(type)) {
    return Fail(call.instruction, "of numbers that are no floats is not supported");
  }
  const bool wide = lhs.type == PrimitiveType::kF64 || type == PrimitiveType::kF64;
  const PrimitiveType sum_type = wide ? PrimitiveType::kF64 : PrimitiveType::kF32;
  Result result = NewLiteral(call);
  if (!result) return result;
  const size_t first = d->mode == Mode::kContracted ? 1 : 0, batch = a.lhs_batch.size();
  Index left(lhs.rank()), right(rhs.rank());
  for (IndexIterator out(call.instruction.shape.dims); !out.Done(); out.Next()) {
    const auto index = llvm::ArrayRef<int64_t>(out.index()).drop_front(first);
    Assign(index.take_front(batch), a.lhs_batch, left);
    Assign(index.take_front(batch), a.rhs_batch, right);
    Assign(index.drop_front(batch), d->lhs_free, left);
    Assign(index.drop_front(batch + d->lhs_free.size()), d->rhs_free, right);
    double sum = 0;
    for (IndexIterator at(d->contracted); !at.Done(); at.Next()) {
      Assign(at.index(), a.lhs_contracting, left);
      Assign(at.index(), a.rhs_contracting, right);
      if (d->mode != Mode::kBatch) {
        const int64_t group = GroupOf(call, *d, left, out.linear());
        if (group < 0 || (d->mode == Mode::kContracted && group != out[0])) continue;
        if (d->mode == Mode::kFree) right[d->group_dim] = group;
      }
      const int64_t l = Linearize(left, lhs.dims), r = Linearize(right, rhs.dims);
      const double product =
          RoundTo(sum_type, Load(call.operand(0), l).re * Load(call.operand(1), r).re);
      sum = RoundTo(sum_type, sum + product);
      call.Read(0, out.linear(), 0, 0, l);
      call.Read(0, out.linear(), 1, 0, r);
    }
    Store(*result, out.linear(), {.re = RoundTo(type, sum)});
  }
  return result;
}

}  // namespace affirm::hlo
