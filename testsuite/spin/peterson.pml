/* Peterson's lock for two processes, for ever; the model of testsuite/programs/states/answered.c.
 * TRY: a lock that is only tested and set. */
bool wanted[2], in[2], lock;
byte turn;

active [2] proctype work() {
    do
    :: wanted[_pid] = true;
#ifdef TRY
       atomic { !lock -> lock = true };
#else
       turn = 1 - _pid;
again: if
       :: wanted[1 - _pid] ->
            if
            :: turn == 1 - _pid -> goto again
            :: else
            fi
       :: else
       fi;
#endif
       in[_pid] = true;
       assert(in[0] + in[1] == 1);
       in[_pid] = false;
       wanted[_pid] = false;
#ifdef TRY
       lock = false
#endif
    od
}

ltl property { [] ((wanted[0] && !in[0]) -> <> in[0]) }
