//! Data races on plain accesses, judged by C11 happens-before.
#![forbid(unsafe_code)]
