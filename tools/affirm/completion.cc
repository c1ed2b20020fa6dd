// Completion scripts of shells, from the table of options.
#include "llvm/ADT/StringExtras.h"
#include "tools/affirm/option_table.h"

namespace affirm::cli {
namespace {

std::vector<std::string> NamesOf(const std::vector<VerbEntry>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const VerbEntry& verb : verbs) names.push_back(verb.name);
  return names;
}

std::vector<std::string> OptionsOf(const VerbEntry& verb) {
  std::vector<std::string> names;
  for (const OptionEntry& option : verb.options) {
    if (!option.positional()) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Between single quotes of a shell: a quote ends them, stands escaped, and begins them again.
std::string Quoted(llvm::StringRef text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string BashCompletion(const OptionTable& table) {
  const std::string& program = table.program;
  std::string text =
      "_" + program +
      "() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n  if [[ $COMP_CWORD -eq 1 ]]; then\n    COMPREPLY=($(compgen -W " +
      Quoted(llvm::join(NamesOf(table.verbs), " ") + " --help --version") +
      " -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]}:$before in\n";
  for (const VerbEntry& verb : table.verbs) {
    for (const OptionEntry& option : verb.options) {
      if (option.values.empty() || option.positional()) continue;
      std::vector<std::string> patterns;
      patterns.reserve(option.names.size());
      for (const std::string& name : option.names) patterns.push_back(verb.name + ":" + name);
      text += "    " + llvm::join(patterns, " | ") + ") COMPREPLY=($(compgen -W " +
              Quoted(llvm::join(option.values, " ")) + " -- \"$word\")); return ;;\n";
    }
  }
  text += "  esac\n  [[ $word == -* ]] || return\n  case ${COMP_WORDS[1]} in\n";
  for (const VerbEntry& verb : table.verbs) {
    text += "    " + verb.name + ") COMPREPLY=($(compgen -W " +
            Quoted(llvm::join(OptionsOf(verb), " ")) + " -- \"$word\")) ;;\n";
  }
  return text + "  esac\n}\ncomplete -o default -F _" + program + " " + program + "\n";
}

std::string ZshCompletion(const OptionTable& table) {
  // The format of _arguments: brackets around descriptions and colons between parts.
  auto described = [](llvm::StringRef help) {
    std::string text;
    for (char c : help)
      text += llvm::StringRef("[]:\\").contains(c) ? std::string("\\") + c : std::string(1, c);
    return text;
  };
  std::string text = "#compdef " + table.program + "\nlocal -a verbs=(\n";
  for (const VerbEntry& verb : table.verbs)
    text += "  " + Quoted(verb.name + ":" + described(verb.help)) + "\n";
  text +=
      ")\nif (( CURRENT == 2 )); then\n  _describe verb verbs\n  return\nfi\n"
      "local verb=$words[2]\nshift words\n(( CURRENT-- ))\ncase $verb in\n";
  for (const VerbEntry& verb : table.verbs) {
    text += "  " + verb.name + ")\n    _arguments";
    for (const OptionEntry& option : verb.options) {
      if (option.positional()) continue;
      for (const std::string& name : option.names) {
        std::string spec = name + "[" + described(option.help) + "]";
        if (!option.values.empty()) {
          spec += ":value:(" + llvm::join(option.values, " ") + ")";
        } else if (!option.value.empty()) {
          spec += ":value:_files";
        }
        text += " \\\n      " + Quoted(spec);
      }
    }
    text += " \\\n      '*:file:_files'\n    ;;\n";
  }
  return text + "esac\n";
}

std::string FishCompletion(const OptionTable& table) {
  const std::string begin = "complete -c " + table.program;
  std::string text;
  for (const VerbEntry& verb : table.verbs) {
    text +=
        begin + " -n __fish_use_subcommand -f -a " + verb.name + " -d " + Quoted(verb.help) + "\n";
  }
  for (const VerbEntry& verb : table.verbs) {
    for (const OptionEntry& option : verb.options) {
      if (option.positional()) continue;
      text += begin + " -n '__fish_seen_subcommand_from " + verb.name + "'";
      for (llvm::StringRef name : option.names) {
        if (name.consume_front("--"))
          text += " -l " + name.str();
        else
          text += " -s " + name.drop_front().str();
      }
      if (!option.values.empty()) {
        text += " -x -a " + Quoted(llvm::join(option.values, " "));
      } else if (!option.value.empty()) {
        text += " -r";
      }
      text += " -d " + Quoted(option.help) + "\n";
    }
  }
  return text;
}

}  // namespace affirm::cli
