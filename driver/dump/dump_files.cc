#include "driver/dump/dump_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/symbolic/error.h"
#include "driver/shard.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace affirm::driver {

namespace {

constexpr llvm::StringLiteral kAfter[] = {"gpu_after_optimizations", "cpu_after_optimizations"};

// "module_0001.jit_f" of "module_0001.jit_f.sm_9.0a_" and the like.
llvm::StringRef WithoutTarget(llvm::StringRef name) {
  const size_t target = name.rfind(".sm_");
  if (target != llvm::StringRef::npos) return name.take_front(target);
  const size_t gfx = name.rfind(".gfx");
  if (gfx != llvm::StringRef::npos) return name.take_front(gfx);
  name.consume_back("_");
  name.consume_back(".");
  return name;
}

// The file of a pass: its module, number and names.
struct PassFile {
  llvm::StringRef module;
  int64_t number = 0;
  HloFile file;
};

// "MODULE.0007.PIPELINE.after_PASS.before_PASS.txt", the last part not always there.
std::optional<PassFile> AsPassFile(llvm::StringRef name) {
  if (!name.consume_back(".txt")) return std::nullopt;
  const size_t after = name.find(".after_");
  if (after == llvm::StringRef::npos) return std::nullopt;
  llvm::StringRef front = name.take_front(after), back = name.drop_front(after + 7);
  PassFile pass;
  // The number is the last part of four digits or more before the names.
  llvm::SmallVector<llvm::StringRef, 8> parts;
  front.split(parts, '.');
  for (size_t k = parts.size(); k-- > 1;) {
    if (parts[k].size() < 4 || parts[k].getAsInteger(10, pass.number)) continue;
    pass.module = front.take_front(static_cast<size_t>(parts[k].data() - front.data()) - 1);
    pass.file.pipeline =
        front.drop_front(static_cast<size_t>(parts[k].end() - front.data())).ltrim('.').str();
    pass.file.after = back.split(".before_").first.str();
    return pass;
  }
  return std::nullopt;
}

// "module_0001.jit_f" of "module_0001.jit_f.0.ptx" and the like; empty for other names.
std::string NumberedModule(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  name.split(parts, '.', 2);
  int64_t number = 0;
  const bool is_numbered =
      parts.size() == 3 && parts[0].consume_front("module_") && !parts[0].getAsInteger(10, number);
  return is_numbered ? name.take_front(name.size() - parts[2].size() - 1).str() : "";
}

// A number of kernels' files sorts as a number.
std::tuple<int64_t, std::string> KernelOrder(const std::string& path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  name.consume_back(".ir-no-opt.ll");
  int64_t number = 0;
  if (name.rsplit('.').second.getAsInteger(10, number)) number = INT64_MAX;
  return {number, path};
}

class Finder {
 public:
  void Add(llvm::StringRef path) {
    const llvm::StringRef name = llvm::sys::path::filename(path);
    if (AddOptimized(name, path) || AddPass(name, path)) return;
    llvm::StringRef rest = name;
    if (rest.consume_back(".before_optimizations.txt")) {
      before_[rest.str()] = path.str();
      modules_[rest.str()];
    } else if (rest.consume_back(".thunk_sequence.txt")) {
      modules_[rest.str()].thunks = path.str();
    } else if (rest.consume_back(".thunk_sequence_after_thunk_passes.txt")) {
      modules_[rest.str()].thunks_after_passes = path.str();
    } else if (rest.consume_back(".thunk_metadata.txt")) {
      modules_[rest.str()].thunk_names = path.str();
    } else if (rest.ends_with(".ll") && rest.contains(".ir-no-opt.")) {
      kernels_.push_back(path.str());
    } else if (rest.ends_with(".mlir-passes.log")) {
      logs_.push_back(path.str());
    } else if (const std::string module = NumberedModule(name); !module.empty()) {
      others_.push_back(module);
    }
  }

