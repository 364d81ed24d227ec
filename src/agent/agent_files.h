// The agent's sources, as bytes in heddle: a bundle carries them to a machine that has no heddle.
#pragma once

#include <string>
#include <vector>

namespace heddle::agent {

struct AgentFile {
  std::string path;  ///< "main.cpp"
  std::string text;
};

const std::vector<AgentFile>& agent_files();

}  // namespace heddle::agent
