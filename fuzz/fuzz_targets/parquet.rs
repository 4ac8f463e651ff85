#![no_main]

#[path = "../io_bodies.rs"]
mod io_bodies;

// A panic of the decoder that is caught is no finding, but libFuzzer's hook would end the process before. One that is not caught still
// ends it.
libfuzzer_sys::fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |data: &[u8]| {
    io_bodies::parquet(data);
});
