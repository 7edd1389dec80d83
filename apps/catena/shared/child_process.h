// Other programs, run beside ours and talked to through a socket: no shell, no zombie, nothing left running.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace catena::app {

/// The full path of the first of these programs that is installed, or an empty string. Names with a '/' are taken as they are.
std::string find_program(const std::vector<std::string>& names);

/// What a program printed on its standard output, and how it ended.
struct ProgramOutput {
  int status = -1;       // exit status, -1: it was killed
  bool in_time = false;  // it ended by itself within the time it was given
  std::string text;
};
ProgramOutput run_program(const std::vector<std::string>& command, std::chrono::milliseconds longest);

class ChildProcess {
 public:
  enum class Talk { through_stdin, through_3_and_4, from_stdout, through_stdin_and_stdout };
  /// Starts a program; what it says on its standard streams is not heard, except with ..._stdout. Throws
  /// std::runtime_error.
  ChildProcess(const std::vector<std::string>& command, Talk talk);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Whether all of it was taken; not when the program has ended.
  bool write(std::string_view bytes);
  /// Appends what has arrived to `out`, after waiting for something. Nothing when it takes longer or the program has ended.
  bool read(std::string& out, std::chrono::milliseconds longest);
  /// Says that nothing more is written, and waits for the end. Its exit status; -1 when it had to be killed.
  int finish(std::chrono::milliseconds longest);

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace catena::app
