/* The floor: a blocking CDP client with nothing in it but the wire.
 *
 * What no client in this language of system calls can beat by much: one write, one read, a
 * search for the id in the answer. No JSON parser, no event loop, no allocation per message.
 * Usage: floor ws HOST PORT PATH | floor pipe FD. The lines it speaks are those of speak.py.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { IN_FLIGHT = 100, WARM_UP_CALLS = 100, COMMAND_MAX = 1024, BUFFER = 4 << 20 };

static int wire;
static int is_pipe;
static int last_id;
static char session[128];
static char in[BUFFER]; /* bytes received and not yet consumed: in[from..to) */
static size_t from, to;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static double now_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void write_all(const void *data, size_t size) {
  const char *p = data;
  while (size > 0) {
    ssize_t n = write(wire, p, size);
    if (n <= 0) die("write");
    p += n;
    size -= (size_t)n;
  }
}

/* Make sure `need` bytes are there, from in[from] on. */
static void fill(size_t need) {
  if (need >= BUFFER) {
    fprintf(stderr, "a message of %zu bytes is more than the floor can hold\n", need);
    exit(1);
  }
  while (to - from < need) {
    if (from > 0 && from + need >= BUFFER) {
      memmove(in, in + from, to - from);
      to -= from;
      from = 0;
    }
    ssize_t n = read(wire, in + to, BUFFER - 1 - to);
    if (n <= 0) die("read");
    to += (size_t)n;
  }
}

/* The next message, terminated by a NUL. Valid until the next call. */
static char *next_pipe_message(void) {
  size_t seen = 0;
  for (;;) {
    char *end = memchr(in + from + seen, 0, to - from - seen);
    if (end != NULL) {
      char *message = in + from;
      from = (size_t)(end - in) + 1;
      if (from == to) from = to = 0;
      return message;
    }
    seen = to - from;
    fill(seen + 1);
  }
}

static char *next_ws_message(void) {
  static char saved;
  static char *saved_at;
  if (saved_at != NULL) *saved_at = saved; /* give back the byte under the last NUL */
  saved_at = NULL;
  if (from == to) from = to = 0;
  fill(2);
  const unsigned char *head = (unsigned char *)in + from;
  if (head[0] != 0x81) {
    fprintf(stderr, "frame type %02x is not for the floor\n", head[0]);
    exit(1);
  }
  size_t size = head[1] & 127, header = 2;
  if (size == 126) {
    fill(4);
    head = (unsigned char *)in + from;
    size = (size_t)head[2] << 8 | head[3];
    header = 4;
  } else if (size == 127) {
    fill(10);
    head = (unsigned char *)in + from;
    size = 0;
    for (int i = 2; i < 10; i++) size = size << 8 | head[i];
    header = 10;
  }
  fill(header + size);
  char *message = in + from + header;
  from += header + size;
  saved_at = in + from;
  saved = *saved_at;
  *saved_at = 0;
  return message;
}

static char *next_message(void) { return is_pipe ? next_pipe_message() : next_ws_message(); }

static void send_frame(const char *text, size_t size) {
  char frame[COMMAND_MAX + 16];
  if (is_pipe) {
    memcpy(frame, text, size);
    frame[size] = 0;
    write_all(frame, size + 1);
    return;
  }
  unsigned char *head = (unsigned char *)frame;
  size_t header = 2;
  head[0] = 0x81;
  if (size < 126) {
    head[1] = 0x80 | (unsigned char)size;
  } else {
    head[1] = 0x80 | 126;
    head[2] = (unsigned char)(size >> 8);
    head[3] = (unsigned char)size;
    header = 4;
  }
  static const char mask[4] = {0x12, 0x34, 0x56, 0x78}; /* a loopback peer needs no secret */
  memcpy(frame + header, mask, 4);
  header += 4;
  for (size_t i = 0; i < size; i++) frame[header + i] = text[i] ^ mask[i & 3];
  write_all(frame, header + size);
}

static void command(const char *method, const char *params) {
  char text[COMMAND_MAX];
  int n = snprintf(text, sizeof text, "{\"id\":%d,\"method\":\"%s\",\"params\":%s%s%s%s}", ++last_id,
                   method, params, session[0] ? ",\"sessionId\":\"" : "", session,
                   session[0] ? "\"" : "");
  if (n < 0 || n >= COMMAND_MAX) die("command too long");
  send_frame(text, (size_t)n);
}

/* Chrome writes the id first, so no answer needs to be searched. */
static int is_answer(const char *message, int id) {
  static const char start[] = "{\"id\":";
  return strncmp(message, start, sizeof start - 1) == 0 && atoi(message + sizeof start - 1) == id;
}

static char *answer(int id) {
  for (;;) {
    char *message = next_message();
    if (is_answer(message, id)) {
      if (strstr(message, "\"error\":") != NULL) {
        fprintf(stderr, "Chrome: %.300s\n", message);
        exit(1);
      }
      return message;
    }
  }
}

static char *call(const char *method, const char *params) {
  command(method, params);
  return answer(last_id);
}

static void evaluate(void) { command("Runtime.evaluate", "{\"expression\":\"1+1\"}"); }