  std::vector<ModuleFiles> Finish() {
    AddModulesOfOtherFiles();
    std::vector<ModuleFiles> modules;
    for (auto& [name, module] : modules_) {
      module.name = name;
      auto before = before_.find(name);
      if (before != before_.end()) module.hlo.push_back({before->second, "", ""});
      module.has_before = !module.hlo.empty();
      for (auto& [number, file] : passes_[name]) {
        module.of_two_compilations |= passes_[name].count(number) > 1;
        module.hlo.push_back(std::move(file));
      }
      module.has_passes = !passes_[name].empty();
      if (!module.optimized.empty()) module.hlo.push_back({module.optimized, "", ""});
      for (const std::string& kernel : kernels_) {
        llvm::StringRef file = llvm::sys::path::filename(kernel);
        if (!file.starts_with(name + ".")) continue;
        const bool of_constants = file.contains(".constants.ir-no-opt.");
        (of_constants ? module.constants : module.kernels).push_back(kernel);
      }
      std::sort(module.kernels.begin(), module.kernels.end(),
                [](const auto& a, const auto& b) { return KernelOrder(a) < KernelOrder(b); });
      for (const std::string& log : logs_) {
        llvm::StringRef file = llvm::sys::path::filename(log);
        if (file.consume_front(name + ".") && file.consume_back(".mlir-passes.log"))
          module.emitter_logs.emplace_back(log, file.str());
      }
      modules.push_back(std::move(module));
    }
    return modules;
  }

 private:
  // Files that belong to no module say that those of one were lost.
  void AddModulesOfOtherFiles() {
    std::vector<std::string> names = others_;
    for (const std::vector<std::string>* paths : {&kernels_, &logs_}) {
      for (const std::string& path : *paths) {
        const llvm::StringRef file = llvm::sys::path::filename(path);
        const std::string numbered = NumberedModule(file);
        const size_t end = std::min(file.find(".ir-no-opt."), file.find(".mlir-passes.log"));
        names.push_back(numbered.empty() ? file.take_front(end).str() : numbered);
      }
    }
    for (const std::string& name : names) {
      const bool known = llvm::any_of(modules_, [&](const auto& module) {
        return name == module.first || llvm::StringRef(name).starts_with(module.first + ".") ||
               llvm::StringRef(module.first).starts_with(name + ".");
      });
      if (!known) modules_[name];
    }
  }

  bool AddOptimized(llvm::StringRef name, llvm::StringRef path) {
    for (llvm::StringRef after : kAfter) {
      const size_t at = name.rfind(after);  // a module may have any name
      if (at == llvm::StringRef::npos || at == 0) continue;
      const llvm::StringRef rest = name.drop_front(at + after.size());
      if (rest.contains("_after_optimizations")) continue;
      ModuleFiles& module = modules_[WithoutTarget(name.take_front(at)).str()];
      if (rest == ".txt") {
        if (!module.optimized.empty()) module.other_optimized.push_back(module.optimized);
        module.optimized = path.str();
        module.on_cpu = after.starts_with("cpu");
      }
      if (rest == "-buffer-assignment.txt") {
        if (!module.buffers.empty()) module.other_buffers.push_back(module.buffers);
        module.buffers = path.str();
      }
      return true;
    }
    return false;
  }

  bool AddPass(llvm::StringRef name, llvm::StringRef path) {
    auto pass = AsPassFile(name);
    if (!pass) return false;
    pass->file.path = path.str();
    modules_[pass->module.str()];
    passes_[pass->module.str()].emplace(pass->number, std::move(pass->file));
    return true;
  }

  std::map<std::string, ModuleFiles> modules_;
  std::map<std::string, std::string> before_;
  std::map<std::string, std::multimap<int64_t, HloFile>> passes_;
  std::vector<std::string> kernels_, logs_;
  std::vector<std::string> others_;  // modules, by the names of further files
};

}  // namespace

