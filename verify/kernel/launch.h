// How a kernel is launched: its grid, and what each of its parameters is.
#ifndef AFFIRM_VERIFY_KERNEL_LAUNCH_H_
#define AFFIRM_VERIFY_KERNEL_LAUNCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/shape.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace affirm::kernel {

// An array that a kernel reads or writes: a buffer of global memory, which one of its arguments
// points to.
struct Param {
  enum Role : uint8_t { kInput, kOutput };

  std::string name;
  hlo::Shape shape;   // an array, with its layout
  int64_t bytes = 0;  // of the buffer; the allocation is rounded up to kAllocationAlignment
  Role role = kInput;
  int64_t memory = 0;  // parameters with one number are one buffer
  // The kernel's argument; -1: the one at the place of the parameter. An operand that is updated in
  // place may have one argument with its result.
  int64_t argument = -1;
  // For an output: the parameter whose content is copied into it before the launch.
  std::optional<int64_t> starts_as;
  // The bytes that its address is a multiple of, a power of two. nullopt: nothing is known but what
  // the kernel's argument says.
  std::optional<int64_t> alignment = std::nullopt;
};

// Bytes of an array whose elements stand on whole bytes, unless its layout says otherwise; nullopt
// where that leaves int64.
std::optional<int64_t> DenseBytes(const hlo::Shape& shape);

// Whether elements narrower than a byte stand in parts of bytes, lowest bits first: their layout
// says it, or else the buffer is smaller than it would be otherwise. The bits of the last byte that
// belong to no element are not specified.
bool IsPacked(const Param& param);

// The bytes that the elements take: from the start of the buffer, which may be larger.
int64_t BytesOfElements(const Param& param);

// Allocations of devices are multiples of 16 bytes at least, and begin at one.
inline constexpr int64_t kAllocationAlignment = 16;

// An argument that is passed by value: one number, or any of a range.
struct ScalarParam {
  std::string name;
  hlo::PrimitiveType type = hlo::PrimitiveType::kInvalid;  // one that IsScalarType() takes
  // Its bits, those above the type's width zero (scalar_value.h). The value is lo, or where they
  // differ any from lo to hi, both included.
  uint64_t lo = 0, hi = 0;
  int64_t argument = 0;  // the kernel's
  size_t place = 0;      // in the list of the launch file, among arrays and scalars
  std::string where;     // of that entry: "launch.json:3:5"

  bool IsGiven() const { return lo == hi; }
};

struct Launch {
  std::string kernel;                          // the function's name; empty: the only one
  std::array<int64_t, 3> grid = {0, 0, 0};     // blocks; 0, 0, 0 where nothing said how many
  std::array<int64_t, 3> threads = {0, 0, 0};  // of a block; the same
  int64_t shared_bytes = 0;                    // dynamic shared memory
  std::vector<Param> params;                   // operands and results, each in order
  std::vector<ScalarParam> scalars = {};       // by value, in the order of their places

  int64_t NumBlocks() const { return grid[0] * grid[1] * grid[2]; }
  int64_t NumThreads() const { return threads[0] * threads[1] * threads[2]; }
  // Buffers: one more than the largest Param::memory.
  int64_t NumMemories() const;
  // The kernel's argument of a parameter, and how many there are.
  int64_t ArgumentOf(size_t param) const;
  int64_t NumArguments() const;
  // The scalar that the kernel's argument is; null where there is none.
  const ScalarParam* ScalarOf(int64_t argument) const;
  // The place of a parameter in the launch file, where scalars may stand before it.
  size_t PlaceOf(size_t param) const;
  // The first scalar that has a range and no value; null where there is none.
  const ScalarParam* FindOpenScalar() const;
};

// Reads {"kernel", "grid": [x,y,z], "threads": [x,y,z], "shared": bytes, "params": [{"name"?,
// "shape": "f32[4,8]{1,0}", "bytes", "role": "input"|"output", "memory": k, "argument"?: k,
// "starts_as"?: param, "alignment"?: bytes} or {"name"?, "shape": "s32[]", "role": "scalar",
// "value": 7 or "range": [0, 7], "argument"?: k}]}. Errors read "where:line:column: error: what,
// and what was expected".
llvm::Expected<Launch> ParseLaunch(llvm::StringRef json, llvm::StringRef where);

// The text that ParseLaunch() reads as the same launch.
void WriteJson(llvm::json::OStream& json, const Launch& launch);

// The parameters of a kernel of `computation` where no file says them: the array leaves of its
// parameters in order, then those of its result, each a buffer of its own. The grid is not known.
llvm::Expected<Launch> DefaultLaunch(const hlo::Computation& computation);

// Whether the launch makes sense by itself: counts are positive and at most what a device takes,
// buffers hold their arrays, parameters of one memory have one size.
llvm::Error CheckLaunch(const Launch& launch, llvm::StringRef where);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LAUNCH_H_
