//! Converts a wheel, folder or safetensors file: `cargo run -p bethink-embed --example import_model -- SOURCE FOLDER`,
//! with `single` behind it for linear layers in single precision and `int8` for bytes.

use std::path::Path;

use bethink_embed::EncoderNumerics;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (source, into, numerics) = match &arguments[..] {
        [source, into] => (source, into, EncoderNumerics::default()),
        [source, into, numerics] if numerics == "single" => (source, into, EncoderNumerics::Single),
        [source, into, numerics] if numerics == "int8" => (source, into, EncoderNumerics::Int8),
        _ => return Err("usage: import_model SOURCE FOLDER [single|int8]".into()),
    };
    for manifest in bethink_embed::import_as(Path::new(source), Path::new(into), numerics)? {
        bethink_embed::verify(&Path::new(into).join(manifest.file_name()))?;
        println!("{manifest:#?}");
    }
    Ok(())
}
