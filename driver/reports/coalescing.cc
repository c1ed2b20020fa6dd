// affirm indexing --coalescing
#include "core/analysis/uses/coalescing.h"

#include "core/hlo/leaves.h"
#include "driver/check/program.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "driver/reports/access_counts.h"
#include "driver/reports/map_analyses.h"
#include "emit/kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

// One instruction of the kernel that touches memory.
struct Access {
  bool is_write = false;
  const hlo::Instruction* array = nullptr;
  int64_t leaf = 0;
  IndexingMap addresses;
  Exactness exactness = Exactness::kExact;
  Coalescing result;
};

// The threads of the kernel.
struct Threads {
  std::string description;
  std::vector<std::pair<int64_t, IndexingMap>> outputs;  // leaf, thread -> element
  bool reads_as_mapped = true;
  // The cost of the kernel's own loads and stores; absent with a thread map, and if the kernel
  // could not be lifted.
  std::optional<KernelAccesses> counted;
  std::string not_counted;
};

const hlo::Shape& LeafOf(const hlo::Instruction& op, int64_t leaf) {
  return *LeafShape(op.shape, leaf);
}

void Add(std::vector<Access>& list, Access access) {
  bool known = llvm::any_of(list, [&](const Access& a) {
    return a.is_write == access.is_write && a.array == access.array && a.leaf == access.leaf &&
           a.addresses == access.addresses;
  });
  if (known) return;
  int64_t bits = 8 * int64_t{hlo::ByteWidth(LeafOf(*access.array, access.leaf).type)};
  access.result = CoalescingOf(access.addresses, bits);
  list.push_back(std::move(access));
}

std::vector<Access> AccessesOf(const hlo::Instruction& root, const Threads& threads,
                               Context& context, const IndexingOptions& options) {
  std::vector<Access> out;
  for (const auto& [leaf, elements] : threads.outputs) {
    Add(out, {true, &root, leaf, ToMemory(elements, LeafOf(root, leaf)), Exactness::kExact, {}});
  }
  if (!threads.reads_as_mapped) return out;
  for (const auto& [leaf, elements] : threads.outputs) {
    for (const auto& [op, maps] : ComputationIndexing(root, leaf, context, options)) {
      if (op->opcode != hlo::Opcode::kParameter) continue;
      for (const LabeledMap& map : maps) {
        IndexingMap addresses = ToMemory(Compose(elements, map.map), LeafOf(*op, map.leaf));
        if (addresses.IsKnownEmpty()) continue;
        Add(out, {false, op, map.leaf, std::move(addresses), map.exactness, {}});
      }
    }
  }
  return out;
}

// A kernel of the program that the module is (driver/check/program.h).
struct DescribedKernel {
  std::string name;
  const hlo::Instruction* root = nullptr;  // of its computation
  Threads threads;
};

llvm::Expected<Threads> ThreadsAsGiven(const hlo::Instruction& instruction,
                                       const hlo::Instruction& root, const KernelThreads& wanted,
                                       const AnalysisReportOptions& options, Context& context) {
  auto map = ReadMap(wanted.thread_map, context);
  if (!map) return map.takeError();
  const hlo::Shape& shape = LeafOf(root, options.id);
  if (map->state() == IndexingMap::State::kNormal &&
      static_cast<int64_t>(map->results().size()) != shape.rank()) {
    return ErrorAt(options.file, instruction.location,
                   "the thread map has " + llvm::Twine(map->results().size()) +
                       " results, expected an index of " + shape.ToString());
  }
  Threads out;
  out.description = "threads as given";
  out.outputs.push_back({options.id, *std::move(map)});
  return out;
}

