#include "results.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

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
