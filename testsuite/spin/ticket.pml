/* A ticket lock whose tickets are counted modulo 4, two processes for ever; the model of
 * testsuite/programs/states/ticket.c. ONE: modulo 1. The ticket is drawn as there, by a load and a compare-exchange. */
#ifdef ONE
#define MASK 0
#else
#define MASK 3
#endif

byte next, served, inside;

active [2] proctype work() {
    byte now;
    do
    :: now = next;
       do
       :: atomic { next == now -> next = (now + 1) & MASK }; break
       :: atomic { next != now -> now = next }
       od;
       served == now;
       inside++;
       assert(inside == 1);
       inside--;
       served = (now + 1) & MASK;
       now = 0
    od
}
