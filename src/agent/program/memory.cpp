#include "memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::agent {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{32} << 20;
constexpr std::uint64_t kCheapUpdates = std::uint64_t{64} << 20;

}  // namespace

LaunchMemory::LaunchMemory(Driver& driver, const Launch& launch, std::string folder)
    : driver_(driver), launch_(launch), folder_(std::move(folder)) {
  for (const Tensor& tensor : launch.tensors) {
    const Address block = driver_.allocate(tensor.bytes + 2 * kGuardBytes);
    blocks_.push_back(block);
    addresses_.push_back(block + kGuardBytes);
    driver_.fill(block, kGuardPattern, kGuardBytes);
    driver_.fill(block + kGuardBytes + tensor.bytes, kGuardPattern, kGuardBytes);
  }
  for (const Argument& argument : launch.arguments) {
    std::vector<unsigned char> value(argument.bytes.begin(), argument.bytes.end());
    if (argument.kind == ArgumentKind::tensor)
      std::memcpy(value.data(), &addresses_[argument.tensor], sizeof(Address));
    values_.push_back(std::move(value));
  }
  for (std::vector<unsigned char>& value : values_) parameters_.push_back(value.data());
}

LaunchMemory::~LaunchMemory() {
  for (const std::vector<Address>* list : {&blocks_, &copies_})
    for (const Address block : *list) {
      try {
        if (block != 0) driver_.release(block);
      } catch (const DriverError&) {  // after a fault nothing can be given back
      }
    }
}

void LaunchMemory::set_seed(std::uint64_t seed) {
  contents_.clear();
  for (std::size_t i = 0; i < launch_.tensors.size(); ++i) {
    const Tensor& tensor = launch_.tensors[i];
    if (tensor.use == Use::write)
      contents_.emplace_back();
    else
      contents_.push_back(make_contents(tensor, {seed, i, folder_, addresses_}));
    if (tensor.use == Use::read) upload(i);
  }
}

void LaunchMemory::prepare(unsigned char pattern) {
  for (std::size_t i = 0; i < launch_.tensors.size(); ++i) {
    const Tensor& tensor = launch_.tensors[i];
    if (tensor.use == Use::write) driver_.fill(addresses_[i], pattern, tensor.bytes);
    if (tensor.use == Use::update) upload(i);
  }
}

void LaunchMemory::upload(std::size_t tensor) {
  const HostContents& contents = contents_[tensor];
  unsigned char* const staging = driver_.staging(kStep);
  for (std::uint64_t at = 0; at < contents.bytes; at += kStep) {
    const std::uint64_t some = std::min(kStep, contents.bytes - at);
    copy_contents(contents, at, some, staging);
    driver_.upload(addresses_[tensor] + at, staging, some);
  }
}

std::optional<std::string> LaunchMemory::zone_damage(std::size_t tensor, bool behind) {
  const std::uint64_t bytes = launch_.tensors[tensor].bytes;
  unsigned char* const staging = driver_.staging(kStep);
  driver_.download(staging, behind ? addresses_[tensor] + bytes : blocks_[tensor], kGuardBytes);
  // In front of a tensor the nearest byte is the last one.
  std::uint64_t nearest = 0;
  std::uint64_t count = 0;
  for (std::uint64_t i = kGuardBytes; i-- > 0;) {
    const std::uint64_t at = behind ? i : kGuardBytes - 1 - i;
    if (staging[at] == kGuardPattern) continue;
    nearest = i + 1;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return "wrote " + std::string(behind ? "behind" : "in front of") + " tensor " +
         launch_.tensors[tensor].name + ": byte " + std::to_string(nearest) +
         (behind ? " after its end, " : " before its beginning, ") + std::to_string(count) +
         " bytes of the guard page changed";
}

std::optional<std::string> LaunchMemory::damage() {
  for (std::size_t i = 0; i < launch_.tensors.size(); ++i)
    for (const bool behind : {false, true})
      if (auto text = zone_damage(i, behind)) return text;
  return std::nullopt;
}

std::optional<std::string> LaunchMemory::changed_input() {
  Bytes expected(kStep);
  for (std::size_t i = 0; i < launch_.tensors.size(); ++i) {
    const Tensor& tensor = launch_.tensors[i];
    if (tensor.use != Use::read) continue;
    unsigned char* const staging = driver_.staging(kStep);
    for (std::uint64_t at = 0; at < tensor.bytes; at += kStep) {
      const std::uint64_t some = std::min(kStep, tensor.bytes - at);
      driver_.download(staging, addresses_[i] + at, some);
      copy_contents(contents_[i], at, some, expected.data());
      if (std::memcmp(expected.data(), staging, some) == 0) continue;
      const std::size_t size = bytes_of(tensor.dtype);
      std::uint64_t byte = 0;
      while (expected[byte] == staging[byte]) ++byte;
      const std::uint64_t element = byte / size;
      return "tensor " + tensor.name + " at " + place_text(tensor, at / size + element) + ": was " +
             value_text(tensor.dtype, expected.data() + element * size) + ", is " +
             value_text(tensor.dtype, staging + element * size);
    }
  }
  return std::nullopt;
}

std::optional<Bytes> LaunchMemory::download(std::size_t tensor, const Bytes* expected) {
  const std::uint64_t bytes = launch_.tensors[tensor].bytes;
  unsigned char* const staging = driver_.staging(kStep);
  Bytes found;
  bool same = expected != nullptr;
  for (std::uint64_t at = 0; at < bytes; at += kStep) {
    const std::uint64_t some = std::min(kStep, bytes - at);
    driver_.download(staging, addresses_[tensor] + at, some);
    if (same && std::memcmp(expected->data() + at, staging, some) == 0) continue;
    if (found.empty()) {  // all before this step was as expected
      found.resize(bytes);
      if (same) std::memcpy(found.data(), expected->data(), at);
    }
    same = false;
    std::memcpy(found.data() + at, staging, some);
  }
  if (same) return std::nullopt;
  return found;
}

void LaunchMemory::keep_updates() {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : launch_.tensors)
    if (tensor.use == Use::update) bytes += tensor.bytes;
  if (bytes == 0 || bytes > kCheapUpdates) return;
  for (std::size_t i = 0; i < launch_.tensors.size(); ++i) {
    copies_.push_back(0);
    const Tensor& tensor = launch_.tensors[i];
    if (tensor.use != Use::update) continue;
    copies_[i] = driver_.allocate(tensor.bytes);
    driver_.copy(copies_[i], addresses_[i], tensor.bytes);
  }
}

bool LaunchMemory::restores_updates() const {
  if (!copies_.empty()) return true;
  return std::none_of(launch_.tensors.begin(), launch_.tensors.end(),
                      [](const Tensor& tensor) { return tensor.use == Use::update; });
}

void LaunchMemory::poison_queued(unsigned char pattern) {
  for (std::size_t i = 0; i < launch_.tensors.size(); ++i)
    if (launch_.tensors[i].use == Use::write && launch_.tensors[i].bytes > 0)
      driver_.fill_queued(addresses_[i], pattern, launch_.tensors[i].bytes);
}

void LaunchMemory::restore_updates() {
  for (std::size_t i = 0; i < copies_.size(); ++i)
    if (copies_[i] != 0) driver_.copy(addresses_[i], copies_[i], launch_.tensors[i].bytes);
}

}  // namespace heddle::agent