namespace {

// The entries of a folder, sorted by name, independent of the file system's order.
struct FolderEntries {
  std::vector<std::string> files, folders;
};

llvm::Expected<FolderEntries> EntriesOf(llvm::StringRef folder) {
  FolderEntries entries;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    if (llvm::sys::fs::is_regular_file(it->path())) entries.files.push_back(it->path());
    if (llvm::sys::fs::is_directory(it->path())) entries.folders.push_back(it->path());
  }
  if (error)
    return MakeError(folder + ":1:1: error: cannot be read (" + error.message() +
                     "), expected a dump of XLA");
  std::sort(entries.files.begin(), entries.files.end());
  std::sort(entries.folders.begin(), entries.folders.end());
  return entries;
}

std::vector<ModuleFiles> ModulesOfFiles(const std::vector<std::string>& files) {
  Finder finder;
  for (const std::string& path : files) finder.Add(path);
  return finder.Finish();
}

// The modules of a folder and of the folders in it, however deep; `prefix` is what stands in front
// of their names. A folder that is reached by two links is visited once.
llvm::Error AddModules(const std::string& folder, const std::string& prefix,
                       std::set<llvm::sys::fs::UniqueID>& visited,
                       std::vector<ModuleFiles>& modules) {
  llvm::sys::fs::UniqueID id;
  if (!llvm::sys::fs::getUniqueID(folder, id) && !visited.insert(id).second)
    return llvm::Error::success();
  auto entries = EntriesOf(folder);
  if (!entries) return entries.takeError();
  for (ModuleFiles& module : ModulesOfFiles(entries->files)) {
    module.name = prefix + module.name;
    modules.push_back(std::move(module));
  }
  for (const std::string& inside : entries->folders) {
    const std::string name = llvm::sys::path::filename(inside).str();
    if (llvm::Error error = AddModules(inside, prefix + name + "/", visited, modules)) return error;
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<std::vector<ModuleFiles>> FindModules(llvm::StringRef folder) {
  if (!llvm::sys::fs::is_directory(folder)) {
    return MakeError("'" + folder + "' is " +
                     (llvm::sys::fs::exists(folder) ? "a file" : "not there") +
                     ", expected a folder that XLA has dumped to (--xla_dump_to)");
  }
  std::vector<ModuleFiles> modules;
  std::set<llvm::sys::fs::UniqueID> visited;
  if (llvm::Error error = AddModules(folder.str(), "", visited, modules)) return error;
  // A module of which nothing says what it computes is not covered; alone it is no dump.
  if (llvm::none_of(modules, [](const auto& of) { return !of.hlo.empty(); })) {
    return MakeError(folder +
                     ":1:1: error: holds no module, expected a dump of XLA "
                     "(--xla_dump_to, best with --xla_dump_hlo_pass_re=.*), or a folder of dumps");
  }
  return modules;
}

std::string DigestOf(llvm::ArrayRef<ModuleFiles> modules) {
  InputDigest digest;
  auto add = [&](llvm::StringRef text) { digest.Add(text); };
  auto add_file = [&](const std::string& path) {
    if (path.empty()) return add("");
    auto text = llvm::MemoryBuffer::getFile(path);
    add(text ? (*text)->getBuffer() : llvm::StringRef("cannot be read"));
  };
  for (const ModuleFiles& module : modules) {
    add(module.name);
    for (const HloFile& file : module.hlo) {
      add(file.pipeline + " " + file.after);
      add_file(file.path);
    }
    for (const auto* files :
         {&module.other_optimized, &module.other_buffers, &module.kernels, &module.constants}) {
      add(std::to_string(files->size()));
      llvm::for_each(*files, add_file);
    }
    for (const std::string* file :
         {&module.thunks, &module.thunk_names, &module.thunks_after_passes, &module.buffers})
      add_file(*file);
    for (const auto& [name, file] : module.emitter_logs) {
      add(name);
      add_file(file);
    }
  }
  return digest.text();
}

}  // namespace affirm::driver
