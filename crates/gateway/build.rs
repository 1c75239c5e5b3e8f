//! Makes sure that the web page is there to be built in; building the page itself is done by hand.

fn main() {
    println!("cargo::rerun-if-changed=dist");
    if !std::path::Path::new("dist/index.html").exists() {
        println!(
            "cargo::error=dist/index.html is missing: run `npm ci && npm run build` in crates/gateway/ui"
        );
    }
}
