" Vim compiler file: dpor, which checks programs with threads.
" :compiler dpor, :make FILE... or :make PROGRAM; options in g:dpor_options.

if exists("current_compiler")
  finish
endif
let current_compiler = "dpor"

let s:options = get(g:, "dpor_options", "")
let &l:makeprg = "dpor check --message-format=short " . s:options
" With a column, and without: FILE:LINE:COLUMN: error: TEXT.
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m
CompilerSet errorformat+=%f:%l:\ %trror:\ %m,%f:%l:\ %tarning:\ %m,%f:%l:\ %tote:\ %m
CompilerSet errorformat+=%-G%.%#
