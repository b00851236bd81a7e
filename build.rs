//! Finds the system's LAPACK for the `lapack` feature, or stops with the name of the package to
//! install.

use std::env;

fn main() {
    println!("cargo:rerun-if-env-changed=OPENBLAS_LIB_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    // Set when the library found is OpenBLAS, whose own threads must be kept to one.
    println!("cargo:rustc-check-cfg=cfg(openblas)");
    if env::var_os("CARGO_FEATURE_LAPACK").is_none() {
        return;
    }
    if let Some(dir) = env::var_os("OPENBLAS_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", dir.to_string_lossy());
        println!("cargo:rustc-link-lib=openblas");
        println!("cargo:rustc-cfg=openblas");
        return;
    }
    if pkg_config::probe_library("openblas").is_ok() {
        println!("cargo:rustc-cfg=openblas");
        return;
    }
    if pkg_config::probe_library("lapack").is_ok() {
        return;
    }
    println!(
        "cargo::error=lambdacut needs a LAPACK library: install libopenblas-dev (Debian, Ubuntu: apt-get install libopenblas-dev pkg-config), set \
         OPENBLAS_LIB_DIR to the directory that holds libopenblas, or build with --no-default-features."
    );
}
