/* Three philosophers, for ever; the model of testsuite/programs/states/philosophers.c. ORDERED: all take the lower fork
 * first. */
#define SEATS 3

bool forks[SEATS];

active [SEATS] proctype dine() {
    byte first = _pid, second = (_pid + 1) % SEATS;
#ifdef ORDERED
    if
    :: first > second -> first = second; second = _pid
    :: else
    fi;
#endif
    do
    :: atomic { !forks[first] -> forks[first] = true };
       atomic { !forks[second] -> forks[second] = true };
       forks[second] = false;
       forks[first] = false
    od
}
