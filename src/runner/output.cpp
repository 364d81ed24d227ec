#include "runner/output.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runner/lanes.h"

namespace heddle::runner {
namespace {

std::array<char, std::size_t{256} << 10> buffer;
std::size_t filled = 0;

void write_all(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = write(STDOUT_FILENO, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody listens any more
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

void put(const void* bytes, std::size_t count) {
  if (count > buffer.size() - filled) flush_output();
  if (count > buffer.size()) return write_all(static_cast<const char*>(bytes), count);
  std::memcpy(buffer.data() + filled, bytes, count);
  filled += count;
}

void flush_output() {
  const std::size_t count = filled;
  filled = 0;
  write_all(buffer.data(), count);
}

void fail(FaultKind kind, std::string_view text, std::uint32_t site, std::uint64_t address) {
  text = text.substr(0, kMostReasonBytes);
  Fault fault;
  fault.kind = kind;
  fault.site = site;
  fault.address = address;
  fault.thread = current_number();
  fault.text_bytes = static_cast<std::uint32_t>(text.size());
  Record record;
  record.record = RecordKind::fault;
  record.bytes = static_cast<std::uint32_t>(sizeof fault + text.size());
  put(&record, sizeof record);
  put(&fault, sizeof fault);
  put(text.data(), text.size());
  flush_output();
  _exit(1);
}

}  // namespace heddle::runner
