// dot for all sizes: for each choice of batch and contracting dimensions, the map and the access
// relation.
#include <cstdint>

#include "verify/hlo/symbolic/builder.h"

namespace affirm::hlo_semantics::all_shapes {

namespace {

enum class Role : uint8_t { kBatch, kContracting, kFree };

// The dimensions of one operand with a role, in order.
std::vector<int64_t> WithRole(llvm::ArrayRef<Role> roles, Role role) {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == role) dims.push_back(static_cast<int64_t>(i));
  }
  return dims;
}

// One operand. The result has the batch dimensions first, then the free ones of the left and then
// of the right operand; `first_free` is where those of this side begin.
SymbolicRead Side(const Builder& b, llvm::ArrayRef<Role> roles, int64_t first_free,
                  llvm::ArrayRef<SymbolicExpr> contracted) {
  SymbolicRead read;
  int64_t batch = 0, range = 0, free = first_free;
  for (size_t j = 0; j < roles.size(); ++j) {
    SymbolicExpr in = b.In(static_cast<int64_t>(j));
    if (roles[j] == Role::kContracting) {
      read.input_sizes.push_back(contracted[range]);
      read.results.push_back(b.Range(range++));
      read.witness.push_back(in);
      continue;
    }
    int64_t at = roles[j] == Role::kBatch ? batch++ : free++;
    read.input_sizes.push_back(b.op.output_sizes[at]);
    read.results.push_back(b.Out(at));
    read.relation.push_back({in, b.Out(at)});
  }
  read.range_sizes.assign(contracted.begin(), contracted.end());
  return read;
}

SymbolicOp Dot(llvm::ArrayRef<Role> left, llvm::ArrayRef<Role> right, Context& context) {
  Builder b(context);
  auto count = [](llvm::ArrayRef<Role> roles, Role role) {
    return static_cast<int64_t>(WithRole(roles, role).size());
  };
  int64_t batch = count(left, Role::kBatch), left_free = count(left, Role::kFree);
  int64_t rank = batch + left_free + count(right, Role::kFree);
  b.op.output_sizes = b.Parameters("n", rank, 0);
  // A contraction over nothing reads nothing.
  std::vector<SymbolicExpr> contracted = b.Parameters("k", count(left, Role::kContracting), 1);
  b.op.operands.push_back(Side(b, left, batch, contracted));
  b.op.operands.push_back(Side(b, right, batch + left_free, contracted));
  std::string text;
  auto add = [&](const char* name, llvm::ArrayRef<Role> roles, Role role) {
    text += std::string(", ") + name + "={" + Join(WithRole(roles, role)) + "}";
  };
  if (batch > 0) {
    add("lhs_batch_dims", left, Role::kBatch);
    add("rhs_batch_dims", right, Role::kBatch);
  }
  add("lhs_contracting_dims", left, Role::kContracting);
  add("rhs_contracting_dims", right, Role::kContracting);
  b.op.text = "dot" + text;
  b.op.instruction = [text](llvm::ArrayRef<int64_t>) { return "dot(p0, p1)" + text; };
  return std::move(b.op);
}

}  // namespace

// The left operand has `rank` dimensions, with every choice of roles for them; the right one has
// its contracting dimensions first, then its batch dimensions, then a free one.
std::vector<SymbolicOp> Dots(int64_t rank, Context& context) {
  std::vector<SymbolicOp> all;
  int64_t choices = 1;
  for (int64_t i = 0; i < rank; ++i) choices *= 3;
  for (int64_t choice = 0; choice < choices; ++choice) {
    std::vector<Role> left, right;
    int64_t digits = choice;
    for (int64_t i = 0; i < rank; ++i, digits /= 3) left.push_back(static_cast<Role>(digits % 3));
    right.insert(right.end(), WithRole(left, Role::kContracting).size(), Role::kContracting);
    right.insert(right.end(), WithRole(left, Role::kBatch).size(), Role::kBatch);
    right.push_back(Role::kFree);
    all.push_back(Dot(left, right, context));
  }
  return all;
}

}  // namespace affirm::hlo_semantics::all_shapes
