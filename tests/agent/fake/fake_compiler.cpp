// libnvrtc.so or libhiprtc.so: the code of a program is its text.
#include <cstring>
#include <string>

#include "fake.h"

namespace {

struct Program {
  std::string text;
  std::string log;
  std::string name;
};

Program& program_of(void* program) {
  return *static_cast<Program*>(program);
}

}  // namespace

extern "C" {

int FAKE(nvrtcVersion, hiprtcVersion)(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
int FAKE(nvrtcCreateProgram, hiprtcCreateProgram)(void** program, const char* text, const char*,
                                                  int, const char* const*, const char* const*) {
  *program = new Program{text, "", ""};
  return 0;
}
int FAKE(nvrtcDestroyProgram, hiprtcDestroyProgram)(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}
int FAKE(nvrtcAddNameExpression, hiprtcAddNameExpression)(void* program, const char* name) {
  program_of(program).name = std::string("_Z") + name;
  return 0;
}
int FAKE(nvrtcCompileProgram, hiprtcCompileProgram)(void* program, int, const char* const*) {
  Program& of = program_of(program);
  if (of.text.find("// fake: compile-error") == std::string::npos) return 0;
  of.log = "0.cu(3): error: expected a \";\", or so";
  return 6;
}
int FAKE(nvrtcGetProgramLogSize, hiprtcGetProgramLogSize)(void* program, std::size_t* size) {
  *size = program_of(program).log.size() + 1;
  return 0;
}
int FAKE(nvrtcGetProgramLog, hiprtcGetProgramLog)(void* program, char* log) {
  std::memcpy(log, program_of(program).log.c_str(), program_of(program).log.size() + 1);
  return 0;
}
int FAKE(nvrtcGetCUBINSize, hiprtcGetCodeSize)(void* program, std::size_t* size) {
  *size = program_of(program).text.size() + 1;
  return 0;
}
int FAKE(nvrtcGetCUBIN, hiprtcGetCode)(void* program, char* code) {
  std::memcpy(code, program_of(program).text.c_str(), program_of(program).text.size() + 1);
  return 0;
}
int FAKE(nvrtcGetLoweredName, hiprtcGetLoweredName)(void* program, const char*, const char** name) {
  *name = program_of(program).name.c_str();
  return 0;
}
const char* FAKE(nvrtcGetErrorString, hiprtcGetErrorString)(int) {
  return "fake compilation failed";
}
}
