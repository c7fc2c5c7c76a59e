/* Strips standard input, or gates it: strip [SETTINGS]. Lines about events go to standard error. */
#include <stdio.h>
#include <string.h>

#include "provstream.h"

static void write_all(FILE *file, provstream_bytes bytes) {
  if (bytes.len > 0) {
    fwrite(bytes.data, 1, bytes.len, file);
  }
}

int main(int argc, char **argv) {
  const char *settings = argc > 1 ? argv[1] : "";
  provstream *stream = provstream_new((const uint8_t *)settings, strlen(settings));
  if (provstream_error(stream).len > 0) {
    write_all(stderr, provstream_error(stream));
    fputc('\n', stderr);
    provstream_free(stream);
    return 2;
  }
  uint8_t chunk[4096];
  size_t len;
  while ((len = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
    write_all(stdout, provstream_push(stream, chunk, len));
    fflush(stdout);
    write_all(stderr, provstream_events(stream));
  }
  write_all(stdout, provstream_finish(stream));
  write_all(stderr, provstream_events(stream));
  provstream_free(stream);
  return ferror(stdin) || fflush(stdout) != 0;
}
