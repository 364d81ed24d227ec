/* Checks an order on two grids. It is right on the first, and skips tiles on the second. */
#include <heddle/heddle.h>
#include <stdio.h>

int main(void) {
  const char* const grids[] = {"64", "67"};
  int all_good = 1;
  for (int i = 0; i < 2; ++i) {
    const char* flags[] = {"--grid", grids[i], NULL};
    heddle_result* result = heddle_check("(p0 % 8) * (g0 // 8) + p0 // 8", flags);
    double tiles = 0;
    heddle_number(result, "/distinct_tiles", &tiles);
    printf("grid %s: %s, %.0f tiles computed\n", grids[i], heddle_text(result, "/verdict"), tiles);
    if (heddle_exit_code_of(result) != HEDDLE_GOOD) all_good = 0;
    heddle_free(result);
  }
  return all_good ? 0 : 1;
}
