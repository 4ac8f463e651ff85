//! The HTTP service: pages in, records out.