Threads ThreadsOf(const emit::Kernel& kernel) {
  Threads out;
  out.description = kernel.emitter() + " emitter, " + std::to_string(kernel.launch().blocks) +
                    " blocks of " + std::to_string(kernel.launch().threads) + " threads";
  out.reads_as_mapped = kernel.emitter() == "loop";
  auto counted = CountKernelAccesses(kernel);
  if (counted) {
    out.counted = *std::move(counted);
    return out;
  }
  out.not_counted = MessageOf(counted.takeError());
  for (const emit::ThreadMap& threads : kernel.thread_maps()) {
    llvm::StringRef number = threads.what;
    int64_t leaf;
    if (number.consume_front("output ") && !number.getAsInteger(10, leaf)) {
      out.outputs.push_back({leaf, threads.map});
    }
  }
  return out;
}

// The kernels that `affirm emit` makes for the fusion, or for the entry: one, or several that run
// one after the other. A fusion inside of another, which is no kernel, is taken for one.
llvm::Expected<std::vector<DescribedKernel>> KernelsOf(const hlo::Instruction& instruction,
                                                       const hlo::Instruction& root,
                                                       const Program& program,
                                                       const KernelThreads& wanted,
                                                       Context& context) {
  const bool is_fusion = &root != &instruction;
  const emit::EmitOptions options = {.threads_per_block = wanted.per_block};
  std::vector<DescribedKernel> kernels;
  for (const FusedComputation& whole : program.fused_computations()) {
    if (is_fusion && program.Original(*whole.fusion) != &instruction) continue;
    for (const FusedComputation& fused : program.partitions(whole).kernels) {
      auto kernel = EmitKernel(fused, context, options);
      if (!kernel) return kernel.takeError();
      kernels.push_back({fused.name, fused.computation->root, ThreadsOf(*kernel)});
    }
  }
  if (kernels.empty() && is_fusion) {
    auto kernel = emit::EmitKernel(*root.parent, context, options);
    if (!kernel) return kernel.takeError();
    kernels.push_back({instruction.name, &root, ThreadsOf(*kernel)});
  }
  if (kernels.size() == 1) kernels.front().name = instruction.name;
  return kernels;
}

void WriteText(const Access& access, llvm::raw_ostream& os) {
  const Coalescing& c = access.result;
  os << (access.is_write ? "  write " : "  read ") << access.array->name << ": "
     << LeafOf(*access.array, access.leaf).ToString() << "\n    "
     << (access.addresses.IsUndefined() ? "undefined" : access.addresses.ToString()) << "\n    ";
  if (c.evidence == Coalescing::Evidence::kUnknown) {
    os << "unknown: " << c.reason << "\n";
    return;
  }
  if (c.evidence == Coalescing::Evidence::kVisited) {
    os << c.accesses << " accesses of warps, " << c.sectors << " sectors (ideal " << c.ideal_sectors
       << "); in one access ";
  } else {
    os << "from the form of the map, as " << c.reason << ": in one access ";
  }
  os << "at most " << c.max_sectors << " sectors (ideal " << c.max_ideal_sectors << "), "
     << (c.is_contiguous ? "contiguous" : "not contiguous") << "\n";
  if (access.exactness != Exactness::kExact) {
    os << "    exactness: " << Name(access.exactness) << "\n";
  }
}

void WriteJson(const Access& access, llvm::json::OStream& json) {
  const Coalescing& c = access.result;
  json.object([&] {
    json.attribute("kind", access.is_write ? "write" : "read");
    json.attribute("array", JsonText(access.array->name));
    json.attribute("leaf", access.leaf);
    json.attribute("shape", JsonText(LeafOf(*access.array, access.leaf).ToString()));
    json.attribute("map", JsonText(access.addresses.IsUndefined() ? "undefined"
                                                                  : access.addresses.ToString()));
    json.attribute("exactness", Name(access.exactness));
    json.attribute("evidence", Name(c.evidence));
    if (!c.reason.empty()) json.attribute("reason", JsonText(c.reason));
    if (c.evidence == Coalescing::Evidence::kVisited) {
      json.attribute("accesses", c.accesses);
      json.attribute("sectors", c.sectors);
      json.attribute("ideal_sectors", c.ideal_sectors);
    }
    if (c.evidence == Coalescing::Evidence::kUnknown) return;
    json.attribute("max_sectors", c.max_sectors);
    json.attribute("max_ideal_sectors", c.max_ideal_sectors);
    json.attribute("contiguous", c.is_contiguous);
  });
}

