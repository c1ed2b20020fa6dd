// The options of the verbs: a thin face of CLI11, which is compiled in one file. A file that
// includes CLI11 itself takes half a minute to compile.
//
//   void AddGreet(CommandLine& line) {
//     auto options = std::make_shared<Options>();
//     Verb verb = line.Add("greet", "Say hello");
//     verb.Option("NAME", options->name, "Whom to greet").Required();
//     verb.Option("--times", options->times, "How often").Within(1, 10).ShowDefault();
//     verb.Flag("--loud", options->loud, "In capitals");
//     verb.Run([options] { return Greet(*options); });
//   }
#ifndef AFFIRM_TOOLS_AFFIRM_COMMAND_LINE_H_
#define AFFIRM_TOOLS_AFFIRM_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/affirm/option_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace affirm::cli {

// One option, positional argument or flag of a verb; what is called on it restricts it. A value
// that breaks a restriction ends the program with an error and kBadInput before the verb runs.
class OptionHandle {
 public:
  explicit OptionHandle(CLI::Option* option) : option_(option) {}

  OptionHandle Required();
  OptionHandle OneOf(std::vector<std::string> values);
  // Both ends belong to it.
  OptionHandle Within(int64_t least, int64_t most);
  // A number of seconds, or of anything else that need not be whole: finite, and above `least` or,
  // of AtLeast, not below it.
  OptionHandle Above(double least);
  OptionHandle AtLeast(double least);
  // A list: how many values it may have, or the character between them.
  OptionHandle Count(int least, int most);
  OptionHandle Delimiter(char delimiter);
  // A list of which each value stands behind the option's name again, so that what follows one is
  // something else.
  OptionHandle Repeated();
  // `--help` prints the value that the variable has now.
  OptionHandle ShowDefault();
  // May be given only together with the other, or only without it.
  OptionHandle Needs(OptionHandle other);
  OptionHandle Excludes(OptionHandle other);

  bool operator==(const OptionHandle&) const = default;

 private:
  CLI::Option* option_;
};

// One subcommand. Variables that options write to live as long as the command line: the function
// given to Run holds them.
class Verb {
 public:
  Verb(CLI::App* app, int& status) : app_(app), status_(&status) {}

  // An option ("--name", "-n,--name") or a positional argument ("NAME"). T is std::string, int64_t,
  // uint64_t, unsigned, double, std::optional of a string or of uint64_t, or a vector of strings.
  // Numbers are read as numbers.h says.
  template <typename T>
  OptionHandle Option(const std::string& names, T& value, const std::string& help);
  // An option whose value is the sizes of an array, as 4,8; an empty value is an array of rank 0.
  OptionHandle Sizes(const std::string& names, std::vector<int64_t>& sizes,
                     const std::string& help);
  OptionHandle Flag(const std::string& names, bool& value, const std::string& help);
  // A flag that counts how often it stands: -vv is 2.
  OptionHandle Count(const std::string& names, int& value, const std::string& help);
  // One that was added before.
  OptionHandle Find(const std::string& name);
  // Behind the options of `--help`: examples.
  void Footer(const std::string& text);
  // Sets the action of the verb, which returns its exit status.
  void Run(std::function<int()> run);

 private:
  CLI::App* app_;
  int* status_;  // of the command line
};

class CommandLine {
 public:
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();

  Verb Add(const std::string& name, const std::string& help);
  void Footer(const std::string& text);
  // All verbs that were added, with their options.
  OptionTable Table() const;
  // Parses, runs the verb that is named, and answers its exit status; kBadInput and a message on
  // stderr when the arguments are wrong.
  int Run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  int status_ = 0;  // of the verb that ran
};

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_COMMAND_LINE_H_
