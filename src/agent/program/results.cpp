#include "results.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "failure.h"
#include "words.h"

namespace heddle::agent {

Results::Results(std::string folder) : folder_(std::move(folder) + "/results") {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);  // a link itself, not what it leads to
  if (!error) std::filesystem::create_directory(folder_, error);
  if (error)
    throw Failure(kMissing, printable(folder_) + " cannot be written: " + error.message(),
                  "copy the bundle to where you may write");
  log("", "");
}

Results::Results(std::string folder, Keep) : folder_(std::move(folder) + "/results") {}

std::vector<std::size_t> rejected_in(const std::string& folder) {
  std::vector<std::size_t> numbers;
  std::ifstream file(folder + "/results/checks.csv");
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; fields.size() < 4 && std::getline(text, field, ',');)
      fields.push_back(field);
    const auto number = fields.empty() ? std::nullopt : natural(fields[0]);
    if (number && fields.size() == 4 && fields[3] == "rejected") numbers.push_back(*number);
  }
  return numbers;
}

void Results::write(const std::string& name, const std::string& text, bool append) const {
  const std::string path = folder_ + "/" + name;
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (append ? O_APPEND : O_TRUNC);
  const int file = open(path.c_str(), flags, 0666);
  bool good = file >= 0;
  for (std::size_t at = 0; good && at < text.size();) {
    const ssize_t some = ::write(file, text.data() + at, text.size() - at);
    if (some < 0 && errno == EINTR) continue;
    good = some > 0;
    at += static_cast<std::size_t>(good ? some : 0);
  }
  const int error = errno;
  if (file >= 0) close(file);
  if (!good)
    throw Failure(kMissing, printable(path) + " cannot be written: " + std::strerror(error),
                  "look whether the disk is full");
}

void Results::machine(const std::vector<std::pair<std::string, std::string>>& facts) const {
  std::string text;
  for (const auto& [key, fact] : facts) text += key + " " + printable(fact) + "\n";
  write("machine.txt", text);
}

void Results::checks(const Bundle& bundle, const std::map<CheckKey, Verdict>& verdicts) const {
  std::string text = "candidate,launch,seed,verdict,kind,detail\n";
  for (const auto& [key, verdict] : verdicts) {
    const bool placed = key.launch < bundle.launches.size();
    text += std::to_string(key.candidate) + "," +
            (placed ? csv_field(bundle.launches[key.launch].name) : "-") + "," +
            (placed ? std::to_string(bundle.seeds[key.seed]) : "-") + "," + verdict.verdict + "," +
            verdict.kind + "," + csv_field(verdict.detail) + "\n";
  }
  write("checks.csv", text);
}

void Results::samples(const std::vector<Sample>& samples) const {
  std::string text = "phase,round,position,candidate,cache,launches,time_us\n";
  for (const auto& [phase, line] : samples)
    text += phase + "," + std::to_string(line.round) + "," + std::to_string(line.position) + "," +
            line.candidate + "," + line.key + "," + std::to_string(line.launches) + "," +
            number_text(line.time_us, 9) + "\n";
  write("samples.csv", text);
}

void Results::warm_ups(const std::vector<Sample>& lines) const {
  std::string text = "phase,launches,stable\n";
  for (const auto& [phase, line] : lines)
    text += phase + "," + std::to_string(line.launches) + "," + line.key + "\n";
  write("warmup.csv", text);
}

void Results::compiled(const std::map<std::size_t, CompiledSizes>& sizes) const {
  const auto field = [](const std::optional<std::uint64_t>& number) {
    return number ? std::to_string(*number) : std::string();
  };
  std::string text = "candidate,registers,shared_bytes,spills\n";
  for (const auto& [candidate, one] : sizes)
    text += std::to_string(candidate) + "," + field(one.registers) + "," + field(one.shared_bytes) +
            "," + field(one.spills) + "\n";
  write("compiled.csv", text);
}

void Results::clocks(const std::vector<std::string>& rows) const {
  std::string text = "phase,elapsed_s,sm_mhz,memory_mhz,temperature_c,power_w,throttle\n";
  for (const std::string& row : rows) text += row + "\n";
  write("clocks.csv", text);
}

void Results::counters(const std::string& csv, const std::string& order) const {
  if (!csv.empty()) write("counters.csv", csv);
  write("counters.txt", order + "\n");
}

void Results::log(const std::string& title, const std::string& text) const {
  if (title.empty()) return write("log.txt", "");
  std::string section = "== " + title + "\n" + text;
  if (section.back() != '\n') section += "\n";
  write("log.txt", section, true);
}

void Results::done(const std::string& text) const {
  write("done.txt", text + "\n");
}

}  // namespace heddle::agent
