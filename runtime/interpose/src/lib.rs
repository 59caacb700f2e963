//! libdpor_rt.so
// Documented in full with the engine.
#[macro_use]
pub mod real;
pub mod annotations;
pub mod cxa;
pub mod engine;
pub mod libc;
pub mod pthread;
pub mod sys;
pub mod world;
