// Runs the built tool in a process of its own and collects what it prints.
#include "tests/tools/run_affirm.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace affirm::testing {
namespace {

namespace fs = std::filesystem;

std::string MakeFolder() {
  std::string pattern = (fs::temp_directory_path() / "affirm-test-XXXXXX").string();
  return mkdtemp(pattern.data()) ? pattern : std::string();
}

// In the child: standard streams from and to files, then the program.
[[noreturn]] void Become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& folder, int limit_seconds) {
  dup2(open((folder + "/in").c_str(), O_RDONLY), 0);
  dup2(open((folder + "/out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
  dup2(open((folder + "/err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
  alarm(limit_seconds);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execvp(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

RunResult RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& input, int limit_seconds) {
  std::string folder = MakeFolder();
  std::ofstream(folder + "/in", std::ios::binary) << input;
  auto start = std::chrono::steady_clock::now();
  pid_t child = fork();
  if (child == 0) Become(program, arguments, folder, limit_seconds);
  int state = 0;
  rusage usage{};
  wait4(child, &state, 0, &usage);
  RunResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  result.peak_kib = usage.ru_maxrss;
  result.out = ReadFile(folder + "/out");
  result.err = ReadFile(folder + "/err");
  fs::remove_all(folder);
  return result;
}

std::string AffirmPath() { return AFFIRM_BINARY; }

RunResult RunAffirm(const std::vector<std::string>& arguments, const std::string& input,
                    int limit_seconds) {
  return RunProgram(AFFIRM_BINARY, arguments, input, limit_seconds);
}

int InterruptAffirm(const std::vector<std::string>& arguments, const std::string& file,
                    std::ptrdiff_t lines, int signal) {
  const pid_t process = fork();
  if (process == 0) {
    std::vector<std::string> all = {AFFIRM_BINARY};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& argument : all) argv.push_back(argument.data());
    argv.push_back(nullptr);
    for (int stream : {STDOUT_FILENO, STDERR_FILENO})
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), stream);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    const std::string text = ReadFile(file);
    if (std::count(text.begin(), text.end(), '\n') < lines) {
      usleep(2000);
      continue;
    }
    kill(process, signal);
    waitpid(process, &status, 0);
    break;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TemporaryFolder::TemporaryFolder(const Files& files) : path_(MakeFolder()) {
  for (const auto& [name, content] : files) Add(name, content);
}

TemporaryFolder::~TemporaryFolder() { fs::remove_all(path_); }

void TemporaryFolder::Add(const std::string& name, const std::string& content) const {
  std::ofstream(path_ + "/" + name, std::ios::binary) << content;
}

TemporaryFile::TemporaryFile(const std::string& name, const std::string& content)
    : folder_({{name, content}}), path_(folder_.path() + "/" + name) {}

std::string ReadFile(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> FilesIn(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  std::error_code none;  // no folder, no files
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == extension) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace affirm::testing
