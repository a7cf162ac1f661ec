// A verb of the command line, and how all of them end.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace weir::cli {

enum ExitCode : int {
  kYes = 0,         // yes, or done
  kNo = 1,          // no: the text is not in the language
  kError = 2,       // something given is wrong; one message on standard error says what
  kUnfinished = 3,  // generation stopped before the text was complete
};

struct Verb {
  CLI::App* app = nullptr;   // the subcommand; owned by the root
  std::function<int()> run;  // to be called once the command line is parsed; returns an ExitCode
};

// Each adds its subcommand and options to the root.
Verb add_compile(CLI::App& root);
Verb add_accepts(CLI::App& root);
Verb add_mask(CLI::App& root);
Verb add_generate(CLI::App& root);

}  // namespace weir::cli
