// Predicts what two orders of a job do on a GPU: simulate JOB GPU ORDER ORDER
#include <heddle/heddle.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: simulate JOB GPU ORDER ORDER\n";
    return HEDDLE_USAGE;
  }
  for (int i = 3; i < 5; ++i) {
    const heddle::Result result = heddle::simulate(argv[1], argv[2], {"--order", argv[i]});
    if (result.is_error()) {
      std::cerr << result.messages();
      return result.exit_code();
    }
    std::cout << result.text("/order") << ": " << result.number("/predicted_time_us") << " us\n";
  }
}
