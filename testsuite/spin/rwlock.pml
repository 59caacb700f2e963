/* A lock of readers and writers that prefers writers, two writers and a reader for ever; the model of
 * testsuite/programs/states/rwlock.c. FAIR: tickets, modulo 4. EARLY: a writer does not wait for readers. */
byte writers, readers, tickets, served, may_read, may_write;
bit data[2];
bool waits, reads;

#ifdef FAIR

inline draw(mine) { atomic { mine = tickets; tickets = (tickets + 1) % 4 } }

inline read_lock() {
    draw(mine);
    may_read == mine;
    may_read = (may_read + 1) % 4
}

inline read_unlock() { may_write = (may_write + 1) % 4 }

inline write_lock() {
    draw(mine);
    may_write == mine
}

inline write_unlock() {
    may_read = (may_read + 1) % 4;
    may_write = (may_write + 1) % 4
}

#else

inline read_lock() {
    do
    :: readers++;
       if
       :: writers == 0 -> break
       :: else -> readers--; writers == 0
       fi
    od
}

inline read_unlock() { readers-- }

inline write_lock() {
    writers++;
    atomic { mine = tickets; tickets = 1 - tickets };
    served == mine;
#ifndef EARLY
    readers == 0
#endif
}

inline write_unlock() {
    served = 1 - served;
    writers--
}

#endif

active [2] proctype write_data() {
    byte mine;
    do
    :: write_lock();
       data[0] = 1 - data[0];
       data[1] = 1 - data[1];
       write_unlock();
       mine = 0
    od
}

active proctype read_data() {
#ifdef FAIR
    byte mine;
#endif
    do
    :: waits = true;
       read_lock();
       atomic { waits = false; reads = true };
       assert(data[0] == data[1]);
       reads = false;
       read_unlock()
    od
}

ltl property { [] (waits -> <> reads) }