void PrintKernel(const DescribedKernel& kernel, Context& context, const IndexingOptions& options) {
  const Threads& threads = kernel.threads;
  if (threads.counted) {
    PrintKernelAccesses(kernel.name, threads.description, *kernel.root, *threads.counted,
                        llvm::outs());
    return;
  }
  llvm::outs() << kernel.name << ": " << threads.description << "\n";
  if (!threads.not_counted.empty()) {
    llvm::outs() << "  from maps, each element an access, as the kernel could not be lifted: "
                 << threads.not_counted << "\n";
  }
  for (const Access& access : AccessesOf(*kernel.root, threads, context, options))
    WriteText(access, llvm::outs());
  if (!threads.reads_as_mapped) {
    llvm::outs() << "  reads: threads share what they read, which is not described here\n";
  }
}

void WriteKernel(const DescribedKernel& kernel, Context& context, const IndexingOptions& options,
                 llvm::json::OStream& json) {
  const Threads& threads = kernel.threads;
  if (threads.counted) {
    WriteKernelAccesses(kernel.name, threads.description, *kernel.root, *threads.counted, json);
    return;
  }
  json.object([&] {
    json.attribute("instruction", JsonText(kernel.name));
    json.attribute("kernel", threads.description);
    json.attribute("reads_described", threads.reads_as_mapped);
    if (!threads.not_counted.empty()) json.attribute("not_lifted", threads.not_counted);
    json.attributeArray("accesses", [&] {
      for (const Access& access : AccessesOf(*kernel.root, threads, context, options))
        WriteJson(access, json);
    });
  });
}

}  // namespace

llvm::Error PrintCoalescing(const hlo::Instruction& instruction, const KernelThreads& wanted,
                            const AnalysisReportOptions& options) {
  bool is_fusion = instruction.opcode == hlo::Opcode::kFusion && instruction.called.size() == 1;
  if (!is_fusion && !(instruction.IsRoot() && instruction.parent->is_entry)) {
    return ErrorAt(options.file, instruction.location,
                   "'" + instruction.name + "' is no kernel, expected a fusion or the entry root");
  }
  const hlo::Instruction& root = is_fusion ? *instruction.called[0]->root : instruction;
  Context context;
  std::optional<Program> program;  // what the kernels are of
  std::vector<DescribedKernel> kernels;
  if (!wanted.thread_map.empty()) {
    auto threads = ThreadsAsGiven(instruction, root, wanted, options, context);
    if (!threads) return threads.takeError();
    kernels.push_back({instruction.name, &root, *std::move(threads)});
  } else {
    program.emplace(*instruction.parent->module);
    auto made = KernelsOf(instruction, root, *program, wanted, context);
    if (!made) return made.takeError();
    kernels = *std::move(made);
  }
  const IndexingOptions indexing = {.exact = options.exact};
  if (!options.json) {
    if (kernels.empty()) llvm::outs() << instruction.name << ": no kernel\n";
    for (const DescribedKernel& kernel : kernels) PrintKernel(kernel, context, indexing);
    return llvm::Error::success();
  }
  llvm::json::OStream json(llvm::outs());
  if (kernels.size() == 1) {
    WriteKernel(kernels.front(), context, indexing, json);
  } else {
    json.object([&] {
      json.attribute("instruction", JsonText(instruction.name));
      json.attributeArray("kernels", [&] {
        for (const DescribedKernel& kernel : kernels) WriteKernel(kernel, context, indexing, json);
      });
    });
  }
  llvm::outs() << "\n";
  return llvm::Error::success();
}

}  // namespace affirm::driver
