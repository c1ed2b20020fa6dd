// The command line as data, for completion and the manual page.
#ifndef AFFIRM_TOOLS_AFFIRM_OPTION_TABLE_H_
#define AFFIRM_TOOLS_AFFIRM_OPTION_TABLE_H_

#include <string>
#include <vector>

namespace affirm::cli {

struct OptionEntry {
  std::vector<std::string> names;   // "-j", "--jobs"; of a positional argument: "FILES"
  std::string value;                // "INT", "TEXT"; empty for a flag
  std::vector<std::string> values;  // those that it takes, where they are few
  std::string help;

  bool positional() const { return names.front().front() != '-'; }
};

struct VerbEntry {
  std::string name, help, footer;
  std::vector<OptionEntry> options;
};

struct OptionTable {
  std::string program, about, footer;
  std::vector<VerbEntry> verbs;
};

// Completion scripts: "bash", "zsh" or "fish". Verbs, options and their values are completed,
// everything else as files.
std::string BashCompletion(const OptionTable& table);
std::string ZshCompletion(const OptionTable& table);
std::string FishCompletion(const OptionTable& table);
// The manual page, section 1, for man.
std::string ManualPage(const OptionTable& table, const std::string& version);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_OPTION_TABLE_H_
