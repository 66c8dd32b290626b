/* measure.c - processor seconds and peak memory of a command: measure LIMIT FILE COMMAND...
 *
 * Writes `STATUS SECONDS MEGABYTES` to FILE; STATUS is the exit code, 124 when the command used
 * more than LIMIT processor seconds (or waited ten times as long), 128 + n after signal n. Small,
 * so that the memory of the caller is not taken for that of the command. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_PER_SECOND = 5 };

static pid_t child;
static clockid_t clock_of_child;
static time_t limit;
static long looks;

/* RLIMIT_CPU would make the child's own clock coarse: this looks at it from outside. */
static void look(int number)
{
    struct timespec spent;
    (void)number;
    bool known = clock_gettime(clock_of_child, &spent) == 0;
    if ((known && spent.tv_sec >= limit) || ++looks / LOOKS_PER_SECOND >= 10 * limit)
        kill(child, SIGXCPU);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int count, char **argument)
{
    struct rusage use;
    int status = 0;
    if (count < 4)
        return 2;
    limit = atoi(argument[1]);
    child = fork();
    if (child == 0) {
        execvp(argument[3], argument + 3);
        perror(argument[3]);
        _exit(127);
    }
    clock_getcpuclockid(child, &clock_of_child);
    signal(SIGALRM, look);
    struct timeval every = {0, 1000000 / LOOKS_PER_SECOND};
    setitimer(ITIMER_REAL, &(struct itimerval){every, every}, NULL);
    while (wait4(child, &status, 0, &use) < 0)
        ;
    int code = WIFEXITED(status)             ? WEXITSTATUS(status)
               : WTERMSIG(status) == SIGXCPU ? 124
                                             : 128 + WTERMSIG(status);
    FILE *file = fopen(argument[2], "w");
    if (!file)
        return 74;
    fprintf(file, "%d %.6f %.1f\n", code, seconds(use.ru_utime) + seconds(use.ru_stime),
            (double)use.ru_maxrss / 1024);
    return fclose(file) != 0;
}
