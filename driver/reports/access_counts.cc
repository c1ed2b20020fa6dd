#include "driver/reports/access_counts.h"

#include "core/hlo/leaves.h"
#include "driver/json_text.h"
#include "emit/runtime/device_kernel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

// An array that a buffer holds.
struct BufferArray {
  const hlo::Instruction* op = nullptr;
  int64_t leaf = 0;
  const hlo::Shape* shape = nullptr;
};

// The arrays of the launch's parameters: the leaves of the computation's parameters, then of its
// root.
std::vector<BufferArray> ArraysOf(const hlo::Instruction& root) {
  std::vector<BufferArray> arrays;
  auto add = [&](const hlo::Instruction& op) {
    for (const hlo::LeafRef& leaf : Leaves(op.shape)) {
      if (leaf.shape->IsArray()) arrays.push_back({&op, leaf.index, leaf.shape});
    }
  };
  for (const hlo::Instruction* parameter : root.parent->parameters) add(*parameter);
  add(root);
  return arrays;
}

// The array that an access is of: where an operand is updated in place, the result if it writes.
BufferArray AccessedArray(const kernel::CountedAccess& access, const kernel::Launch& launch,
                          const std::vector<BufferArray>& arrays) {
  auto found = static_cast<size_t>(access.buffer);
  for (size_t k = found; k < launch.params.size(); ++k) {
    const bool is_same = launch.params[k].memory == launch.params[access.buffer].memory;
    if (is_same && access.is_write && launch.params[k].role == kernel::Param::kOutput) found = k;
  }
  return found < arrays.size() ? arrays[found] : BufferArray{};
}

// Nothing for shared memory.
BufferArray ArrayOfAccess(const kernel::CountedAccess& access, const kernel::Launch& launch,
                          const std::vector<BufferArray>& arrays) {
  return access.is_shared ? BufferArray{} : AccessedArray(access, launch, arrays);
}

std::string Between(int64_t least, int64_t most) {
  const std::string text = std::to_string(least);
  return least == most ? text : text + " to " + std::to_string(most);
}

void WriteText(const kernel::CountedAccess& access, const BufferArray& array,
               llvm::raw_ostream& os) {
  const kernel::AccessCount& c = access.count;
  os << (access.is_write ? "  write " : "  read ");
  if (access.is_shared) os << "shared memory";
  if (array.op) os << array.op->name << ": " << array.shape->ToString();
  os << ", " << access.bytes << " bytes a thread, line " << access.line << "\n    ";
  if (access.bounds) {
    const kernel::AccessBounds& b = *access.bounds;
    os << "bounds: " << Between(b.least_accesses, b.most_accesses) << " accesses of warps, "
       << Between(b.least_sectors, b.most_sectors) << " sectors; in one access at most "
       << b.max_sectors << " sectors; " << access.unknown << "\n";
    return;
  }
  if (!access.unknown.empty()) {
    os << "unknown: " << access.unknown << "\n";
    return;
  }
  os << c.accesses << " accesses of warps, ";
  if (access.is_shared) {
    os << c.wavefronts << " wavefronts (ideal " << c.ideal_wavefronts << "), " << c.BankConflicts()
       << " bank conflicts; in one access at most " << c.max_wavefronts << " wavefronts\n";
    return;
  }
  os << c.sectors << " sectors (ideal " << c.ideal_sectors << "); in one access at most "
     << c.max_sectors << " sectors, " << (c.is_contiguous ? "contiguous" : "not contiguous")
     << "\n";
}

void WriteJson(const kernel::CountedAccess& access, const BufferArray& array,
               llvm::json::OStream& json) {
  const kernel::AccessCount& c = access.count;
  json.object([&] {
    json.attribute("kind", access.is_write ? "write" : "read");
    json.attribute("memory", access.is_shared ? "shared" : "global");
    if (array.op) {
      json.attribute("array", JsonText(array.op->name));
      json.attribute("leaf", array.leaf);
      json.attribute("shape", JsonText(array.shape->ToString()));
    }
    json.attribute("line", access.line);
    json.attribute("bytes", access.bytes);
    json.attribute("evidence", access.unknown.empty() ? "counted"
                               : access.bounds        ? "bounds"
                                                      : "unknown");
    if (!access.unknown.empty()) {
      json.attribute("reason", access.unknown);
      if (!access.bounds) return;
      json.attribute("accesses", llvm::json::Array{access.bounds->least_accesses,
                                                   access.bounds->most_accesses});
      json.attribute("sectors",
                     llvm::json::Array{access.bounds->least_sectors, access.bounds->most_sectors});
      json.attribute("max_sectors", access.bounds->max_sectors);
      return;
    }
    json.attribute("accesses", c.accesses);
    if (access.is_shared) {
      json.attribute("wavefronts", c.wavefronts);
      json.attribute("ideal_wavefronts", c.ideal_wavefronts);
      json.attribute("bank_conflicts", c.BankConflicts());
      json.attribute("max_wavefronts", c.max_wavefronts);
      return;
    }
    json.attribute("sectors", c.sectors);
    json.attribute("ideal_sectors", c.ideal_sectors);
    json.attribute("max_sectors", c.max_sectors);
    json.attribute("contiguous", c.is_contiguous);
  });
}

}  // namespace

llvm::Expected<KernelAccesses> CountKernelAccesses(const emit::Kernel& kernel) {
  auto device = emit::DeviceKernelOf(kernel);
  if (!device) return device.takeError();
  terms::Pool pool;
  auto lifted = kernel::Lift(device->ir, device->launch, pool, {.list_accesses = true});
  if (!lifted) return lifted.takeError();
  return KernelAccesses{device->launch, kernel::CountAccesses(*lifted, device->launch)};
}

void WriteKernelAccesses(const std::string& name, const std::string& description,
                         const hlo::Instruction& root, const KernelAccesses& accesses,
                         llvm::json::OStream& json) {
  const kernel::AccessCounts& counts = accesses.counts;
  const std::vector<BufferArray> arrays = ArraysOf(root);
  json.object([&] {
    json.attribute("instruction", JsonText(name));
    json.attribute("kernel", description);
    json.attribute("blocks", accesses.launch.NumBlocks());
    json.attribute("blocks_counted", counts.blocks);
    json.attributeArray("accesses", [&] {
      for (const kernel::CountedAccess& a : counts.instructions)
        WriteJson(a, ArrayOfAccess(a, accesses.launch, arrays), json);
    });
  });
}

void PrintKernelAccesses(const std::string& name, const std::string& description,
                         const hlo::Instruction& root, const KernelAccesses& accesses,
                         llvm::raw_ostream& os) {
  const kernel::AccessCounts& counts = accesses.counts;
  const std::vector<BufferArray> arrays = ArraysOf(root);
  os << name << ": " << description << "\n";
  if (counts.blocks < accesses.launch.NumBlocks()) {
    os << "  counted: the first " << counts.blocks << " of " << accesses.launch.NumBlocks()
       << " blocks\n";
  }
  for (const kernel::CountedAccess& a : counts.instructions)
    WriteText(a, ArrayOfAccess(a, accesses.launch, arrays), os);
}

}  // namespace affirm::driver
