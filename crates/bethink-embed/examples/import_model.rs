//! Converts a wheel, folder or safetensors file: `cargo run -p bethink-embed --example import_model -- SOURCE FOLDER`.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [source, into] = &arguments[..] else { return Err("usage: import_model SOURCE FOLDER".into()) };
    for manifest in bethink_embed::import(Path::new(source), Path::new(into))? {
        bethink_embed::verify(&Path::new(into).join(manifest.file_name()))?;
        println!("{manifest:#?}");
    }
    Ok(())
}
