/* libheddle: heddle's verbs as functions, for C and for anything that can call C.
 *
 *   const char* flags[] = {"--grid", "256x256", NULL};
 *   heddle_result* result = heddle_check("xcd(8)", flags);
 *   printf("%s %s\n", heddle_text(result, "/verdict"), heddle_json(result));
 *   heddle_free(result);
 *
 * Rules
 *   1. Flags are those of the command line (docs/cli.md), as words, with a NULL at the end; NULL in
 *      place of the list is none. --json is added. What a result holds is what `heddle VERB --json`
 *      prints: docs/schemas describes it.
 *   2. No function returns NULL, throws, exits, or prints, except that heddle_text gives NULL where
 *      there is no text. An error is a result, with an exit code of 2 or more and an "error" in its
 *      JSON.
 *   3. Any thread may call; calls wait for one another. A result belongs to its caller. Texts live
 *      as long as their result.
 *   4. No function or constant of this file goes away or changes its meaning within ABI version 1.
 *      New ones may come.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_ABI_VERSION 1

#if defined(__GNUC__)
#define HEDDLE_PUBLIC __attribute__((visibility("default")))
#else
#define HEDDLE_PUBLIC
#endif

/* The exit codes of the program. */
enum heddle_exit_code {
  HEDDLE_GOOD = 0,
  HEDDLE_REFUTED = 1,
  HEDDLE_USAGE = 2,
  HEDDLE_INCONCLUSIVE = 3,
  HEDDLE_MISSING = 4,
  HEDDLE_TARGET_FAILED = 5,
  HEDDLE_INTERRUPTED = 130
};

typedef struct heddle_result heddle_result;

/* "0.2.0 (60fa9ab1c2d3)" */
HEDDLE_PUBLIC const char* heddle_version(void);
/* HEDDLE_ABI_VERSION of the library that is loaded. */
HEDDLE_PUBLIC int heddle_abi_version(void);

/* Is this order a permutation? The sizes are flags: --grid, --grids, --all-sizes. */
HEDDLE_PUBLIC heddle_result* heddle_check(const char* order, const char* const* flags);
/* Is the order of this kernel one? A job file, or a kernel's file. */
HEDDLE_PUBLIC heddle_result* heddle_check_kernel(const char* job, const char* const* flags);
/* What every tile of a job's kernel reads and writes. */
HEDDLE_PUBLIC heddle_result* heddle_trace(const char* job, const char* const* flags);
/* What a GPU would count, and its time; --order is a flag. */
HEDDLE_PUBLIC heddle_result* heddle_simulate(const char* job, const char* gpu,
                                             const char* const* flags);
/* Which order to take. Writes the folder of -o; without one, nothing. */
HEDDLE_PUBLIC heddle_result* heddle_optimize(const char* job, const char* gpu,
                                             const char* const* flags);
/* Does the second kernel do the work of the first? --job says how they are launched. */
HEDDLE_PUBLIC heddle_result* heddle_audit_patch(const char* before, const char* after,
                                                const char* const* flags);
/* Are the claims of an optimiser's log true? --grid is a flag. */
HEDDLE_PUBLIC heddle_result* heddle_audit_log(const char* log, const char* const* flags);

HEDDLE_PUBLIC int heddle_exit_code_of(const heddle_result* result);
/* The whole document. */
HEDDLE_PUBLIC const char* heddle_json(const heddle_result* result);
/* Notes and the message of an error, as the program prints them on standard error. */
HEDDLE_PUBLIC const char* heddle_messages(const heddle_result* result);
/* A text at a place of the document (a JSON Pointer: "/best/order"); NULL if there is none. */
HEDDLE_PUBLIC const char* heddle_text(const heddle_result* result, const char* place);
/* A number at a place of the document; 0 if there is none, else 1. */
HEDDLE_PUBLIC int heddle_number(const heddle_result* result, const char* place, double* number);
HEDDLE_PUBLIC void heddle_free(heddle_result* result);

#ifdef __cplusplus
}
#endif

#endif
