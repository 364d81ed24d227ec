// heddle: the program.
#include <cstdio>
#include <iostream>

#include "command.h"
#include "notes.h"
#include "output.h"

namespace {

/// An answer that was not written whole is not an answer.
int flushed(int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return code;
  const heddle::Error error = heddle::tool::output_error();
  heddle::tool::print_message("heddle: " + error.full_text() + "\n");
  return static_cast<int>(error.code());
}

}  // namespace

int main(int argc, char** argv) {
  return flushed(heddle::tool::run_command(argc, argv));
}
