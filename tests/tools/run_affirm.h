// Runs the built tool, as a user would.
#ifndef AFFIRM_TESTS_TOOLS_RUN_AFFIRM_H_
#define AFFIRM_TESTS_TOOLS_RUN_AFFIRM_H_

#include <string>
#include <utility>
#include <vector>

namespace affirm::testing {

struct RunResult {
  int status = -1;  // exit status; 128 + the signal that ended it
  std::string out, err;
  double seconds = 0;
  long peak_kib = 0;  // resident
};

// `program` with arguments and a standard input; killed after `limit_seconds`.
RunResult RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& input = "", int limit_seconds = 300);
// The tool of this build: its path, and a run of it.
std::string AffirmPath();
RunResult RunAffirm(const std::vector<std::string>& arguments, const std::string& input = "",
                    int limit_seconds = 300);
// Begins the tool, and ends it with a signal once a file has `lines` lines; its exit status, or 128
// + the signal that ended it.
int InterruptAffirm(const std::vector<std::string>& arguments, const std::string& file,
                    std::ptrdiff_t lines, int signal);

// A folder with files of these names and contents, removed with the object.
class TemporaryFolder {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;
  explicit TemporaryFolder(const Files& files = {});
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Written again where it is there.
  void Add(const std::string& name, const std::string& content) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A file with this content in a folder of the test's own, removed with the object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content);
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

std::string ReadFile(const std::string& path);
// The files of a folder with an extension, sorted.
std::vector<std::string> FilesIn(const std::string& folder, const std::string& extension);

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_TOOLS_RUN_AFFIRM_H_
