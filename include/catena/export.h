// What the shared library shows: everything in the public headers, nothing else.
//
// All code is compiled with hidden visibility. Public headers open their namespace with CATENA_API, which makes what
// that block declares visible: functions, classes with their members, type information for exceptions and casts.
// One word per header instead of one per declaration, and nothing to forget when a function is added. The private
// headers in src/ open the same namespace without it. tools/check_package.sh counts what comes out.
//
// A static library does not care, so the macro is the same for those who build Catena and those who use it.
#pragma once

#if defined(__GNUC__)  // and clang, which wants a standard attribute in this place
#define CATENA_API [[gnu::visibility("default")]]
#else
#define CATENA_API
#endif
