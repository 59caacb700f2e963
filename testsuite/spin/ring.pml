/* A ring of four places between two processes, for ever, messages 0 and 1 in turns; the model of
 * testsuite/programs/states/ring.c. FULL: the producer fills the last place too.
 * Of what is a data race there, a model knows nothing: `unread` says whose turn an access to a place is. */
#define PLACES 4

byte head, tail;
bit places[PLACES];
bool unread[PLACES];

active proctype produce() {
    byte n;
    do
    ::
#ifndef FULL
       tail != (n + 1) % PLACES;
#endif
       atomic {
           assert(!unread[n]);
           places[n] = n & 1;
           unread[n] = true
       };
       head = (n + 1) % PLACES;
       n = (n + 1) % PLACES
    od
}

active proctype consume() {
    byte n;
    do
    :: head != n;
       atomic {
           assert(unread[n] && places[n] == (n & 1));
           unread[n] = false
       };
       tail = (n + 1) % PLACES;
       n = (n + 1) % PLACES
    od
}
