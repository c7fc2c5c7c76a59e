//! The proxy-wasm filter, which drives an [`Exchange`](crate::Exchange).

mod log;
mod meter;
mod root;
mod shared;
mod stream;

proxy_wasm::main! {{
    proxy_wasm::set_root_context(|_| Box::new(root::Root::default()));
}}
