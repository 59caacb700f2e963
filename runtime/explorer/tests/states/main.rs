//! The search over states, held against graphs of all states, found by brute force.

mod brute;
mod built_in;
mod compared;
mod early;
mod fused;
mod known;
mod language;
mod machine;
mod mutations;
mod oracle;
mod programs;
mod random;
mod runs;
mod sifted;
mod starving;
mod within;
mod witnesses;
