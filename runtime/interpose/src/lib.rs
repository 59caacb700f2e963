//! libdpor_rt.so
