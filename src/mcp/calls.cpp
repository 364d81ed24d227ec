#include "mcp/calls.h"

namespace heddle::mcp {

Calls::~Calls() {
  finish(std::chrono::milliseconds(0));
}

Calls::Start Calls::start(const std::string& key, Work work) {
  join_ended();
  const std::lock_guard lock(mutex_);
  if (calls_.contains(key)) return Start::known_key;
  if (calls_.size() >= kMostCalls) return Start::too_many;
  Call& call = *calls_.emplace(key, std::make_unique<Call>()).first->second;
  call.thread = std::thread([this, key, &call, work = std::move(work)] { run(key, call, work); });
  return Start::started;
}

void Calls::run(const std::string& key, Call& call, const Work& work) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ < at_once_ || call.stop; });
    ++running_;
  }
  if (!call.stop) work(call.stop);
  const std::lock_guard lock(mutex_);
  --running_;
  const auto place = calls_.find(key);
  ended_.push_back(std::move(place->second));
  calls_.erase(place);
  changed_.notify_all();
}

void Calls::cancel(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto place = calls_.find(key);
  if (place != calls_.end()) place->second->stop = true;
  changed_.notify_all();
}

bool Calls::has(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return calls_.contains(key);
}

void Calls::finish(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    const auto none_left = [&] { return calls_.empty(); };
    changed_.wait_for(lock, patience, none_left);
    for (auto& [key, call] : calls_) call->stop = true;
    changed_.notify_all();
    changed_.wait(lock, none_left);
  }
  join_ended();
}

void Calls::join_ended() {
  std::vector<std::unique_ptr<Call>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  for (const auto& call : ended) call->thread.join();
}

}  // namespace heddle::mcp
