// heddle: the program.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "command.h"
#include "notes.h"
#include "output.h"
#include "report/style.h"

namespace {

/// An answer that was not written whole is not an answer.
int flushed(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return code;
  const heddle::Error error = heddle::tool::output_error();
  heddle::tool::print_message("heddle: " + error.full_text() + "\n");
  return static_cast<int>(error.code());
}

/// Columns of the terminal that standard output is; 0 where it is not one.
std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::report::set_text_columns(heddle::report::choose_columns(terminal_columns()));
  return flushed(heddle::tool::run_command(argc, argv));
}
