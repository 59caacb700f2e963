//! Prints docs/options.md, for `cargo xtask docs`.

fn main() {
    print!("{}", dpor_driver::flags::page());
}
