// Each function reads or writes a text, and main writes one byte of it meanwhile: the last one that the
// function has to touch, which is a race, or the one behind it, which is none. The bytes, counted by hand
// in "abc" (with the end: 4 bytes):
// strlen, strrchr, strdup, strcpy from it, %s: 4; strnlen(2), strncmp(2), %.2s, fwrite(2), write(2): 2.
// strchr, strcspn, memchr, strstr and strcasestr find "b" at 1: 2. strspn of "b": "a" is none, 1 byte.
// strcmp and strcasecmp with "abx" (or "ABX"): 3. Numbers in "12.": atoi and strtol read the dot, which
// is at 2, strtod takes it for part of the number and reads the byte behind it, too: at 3.
// strcpy of "b" to it writes 2; strncpy(5) 5; strcat of "b" to "abc" writes at 3 and 4, strncat(1) and
// strlcat(5) as well. strlcpy(2) reads all 4 bytes and writes 2.
// sprintf of "%d!" with 7 writes "7!" and the end: 3; snprintf(2): 2. sscanf of "b" with %s writes 2.
// qsort of 3 elements: 3. Wide: wcslen of two characters reads 3; wmemset of 2 writes 2.
// %*d takes its width from the values, %ls reads a wide text of 3 characters with its end, %.1ls one of
// them; %n stores 4 bytes, %hhn 1. In `many` the values behind the third integer are on the stack, but for
// the double, and the long double is at a multiple of 16: the text that %s reads is the last one.
// strtok_r of "abc" by "b" reads up to the separator, 2 bytes, and ends the text there; so does strsep.
// Neither the calls that are no events nor the writes of main are in any order: 1 trace; printf, puts and
// the others are events of one thread: 1 trace, too.
//@ revisions: strlen strlen-behind strnlen strnlen-behind strchr strchr-behind strrchr strrchr-behind strcmp strcmp-behind strncmp strncmp-behind strcasecmp strcasecmp-behind strstr strstr-behind strcasestr strcasestr-behind strspn strspn-behind strcspn strcspn-behind memchr memchr-behind atoi atoi-behind strtol strtol-behind strtod strtod-behind strdup strdup-behind strcpy-from strcpy-from-behind strcpy-to strcpy-to-behind strncpy-to strncpy-to-behind strcat-to strcat-to-behind strlcpy-from strlcpy-from-behind strlcpy-to strlcpy-to-behind strlcat-to strlcat-to-behind strncat-to strncat-to-behind sprintf-to sprintf-to-behind snprintf-to snprintf-to-behind snprintf-s snprintf-s-behind snprintf-prec snprintf-prec-behind printf-s printf-s-behind puts puts-behind fputs fputs-behind fwrite fwrite-behind write write-behind sscanf-from sscanf-from-behind sscanf-to sscanf-to-behind qsort qsort-behind wcslen wcslen-behind printf-star printf-star-behind printf-ls printf-ls-behind printf-1ls printf-1ls-behind printf-n printf-n-behind printf-hhn printf-hhn-behind printf-many printf-many-behind strtok strtok-behind strsep strsep-behind strpbrk strpbrk-behind memrchr memrchr-behind memccpy memccpy-behind stpcpy-from stpcpy-from-behind wmemset wmemset-behind
//@[strlen] cflags: -DCALL=sink=strlen(text) -DPLACE=text[3]
//@[strlen] expect: bug
//@[strlen] kind: data-race
//@[strlen] executions: 1
//@[strlen-behind] cflags: -DCALL=sink=strlen(text) -DPLACE=text[4]
//@[strlen-behind] expect: verified
//@[strlen-behind] executions: 1
//@[strnlen] cflags: -DCALL=sink=strnlen(text,2) -DPLACE=text[1]
//@[strnlen] expect: bug
//@[strnlen] kind: data-race
//@[strnlen] executions: 1
//@[strnlen-behind] cflags: -DCALL=sink=strnlen(text,2) -DPLACE=text[2]
//@[strnlen-behind] expect: verified
//@[strnlen-behind] executions: 1
//@[strchr] cflags: -DCALL=sink=!!strchr(text,98) -DPLACE=text[1]
//@[strchr] expect: bug
//@[strchr] kind: data-race
//@[strchr] executions: 1
//@[strchr-behind] cflags: -DCALL=sink=!!strchr(text,98) -DPLACE=text[2]
//@[strchr-behind] expect: verified
//@[strchr-behind] executions: 1
//@[strrchr] cflags: -DCALL=sink=!!strrchr(text,98) -DPLACE=text[3]
//@[strrchr] expect: bug
//@[strrchr] kind: data-race
//@[strrchr] executions: 1
//@[strrchr-behind] cflags: -DCALL=sink=!!strrchr(text,98) -DPLACE=text[4]
//@[strrchr-behind] expect: verified
//@[strrchr-behind] executions: 1
//@[strcmp] cflags: -DCALL=sink=strcmp(text,other) -DPLACE=text[2]
//@[strcmp] expect: bug
//@[strcmp] kind: data-race
//@[strcmp] executions: 1
//@[strcmp-behind] cflags: -DCALL=sink=strcmp(text,other) -DPLACE=text[3]
//@[strcmp-behind] expect: verified
//@[strcmp-behind] executions: 1
//@[strncmp] cflags: -DCALL=sink=strncmp(text,other,2) -DPLACE=text[1]
//@[strncmp] expect: bug
//@[strncmp] kind: data-race
//@[strncmp] executions: 1
//@[strncmp-behind] cflags: -DCALL=sink=strncmp(text,other,2) -DPLACE=text[2]
//@[strncmp-behind] expect: verified
//@[strncmp-behind] executions: 1
//@[strcasecmp] cflags: -DCALL=sink=strcasecmp(text,upper) -DPLACE=text[2]
//@[strcasecmp] expect: bug
//@[strcasecmp] kind: data-race
//@[strcasecmp] executions: 1
//@[strcasecmp-behind] cflags: -DCALL=sink=strcasecmp(text,upper) -DPLACE=text[3]
//@[strcasecmp-behind] expect: verified
//@[strcasecmp-behind] executions: 1
//@[strstr] cflags: -DCALL=sink=!!strstr(text,middle) -DPLACE=text[1]
//@[strstr] expect: bug
//@[strstr] kind: data-race
//@[strstr] executions: 1
//@[strstr-behind] cflags: -DCALL=sink=!!strstr(text,middle) -DPLACE=text[2]
//@[strstr-behind] expect: verified
//@[strstr-behind] executions: 1
//@[strcasestr] cflags: -DCALL=sink=!!strcasestr(text,upper_middle) -DPLACE=text[1]
//@[strcasestr] expect: bug
//@[strcasestr] kind: data-race
//@[strcasestr] executions: 1
//@[strcasestr-behind] cflags: -DCALL=sink=!!strcasestr(text,upper_middle) -DPLACE=text[2]
//@[strcasestr-behind] expect: verified
//@[strcasestr-behind] executions: 1
//@[strspn] cflags: -DCALL=sink=strspn(text,middle) -DPLACE=text[0]
//@[strspn] expect: bug
//@[strspn] kind: data-race
//@[strspn] executions: 1
//@[strspn-behind] cflags: -DCALL=sink=strspn(text,middle) -DPLACE=text[1]
//@[strspn-behind] expect: verified
//@[strspn-behind] executions: 1
//@[strcspn] cflags: -DCALL=sink=strcspn(text,middle) -DPLACE=text[1]
//@[strcspn] expect: bug
//@[strcspn] kind: data-race
//@[strcspn] executions: 1
//@[strcspn-behind] cflags: -DCALL=sink=strcspn(text,middle) -DPLACE=text[2]
//@[strcspn-behind] expect: verified
//@[strcspn-behind] executions: 1
//@[memchr] cflags: -DCALL=sink=!!memchr(text,98,9) -DPLACE=text[1]
//@[memchr] expect: bug
//@[memchr] kind: data-race
//@[memchr] executions: 1
//@[memchr-behind] cflags: -DCALL=sink=!!memchr(text,98,9) -DPLACE=text[2]
//@[memchr-behind] expect: verified
//@[memchr-behind] executions: 1
//@[atoi] cflags: -DCALL=sink=atoi(digits) -DPLACE=digits[2]
//@[atoi] expect: bug
//@[atoi] kind: data-race
//@[atoi] executions: 1
//@[atoi-behind] cflags: -DCALL=sink=atoi(digits) -DPLACE=digits[3]
//@[atoi-behind] expect: verified
//@[atoi-behind] executions: 1
//@[strtol] cflags: -DCALL=sink=strtol(digits,&end,10) -DPLACE=digits[2]
//@[strtol] expect: bug
//@[strtol] kind: data-race
//@[strtol] executions: 1
//@[strtol-behind] cflags: -DCALL=sink=strtol(digits,&end,10) -DPLACE=digits[3]
//@[strtol-behind] expect: verified
//@[strtol-behind] executions: 1
//@[strtod] cflags: -DCALL=sink=strtod(digits,&end) -DPLACE=digits[3]
//@[strtod] expect: bug
//@[strtod] kind: data-race
//@[strtod] executions: 1
//@[strtod-behind] cflags: -DCALL=sink=strtod(digits,&end) -DPLACE=digits[4]
//@[strtod-behind] expect: verified
//@[strtod-behind] executions: 1
//@[strdup] cflags: -DCALL=sink=*strdup(text) -DPLACE=text[3]
//@[strdup] expect: bug
//@[strdup] kind: data-race
//@[strdup] executions: 1
//@[strdup-behind] cflags: -DCALL=sink=*(kept=strdup(text)) -DPLACE=text[4]
//@[strdup-behind] expect: verified
//@[strdup-behind] executions: 1
//@[strcpy-from] cflags: -DCALL=strcpy(mine,text) -DPLACE=text[3]
//@[strcpy-from] expect: bug
//@[strcpy-from] kind: data-race
//@[strcpy-from] executions: 1
//@[strcpy-from-behind] cflags: -DCALL=strcpy(mine,text) -DPLACE=text[4]
//@[strcpy-from-behind] expect: verified
//@[strcpy-from-behind] executions: 1
//@[strcpy-to] cflags: -DCALL=strcpy(text,middle) -DPLACE=text[1]
//@[strcpy-to] expect: bug
//@[strcpy-to] kind: data-race
//@[strcpy-to] executions: 1
//@[strcpy-to-behind] cflags: -DCALL=strcpy(text,middle) -DPLACE=text[2]
//@[strcpy-to-behind] expect: verified
//@[strcpy-to-behind] executions: 1
//@[strncpy-to] cflags: -DCALL=strncpy(text,middle,5) -DPLACE=text[4]
//@[strncpy-to] expect: bug
//@[strncpy-to] kind: data-race
//@[strncpy-to] executions: 1
//@[strncpy-to-behind] cflags: -DCALL=strncpy(text,middle,5) -DPLACE=text[5]
//@[strncpy-to-behind] expect: verified
//@[strncpy-to-behind] executions: 1
//@[strcat-to] cflags: -DCALL=strcat(text,middle) -DPLACE=text[4]
//@[strcat-to] expect: bug
//@[strcat-to] kind: data-race
//@[strcat-to] executions: 1
//@[strcat-to-behind] cflags: -DCALL=strcat(text,middle) -DPLACE=text[5]
//@[strcat-to-behind] expect: verified
//@[strcat-to-behind] executions: 1
//@[strlcpy-from] cflags: -DCALL=strlcpy(mine,text,2) -DPLACE=text[3]
//@[strlcpy-from] expect: bug
//@[strlcpy-from] kind: data-race
//@[strlcpy-from] executions: 1
//@[strlcpy-from-behind] cflags: -DCALL=strlcpy(mine,text,2) -DPLACE=text[4]
//@[strlcpy-from-behind] expect: verified
//@[strlcpy-from-behind] executions: 1
//@[strlcpy-to] cflags: -DCALL=strlcpy(text,other,2) -DPLACE=text[1]
//@[strlcpy-to] expect: bug
//@[strlcpy-to] kind: data-race
//@[strlcpy-to] executions: 1
//@[strlcpy-to-behind] cflags: -DCALL=strlcpy(text,other,2) -DPLACE=text[2]
//@[strlcpy-to-behind] expect: verified
//@[strlcpy-to-behind] executions: 1
//@[strlcat-to] cflags: -DCALL=strlcat(text,other,5) -DPLACE=text[4]
//@[strlcat-to] expect: bug
//@[strlcat-to] kind: data-race
//@[strlcat-to] executions: 1
//@[strlcat-to-behind] cflags: -DCALL=strlcat(text,other,5) -DPLACE=text[5]
//@[strlcat-to-behind] expect: verified
//@[strlcat-to-behind] executions: 1
//@[strncat-to] cflags: -DCALL=strncat(text,other,1) -DPLACE=text[4]
//@[strncat-to] expect: bug
//@[strncat-to] kind: data-race
//@[strncat-to] executions: 1
//@[strncat-to-behind] cflags: -DCALL=strncat(text,other,1) -DPLACE=text[5]
//@[strncat-to-behind] expect: verified
//@[strncat-to-behind] executions: 1
//@[sprintf-to] cflags: -DCALL=sprintf(text,form,7) -DPLACE=text[2]
//@[sprintf-to] expect: bug
//@[sprintf-to] kind: data-race
//@[sprintf-to] executions: 1
//@[sprintf-to-behind] cflags: -DCALL=sprintf(text,form,7) -DPLACE=text[3]
//@[sprintf-to-behind] expect: verified
//@[sprintf-to-behind] executions: 1
//@[snprintf-to] cflags: -DCALL=snprintf(text,2,form,7) -DPLACE=text[1]
//@[snprintf-to] expect: bug
//@[snprintf-to] kind: data-race
//@[snprintf-to] executions: 1
//@[snprintf-to-behind] cflags: -DCALL=snprintf(text,2,form,7) -DPLACE=text[2]
//@[snprintf-to-behind] expect: verified
//@[snprintf-to-behind] executions: 1
//@[snprintf-s] cflags: -DCALL=snprintf(mine,9,percent,text) -DPLACE=text[3]
//@[snprintf-s] expect: bug
//@[snprintf-s] kind: data-race
//@[snprintf-s] executions: 1
//@[snprintf-s-behind] cflags: -DCALL=snprintf(mine,9,percent,text) -DPLACE=text[4]
//@[snprintf-s-behind] expect: verified
//@[snprintf-s-behind] executions: 1
//@[snprintf-prec] cflags: -DCALL=snprintf(mine,9,two,text) -DPLACE=text[1]
//@[snprintf-prec] expect: bug
//@[snprintf-prec] kind: data-race
//@[snprintf-prec] executions: 1
//@[snprintf-prec-behind] cflags: -DCALL=snprintf(mine,9,two,text) -DPLACE=text[2]
//@[snprintf-prec-behind] expect: verified
//@[snprintf-prec-behind] executions: 1
//@[printf-s] cflags: -DCALL=printf(percent,text) -DPLACE=text[3]
//@[printf-s] expect: bug
//@[printf-s] kind: data-race
//@[printf-s] executions: 1
//@[printf-s-behind] cflags: -DCALL=printf(percent,text) -DPLACE=text[4]
//@[printf-s-behind] expect: verified
//@[printf-s-behind] executions: 1
//@[puts] cflags: -DCALL=puts(text) -DPLACE=text[3]
//@[puts] expect: bug
//@[puts] kind: data-race
//@[puts] executions: 1
//@[puts-behind] cflags: -DCALL=puts(text) -DPLACE=text[4]
//@[puts-behind] expect: verified
//@[puts-behind] executions: 1
//@[fputs] cflags: -DCALL=fputs(text,stdout) -DPLACE=text[3]
//@[fputs] expect: bug
//@[fputs] kind: data-race
//@[fputs] executions: 1
//@[fputs-behind] cflags: -DCALL=fputs(text,stdout) -DPLACE=text[4]
//@[fputs-behind] expect: verified
//@[fputs-behind] executions: 1
//@[fwrite] cflags: -DCALL=fwrite(text,1,2,stdout) -DPLACE=text[1]
//@[fwrite] expect: bug
//@[fwrite] kind: data-race
//@[fwrite] executions: 1
//@[fwrite-behind] cflags: -DCALL=fwrite(text,1,2,stdout) -DPLACE=text[2]
//@[fwrite-behind] expect: verified
//@[fwrite-behind] executions: 1
//@[write] cflags: -DCALL=write(1,text,2) -DPLACE=text[1]
//@[write] expect: bug
//@[write] kind: data-race
//@[write] executions: 1
//@[write-behind] cflags: -DCALL=write(1,text,2) -DPLACE=text[2]
//@[write-behind] expect: verified
//@[write-behind] executions: 1
//@[sscanf-from] cflags: -DCALL=sscanf(text,percent,mine) -DPLACE=text[3]
//@[sscanf-from] expect: bug
//@[sscanf-from] kind: data-race
//@[sscanf-from] executions: 1
//@[sscanf-from-behind] cflags: -DCALL=sscanf(text,percent,mine) -DPLACE=text[4]
//@[sscanf-from-behind] expect: verified
//@[sscanf-from-behind] executions: 1
//@[sscanf-to] cflags: -DCALL=sscanf(middle,percent,text) -DPLACE=text[1]
//@[sscanf-to] expect: bug
//@[sscanf-to] kind: data-race
//@[sscanf-to] executions: 1
//@[sscanf-to-behind] cflags: -DCALL=sscanf(middle,percent,text) -DPLACE=text[2]
//@[sscanf-to-behind] expect: verified
//@[sscanf-to-behind] executions: 1
//@[qsort] cflags: -DCALL=qsort(text,3,1,compare) -DPLACE=text[2]
//@[qsort] expect: bug
//@[qsort] kind: data-race
//@[qsort] executions: 1
//@[qsort-behind] cflags: -DCALL=qsort(text,3,1,compare) -DPLACE=text[3]
//@[qsort-behind] expect: verified
//@[qsort-behind] executions: 1
//@[wcslen] cflags: -DCALL=sink=wcslen(wide) -DPLACE=wide[2]
//@[wcslen] expect: bug
//@[wcslen] kind: data-race
//@[wcslen] executions: 1
//@[wcslen-behind] cflags: -DCALL=sink=wcslen(wide) -DPLACE=wide[3]
//@[wcslen-behind] expect: verified
//@[wcslen-behind] executions: 1
//@[printf-star] cflags: -DCALL=snprintf(mine,9,star,3,4,text) -DPLACE=text[3]
//@[printf-star] expect: bug
//@[printf-star] kind: data-race
//@[printf-star] executions: 1
//@[printf-star-behind] cflags: -DCALL=snprintf(mine,9,star,3,4,text) -DPLACE=text[4]
//@[printf-star-behind] expect: verified
//@[printf-star-behind] executions: 1
//@[printf-ls] cflags: -DCALL=snprintf(mine,9,wide_text,wide) -DPLACE=wide[2]
//@[printf-ls] expect: bug
//@[printf-ls] kind: data-race
//@[printf-ls] executions: 1
//@[printf-ls-behind] cflags: -DCALL=snprintf(mine,9,wide_text,wide) -DPLACE=wide[3]
//@[printf-ls-behind] expect: verified
//@[printf-ls-behind] executions: 1
//@[printf-1ls] cflags: -DCALL=snprintf(mine,9,wide_one,wide) -DPLACE=wide[0]
//@[printf-1ls] expect: bug
//@[printf-1ls] kind: data-race
//@[printf-1ls] executions: 1
//@[printf-1ls-behind] cflags: -DCALL=snprintf(mine,9,wide_one,wide) -DPLACE=wide[1]
//@[printf-1ls-behind] expect: verified
//@[printf-1ls-behind] executions: 1
//@[printf-n] cflags: -DCALL=sprintf(mine,counted,text) -DPLACE=text[3]
//@[printf-n] expect: bug
//@[printf-n] kind: data-race
//@[printf-n] executions: 1
//@[printf-n-behind] cflags: -DCALL=sprintf(mine,counted,text) -DPLACE=text[4]
//@[printf-n-behind] expect: verified
//@[printf-n-behind] executions: 1
//@[printf-hhn] cflags: -DCALL=sprintf(mine,counted_byte,text) -DPLACE=text[0]
//@[printf-hhn] expect: bug
//@[printf-hhn] kind: data-race
//@[printf-hhn] executions: 1
//@[printf-hhn-behind] cflags: -DCALL=sprintf(mine,counted_byte,text) -DPLACE=text[1]
//@[printf-hhn-behind] expect: verified
//@[printf-hhn-behind] executions: 1
//@[printf-many] cflags: -DCALL=snprintf(mine,63,many,1,2,3,4,0.5,1.5L,text) -DPLACE=text[3]
//@[printf-many] expect: bug
//@[printf-many] kind: data-race
//@[printf-many] executions: 1
//@[printf-many-behind] cflags: -DCALL=snprintf(mine,63,many,1,2,3,4,0.5,1.5L,text) -DPLACE=text[4]
//@[printf-many-behind] expect: verified
//@[printf-many-behind] executions: 1
//@[strtok] cflags: -DCALL=strtok_r(text,middle,&rest) -DPLACE=text[1]
//@[strtok] expect: bug
//@[strtok] kind: data-race
//@[strtok] executions: 1
//@[strtok-behind] cflags: -DCALL=strtok_r(text,middle,&rest) -DPLACE=text[2]
//@[strtok-behind] expect: verified
//@[strtok-behind] executions: 1
//@[strsep] cflags: -DCALL=rest=text;strsep(&rest,middle) -DPLACE=text[1]
//@[strsep] expect: bug
//@[strsep] kind: data-race
//@[strsep] executions: 1
//@[strsep-behind] cflags: -DCALL=rest=text;strsep(&rest,middle) -DPLACE=text[2]
//@[strsep-behind] expect: verified
//@[strsep-behind] executions: 1
//@[strpbrk] cflags: -DCALL=sink=!!strpbrk(text,middle) -DPLACE=text[1]
//@[strpbrk] expect: bug
//@[strpbrk] kind: data-race
//@[strpbrk] executions: 1
//@[strpbrk-behind] cflags: -DCALL=sink=!!strpbrk(text,middle) -DPLACE=text[2]
//@[strpbrk-behind] expect: verified
//@[strpbrk-behind] executions: 1
//@[memrchr] cflags: -DCALL=sink=!!memrchr(text,98,3) -DPLACE=text[2]
//@[memrchr] expect: bug
//@[memrchr] kind: data-race
//@[memrchr] executions: 1
//@[memrchr-behind] cflags: -DCALL=sink=!!memrchr(text,98,3) -DPLACE=text[3]
//@[memrchr-behind] expect: verified
//@[memrchr-behind] executions: 1
//@[memccpy] cflags: -DCALL=memccpy(mine,text,98,9) -DPLACE=text[1]
//@[memccpy] expect: bug
//@[memccpy] kind: data-race
//@[memccpy] executions: 1
//@[memccpy-behind] cflags: -DCALL=memccpy(mine,text,98,9) -DPLACE=text[2]
//@[memccpy-behind] expect: verified
//@[memccpy-behind] executions: 1
//@[stpcpy-from] cflags: -DCALL=sink=*stpcpy(mine,text) -DPLACE=text[3]
//@[stpcpy-from] expect: bug
//@[stpcpy-from] kind: data-race
//@[stpcpy-from] executions: 1
//@[stpcpy-from-behind] cflags: -DCALL=sink=*stpcpy(mine,text) -DPLACE=text[4]
//@[stpcpy-from-behind] expect: verified
//@[stpcpy-from-behind] executions: 1
//@[wmemset] cflags: -DCALL=wmemset(wide,65,2) -DPLACE=wide[1]
//@[wmemset] expect: bug
//@[wmemset] kind: data-race
//@[wmemset] executions: 1
//@[wmemset-behind] cflags: -DCALL=wmemset(wide,65,2) -DPLACE=wide[2]
//@[wmemset-behind] expect: verified
//@[wmemset-behind] executions: 1
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

// glibc declares these since 2.38.
size_t strlcpy(char *to, const char *from, size_t room);
size_t strlcat(char *to, const char *from, size_t room);

char text[16] = "abc", digits[16] = "12.";
wchar_t wide[16] = L"ab";
char other[] = "abx", upper[] = "ABX", middle[] = "b", upper_middle[] = "B";
char star[] = "%*d%s", wide_text[] = "%ls", wide_one[] = "%.1ls", counted[] = "%n", counted_byte[] = "%hhn";
char many[] = "%d%d%d%d%f%Lf%s";
char form[] = "%d!", percent[] = "%s", two[] = "%.2s";
_Thread_local char mine[64], *end, *rest;
_Thread_local volatile long sink;
char *kept;

int compare(const void *a, const void *b) {
    return (a > b) - (a < b);
}

static void *caller(void *unused) {
    CALL;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, caller, 0);
    PLACE = 'b';
    pthread_join(thread, 0);
    return 0;
}
