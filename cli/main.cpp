// weir: grammars, masks and generation from the command line. `weir --help` lists the verbs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "output.hpp"

namespace weir::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 yes, or done; 1 no; 2 an error in what was given; 3 generation stopped before the text was "
    "complete.\n"
    "`weir COMMAND --help` lists a command's options.";

// CLI11 names what it did not understand by an exception; this says it in one sentence with a remedy.
std::string usage_message(const CLI::App& root, const CLI::ParseError& error) {
  const auto parsed = root.get_subcommands();
  const std::vector<std::string> unknown = root.remaining(/*recurse=*/true);
  if (parsed.empty()) {
    if (unknown.empty()) return "no command is given; it is one of compile, accepts, mask, generate (see weir --help)";
    return fmt::format("there is no command {}; it is one of compile, accepts, mask, generate (see weir --help)",
                       unknown.front());
  }
  const std::string help = fmt::format("see weir {} --help", parsed.front()->get_name());
  if (!unknown.empty()) return fmt::format("unexpected argument {}; {}", unknown.front(), help);
  return fmt::format("{}; {}", error.what(), help);
}

// The arguments, last first, as CLI11 takes them. CLI11 reads `--name=` as an option whose value is the next argument;
// written as two arguments, it means the empty value that was given.
std::vector<std::string> reversed_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      argument.pop_back();
      arguments.emplace_back();
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

int run(int argc, const char* const* argv) {
  CLI::App root("weir constrains a language model's output to a JSON Schema, an EBNF grammar or a regular expression.",
                "weir");
  root.footer(kFooter);
  root.set_version_flag("--version", "weir " WEIR_VERSION);
  root.require_subcommand(1);
  const std::array<Verb, 4> verbs = {add_compile(root), add_accepts(root), add_mask(root), add_generate(root)};
  try {
    root.parse(reversed_arguments(argc, argv));
  } catch (const CLI::Success& help) {
    return root.exit(help);  // --help, --version
  } catch (const CLI::ParseError& error) {
    const bool json =
        std::any_of(argv + 1, argv + argc, [](std::string_view a) { return a == "--json" || a == "--jsonl"; });
    return report_error(make_error(ErrorCode::kArgument, usage_message(root, error)), "", json);
  }
  for (const Verb& verb : verbs) {
    if (!verb.app->parsed()) continue;
    const int exit_code = verb.run();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    return report_error(make_error(ErrorCode::kIo, "cannot write to standard output"), "", /*json=*/false);
  }
  return kError;
}

}  // namespace
}  // namespace weir::cli

int main(int argc, char** argv) { return weir::cli::run(argc, argv); }