static int text_after(const char *message, const char *key, char *out, size_t room) {
  const char *start = strstr(message, key);
  if (start == NULL) return 0;
  start += strlen(key);
  size_t size = strcspn(start, "\"");
  if (size >= room) return 0;
  memcpy(out, start, size);
  out[size] = 0;
  return 1;
}

static void attach(void) {
  char target[128], params[256];
  const char *pages = "{\"filter\":[{\"type\":\"page\"}]}";
  while (!text_after(call("Target.getTargets", pages), "\"targetId\":\"", target, sizeof target))
    usleep(50000);
  snprintf(params, sizeof params, "{\"targetId\":\"%s\",\"flatten\":true}", target);
  command("Target.attachToTarget", params);
  char *message = answer(last_id);
  if (!text_after(message, "\"sessionId\":\"", session, sizeof session)) die("no session");
}

static void dial_ws(const char *host, const char *port, const char *path) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  inet_pton(AF_INET, host, &address.sin_addr);
  wire = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(wire, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
  int on = 1;
  setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char request[1024];
  int n = snprintf(request, sizeof request,
                   "GET %s HTTP/1.1\r\nHost: %s:%s\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n",
                   path, host, port);
  write_all(request, (size_t)n);
  char *end;
  do {
    fill(to - from + 1);
    in[to] = 0;
    end = strstr(in, "\r\n\r\n");
  } while (end == NULL);
  if (strncmp(in, "HTTP/1.1 101", 12) != 0) {
    fprintf(stderr, "handshake: %.60s\n", in);
    exit(1);
  }
  from = (size_t)(end - in) + 4;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sequential(int calls) {
  double *took = malloc(sizeof *took * (size_t)calls);
  if (took == NULL) die("malloc");
  double cpu = now_s(CLOCK_PROCESS_CPUTIME_ID), start = now_s(CLOCK_MONOTONIC);
  for (int i = 0; i < calls; i++) {
    double before = now_s(CLOCK_MONOTONIC);
    evaluate();
    answer(last_id);
    took[i] = now_s(CLOCK_MONOTONIC) - before;
  }
  double seconds = now_s(CLOCK_MONOTONIC) - start;
  cpu = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  qsort(took, (size_t)calls, sizeof *took, ascending);
  printf("{\"calls\":%d,\"seconds\":%.9f,\"cpu_s\":%.9f,\"p50_us\":%.3f,\"p95_us\":%.3f}\n", calls,
         seconds, cpu, took[calls / 2] * 1e6, took[calls * 95 / 100] * 1e6);
  free(took);
}

static void pipelined(int calls) {
  double cpu = now_s(CLOCK_PROCESS_CPUTIME_ID), start = now_s(CLOCK_MONOTONIC);
  for (int done = 0; done < calls; done += IN_FLIGHT) {
    int batch = calls - done < IN_FLIGHT ? calls - done : IN_FLIGHT;
    int first = last_id + 1;
    for (int i = 0; i < batch; i++) evaluate();
    for (int i = 0; i < batch; i++) answer(first + i);
  }
  printf("{\"calls\":%d,\"seconds\":%.9f,\"cpu_s\":%.9f}\n", calls,
         now_s(CLOCK_MONOTONIC) - start, now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

static void flood(int events) {
  static int enabled;
  char params[256];
  if (!enabled) call("Runtime.enable", "{}");
  enabled = 1;
  double cpu = now_s(CLOCK_PROCESS_CPUTIME_ID), start = now_s(CLOCK_MONOTONIC);
  snprintf(params, sizeof params,
           "{\"expression\":\"for (let i = 0; i < %d; i++) console.log('event ' + i)\"}", events);
  command("Runtime.evaluate", params);
  int heard = 0, answered = 0;
  while (heard < events || !answered) {
    const char *message = next_message();
    if (is_answer(message, last_id)) answered = 1;
    else if (strstr(message, "Runtime.consoleAPICalled") && strstr(message, "\"type\":\"log\""))
      heard++;
  }
  printf("{\"events\":%d,\"seconds\":%.9f,\"cpu_s\":%.9f}\n", events,
         now_s(CLOCK_MONOTONIC) - start, now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

static int number_after(const char *line, const char *key) {
  const char *at = strstr(line, key);
  at = at ? strchr(at, ':') : NULL;
  return at ? atoi(at + 1) : 0;
}

int main(int count, char **args) {
  if (count == 3 && strcmp(args[1], "pipe") == 0) {
    is_pipe = 1;
    wire = atoi(args[2]);
  } else if (count == 5 && strcmp(args[1], "ws") == 0) {
    dial_ws(args[2], args[3], args[4]);
  } else {
    fprintf(stderr, "usage: floor ws HOST PORT PATH | floor pipe FD\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  attach();
  for (int i = 0; i < WARM_UP_CALLS; i++) {
    evaluate();
    answer(last_id);
  }
  printf("{\"ready\":\"blocking C\"}\n");
  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strstr(line, "\"sequential\"")) sequential(number_after(line, "\"calls\""));
    else if (strstr(line, "\"pipelined\"")) pipelined(number_after(line, "\"calls\""));
    else if (strstr(line, "\"flood\"")) flood(number_after(line, "\"events\""));
    else break;
  }
  return 0;
}
