/* Two senders, a receiver and a bounded buffer of 4 places, for ever; the model of testsuite/programs/states/ipc.c.
 * FREE: who sends does not wait for a free place. ORDER: the receiver takes the mutex first. */
#define SENDERS 2
#define PLACES 4

byte places = PLACES, messages, count;
bool mutex;

inline down(semaphore) { atomic { semaphore > 0 -> semaphore-- } }
inline acquire() { atomic { !mutex -> mutex = true } }

active [SENDERS] proctype send() {
    do
    ::
#ifndef FREE
       down(places);
#endif
       acquire();
       count++;
       assert(count <= PLACES);
       mutex = false;
       messages++
    od
}

active proctype receive() {
    do
    ::
#ifdef ORDER
       acquire();
       down(messages);
#else
       down(messages);
       acquire();
#endif
       count--;
       mutex = false;
       places++
    od
}
