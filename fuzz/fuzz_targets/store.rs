#![no_main]

#[path = "../io_bodies.rs"]
mod io_bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    io_bodies::store(data);
});
