// As bytes.c, for further functions: main writes the last byte that the function has to touch, which is a
// race, or the one behind it, or another object, which is none. The bytes, counted by hand:
// the input is "b" and a newline: scanf of %s writes 2 ("b" and the end), %d (of "7") the 4 of values[1];
// fgetws writes 3 wide characters. swscanf reads the 2 wide characters of its text; %s writes bytes, %ls wide
// characters. swprintf of "%d!" with 7 writes 3 wide characters; %s reads bytes in each case, 4 of "abc",
// %.2s 2, %ls 3 of L"ab". strftime of "%Y" writes "1970" and the end: 5; "%H:%M" reads tm_min and not
// tm_sec. gmtime_r and mktime write all of the time. realpath of "/" and getcwd in "/" write 2, readlink
// of 2 bytes 2. strtok of "abc" by "b" reads 2 and ends the text there. sendmsg reads the message, the
// vector and 2 bytes. 1 trace: the
// events, if any, are of one thread.
//@ revisions: scanf scanf-behind fscanf fscanf-behind scanf-int scanf-int-behind swscanf-from swscanf-from-behind swscanf-s swscanf-s-behind swscanf-ls swscanf-ls-behind swprintf-to swprintf-to-behind swprintf-s swprintf-s-behind wprintf-ls wprintf-ls-behind fwprintf-s fwprintf-s-behind fgetws fgetws-behind strftime-to strftime-to-behind strftime-from strftime-from-behind wcsftime-to wcsftime-to-behind gmtime_r-to gmtime_r-to-behind gmtime_r-from gmtime_r-from-behind mktime mktime-behind realpath-to realpath-to-behind realpath-from realpath-from-behind getcwd getcwd-behind readlink readlink-behind strtok strtok-behind sendmsg sendmsg-behind sendmsg-header sendmsg-header-behind sendmsg-vector sendmsg-vector-behind
//@[scanf] cflags: -DCALL=scanf(percent,text) -DPLACE=text[1]
//@[scanf] expect: bug
//@[scanf] kind: data-race
//@[scanf] executions: 1
//@[scanf-behind] cflags: -DCALL=scanf(percent,text) -DPLACE=text[2]
//@[scanf-behind] expect: verified
//@[scanf-behind] executions: 1
//@[scanf] stdin: b\n
//@[scanf-behind] stdin: b\n
//@[fscanf] cflags: -DCALL=fscanf(stdin,percent,text) -DPLACE=text[1]
//@[fscanf] expect: bug
//@[fscanf] kind: data-race
//@[fscanf] executions: 1
//@[fscanf-behind] cflags: -DCALL=fscanf(stdin,percent,text) -DPLACE=text[2]
//@[fscanf-behind] expect: verified
//@[fscanf-behind] executions: 1
//@[fscanf] stdin: b\n
//@[fscanf-behind] stdin: b\n
//@[scanf-int] cflags: -DCALL=scanf(number,&values[1]) -DPLACE=values[1]
//@[scanf-int] expect: bug
//@[scanf-int] kind: data-race
//@[scanf-int] executions: 1
//@[scanf-int-behind] cflags: -DCALL=scanf(number,&values[1]) -DPLACE=values[2]
//@[scanf-int-behind] expect: verified
//@[scanf-int-behind] executions: 1
//@[scanf-int] stdin: 7\n
//@[scanf-int-behind] stdin: 7\n
//@[swscanf-from] cflags: -DCALL=swscanf(wide_b,wide_percent,mine) -DPLACE=wide_b[1]
//@[swscanf-from] expect: bug
//@[swscanf-from] kind: data-race
//@[swscanf-from] executions: 1
//@[swscanf-from-behind] cflags: -DCALL=swscanf(wide_b,wide_percent,mine) -DPLACE=wide_b[2]
//@[swscanf-from-behind] expect: verified
//@[swscanf-from-behind] executions: 1
//@[swscanf-s] cflags: -DCALL=swscanf(wide_b,wide_percent,text) -DPLACE=text[1]
//@[swscanf-s] expect: bug
//@[swscanf-s] kind: data-race
//@[swscanf-s] executions: 1
//@[swscanf-s-behind] cflags: -DCALL=swscanf(wide_b,wide_percent,text) -DPLACE=text[2]
//@[swscanf-s-behind] expect: verified
//@[swscanf-s-behind] executions: 1
//@[swscanf-ls] cflags: -DCALL=swscanf(wide_b,wide_percent_l,wide) -DPLACE=wide[1]
//@[swscanf-ls] expect: bug
//@[swscanf-ls] kind: data-race
//@[swscanf-ls] executions: 1
//@[swscanf-ls-behind] cflags: -DCALL=swscanf(wide_b,wide_percent_l,wide) -DPLACE=wide[2]
//@[swscanf-ls-behind] expect: verified
//@[swscanf-ls-behind] executions: 1
//@[swprintf-to] cflags: -DCALL=swprintf(wide,9,wide_form,7) -DPLACE=wide[2]
//@[swprintf-to] expect: bug
//@[swprintf-to] kind: data-race
//@[swprintf-to] executions: 1
//@[swprintf-to-behind] cflags: -DCALL=swprintf(wide,9,wide_form,7) -DPLACE=wide[3]
//@[swprintf-to-behind] expect: verified
//@[swprintf-to-behind] executions: 1
//@[swprintf-s] cflags: -DCALL=swprintf(wide_mine,9,wide_percent,text) -DPLACE=text[3]
//@[swprintf-s] expect: bug
//@[swprintf-s] kind: data-race
//@[swprintf-s] executions: 1
//@[swprintf-s-behind] cflags: -DCALL=swprintf(wide_mine,9,wide_percent,text) -DPLACE=text[4]
//@[swprintf-s-behind] expect: verified
//@[swprintf-s-behind] executions: 1
//@[wprintf-ls] cflags: -DCALL=wprintf(wide_percent_l,wide) -DPLACE=wide[2]
//@[wprintf-ls] expect: bug
//@[wprintf-ls] kind: data-race
//@[wprintf-ls] executions: 1
//@[wprintf-ls-behind] cflags: -DCALL=wprintf(wide_percent_l,wide) -DPLACE=wide[3]
//@[wprintf-ls-behind] expect: verified
//@[wprintf-ls-behind] executions: 1
//@[fwprintf-s] cflags: -DCALL=fwprintf(stdout,wide_two,text) -DPLACE=text[1]
//@[fwprintf-s] expect: bug
//@[fwprintf-s] kind: data-race
//@[fwprintf-s] executions: 1
//@[fwprintf-s-behind] cflags: -DCALL=fwprintf(stdout,wide_two,text) -DPLACE=text[2]
//@[fwprintf-s-behind] expect: verified
//@[fwprintf-s-behind] executions: 1
//@[fgetws] cflags: -DCALL=fgetws(wide,9,stdin) -DPLACE=wide[2]
//@[fgetws] expect: bug
//@[fgetws] kind: data-race
//@[fgetws] executions: 1
//@[fgetws-behind] cflags: -DCALL=fgetws(wide,9,stdin) -DPLACE=wide[3]
//@[fgetws-behind] expect: verified
//@[fgetws-behind] executions: 1
//@[fgetws] stdin: b\n
//@[fgetws-behind] stdin: b\n
//@[strftime-to] cflags: -DCALL=strftime(text,16,year,&date) -DPLACE=text[4]
//@[strftime-to] expect: bug
//@[strftime-to] kind: data-race
//@[strftime-to] executions: 1
//@[strftime-to-behind] cflags: -DCALL=strftime(text,16,year,&date) -DPLACE=text[5]
//@[strftime-to-behind] expect: verified
//@[strftime-to-behind] executions: 1
//@[strftime-from] cflags: -DCALL=strftime(mine,16,hours,&date) -DPLACE=date.tm_min
//@[strftime-from] expect: bug
//@[strftime-from] kind: data-race
//@[strftime-from] executions: 1
//@[strftime-from-behind] cflags: -DCALL=strftime(mine,16,hours,&date) -DPLACE=date.tm_sec
//@[strftime-from-behind] expect: verified
//@[strftime-from-behind] executions: 1
//@[wcsftime-to] cflags: -DCALL=wcsftime(wide,9,wide_year,&date) -DPLACE=wide[4]
//@[wcsftime-to] expect: bug
//@[wcsftime-to] kind: data-race
//@[wcsftime-to] executions: 1
//@[wcsftime-to-behind] cflags: -DCALL=wcsftime(wide,9,wide_year,&date) -DPLACE=wide[5]
//@[wcsftime-to-behind] expect: verified
//@[wcsftime-to-behind] executions: 1
//@[gmtime_r-to] cflags: -DCALL=gmtime_r(&seconds,&date) -DPLACE=date.tm_year
//@[gmtime_r-to] expect: bug
//@[gmtime_r-to] kind: data-race
//@[gmtime_r-to] executions: 1
//@[gmtime_r-to-behind] cflags: -DCALL=gmtime_r(&seconds,&date) -DPLACE=text[0]
//@[gmtime_r-to-behind] expect: verified
//@[gmtime_r-to-behind] executions: 1
//@[gmtime_r-from] cflags: -DCALL=gmtime_r(&seconds,&my_date) -DPLACE=seconds
//@[gmtime_r-from] expect: bug
//@[gmtime_r-from] kind: data-race
//@[gmtime_r-from] executions: 1
//@[gmtime_r-from-behind] cflags: -DCALL=gmtime_r(&seconds,&my_date) -DPLACE=text[0]
//@[gmtime_r-from-behind] expect: verified
//@[gmtime_r-from-behind] executions: 1
//@[mktime] cflags: -DCALL=mktime(&date) -DPLACE=date.tm_wday
//@[mktime] expect: bug
//@[mktime] kind: data-race
//@[mktime] executions: 1
//@[mktime-behind] cflags: -DCALL=mktime(&date) -DPLACE=text[0]
//@[mktime-behind] expect: verified
//@[mktime-behind] executions: 1
//@[realpath-to] cflags: -DCALL=realpath(dot,text) -DPLACE=text[1]
//@[realpath-to] expect: bug
//@[realpath-to] kind: data-race
//@[realpath-to] executions: 1
//@[realpath-to-behind] cflags: -DCALL=realpath(dot,text) -DPLACE=text[2]
//@[realpath-to-behind] expect: verified
//@[realpath-to-behind] executions: 1
//@[realpath-from] cflags: -DCALL=realpath(dot,mine) -DPLACE=dot[1]
//@[realpath-from] expect: bug
//@[realpath-from] kind: data-race
//@[realpath-from] executions: 1
//@[realpath-from-behind] cflags: -DCALL=realpath(dot,mine) -DPLACE=dot[2]
//@[realpath-from-behind] expect: verified
//@[realpath-from-behind] executions: 1
//@[getcwd] cflags: -DCALL=getcwd(text,16) -DPLACE=text[1]
//@[getcwd] expect: bug
//@[getcwd] kind: data-race
//@[getcwd] executions: 1
//@[getcwd-behind] cflags: -DCALL=getcwd(text,16) -DPLACE=text[2]
//@[getcwd-behind] expect: verified
//@[getcwd-behind] executions: 1
//@[readlink] cflags: -DCALL=readlink(exe,text,2) -DPLACE=text[1]
//@[readlink] expect: bug
//@[readlink] kind: data-race
//@[readlink] executions: 1
//@[readlink-behind] cflags: -DCALL=readlink(exe,text,2) -DPLACE=text[2]
//@[readlink-behind] expect: verified
//@[readlink-behind] executions: 1
//@[strtok] cflags: -DCALL=strtok(text,middle) -DPLACE=text[1]
//@[strtok] expect: bug
//@[strtok] kind: data-race
//@[strtok] executions: 1
//@[strtok-behind] cflags: -DCALL=strtok(text,middle) -DPLACE=text[2]
//@[strtok-behind] expect: verified
//@[strtok-behind] executions: 1
//@[sendmsg] cflags: -DCALL=sendmsg(ends[0],&message,0) -DPLACE=text[1]
//@[sendmsg] expect: bug
//@[sendmsg] kind: data-race
//@[sendmsg] executions: 1
//@[sendmsg-behind] cflags: -DCALL=sendmsg(ends[0],&message,0) -DPLACE=text[2]
//@[sendmsg-behind] expect: verified
//@[sendmsg-behind] executions: 1
//@[sendmsg-header] cflags: -DCALL=sendmsg(ends[0],&message,0) -DPLACE=message.msg_flags
//@[sendmsg-header] expect: bug
//@[sendmsg-header] kind: data-race
//@[sendmsg-header] executions: 1
//@[sendmsg-header-behind] cflags: -DCALL=sendmsg(ends[0],&message,0) -DPLACE=text[2]
//@[sendmsg-header-behind] expect: verified
//@[sendmsg-header-behind] executions: 1
//@[sendmsg-vector] cflags: -DCALL=sendmsg(ends[0],&message,0) -DPLACE=part.iov_len
//@[sendmsg-vector] expect: bug
//@[sendmsg-vector] kind: data-race
//@[sendmsg-vector] executions: 1
//@[sendmsg-vector-behind] cflags: -DCALL=sendmsg(ends[0],&message,0) -DPLACE=text[2]
//@[sendmsg-vector-behind] expect: verified
//@[sendmsg-vector-behind] executions: 1
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

char text[16] = "abc", dot[16] = "/", middle[] = "b", exe[] = "/proc/self/exe";
char percent[] = "%s", number[] = "%d", year[] = "%Y", hours[] = "%H:%M";
wchar_t wide[16] = L"ab", wide_b[16] = L"b";
wchar_t wide_percent[] = L"%s", wide_percent_l[] = L"%ls", wide_two[] = L"%.2s", wide_form[] = L"%d!", wide_year[] = L"%Y";
int values[4], ends[2];
struct tm date = {.tm_mday = 1, .tm_year = 70};
time_t seconds;
struct iovec part = {text, 2};
struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
_Thread_local char mine[4096];
_Thread_local wchar_t wide_mine[64];
_Thread_local struct tm my_date;

static void *caller(void *unused) {
    CALL;
    return unused;
}

int main(void) {
    pthread_t thread;
    if (chdir("/") || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    pthread_create(&thread, 0, caller, 0);
    PLACE = 0;
    pthread_join(thread, 0);
    return 0;
}
