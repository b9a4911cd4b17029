//! What names claim. Believed only among formats that look alike.

use bethink_core::{Format, Language};

/// The format that an extension (lower case, without its dot) claims.
pub(super) fn of_extension(extension: &str) -> Option<Format> {
    Some(match extension {
        "md" | "markdown" | "mdx" | "mkd" | "mdown" | "qmd" | "rmd" => Format::Markdown,
        "org" | "org_archive" => Format::Org,
        "rst" | "rest" => Format::Rst,
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Format::Html,
        "eml" | "emlx" => Format::Email,
        "mbox" | "mbx" => Format::Mailbox,
        "mht" | "mhtml" => Format::Mhtml,
        "json" | "jsonl" | "ndjson" | "json5" | "jsonc" | "geojson" | "ipynb" | "webmanifest" | "har" => Format::Json,
        "yaml" | "yml" => Format::Yaml,
        "toml" | "ini" | "cfg" | "conf" | "properties" | "desktop" | "service" | "editorconfig" => Format::Toml,
        "csv" | "tsv" | "tab" => Format::Csv,
        "xml" | "xsd" | "xsl" | "xslt" | "svg" | "rss" | "atom" | "plist" | "kml" | "gpx" | "opml" | "fb2"
        | "csproj" | "vcxproj" | "fsproj" | "wsdl" | "resx" | "xaml" | "xliff" | "xlf" | "tmx" | "drawio" | "fodt"
        | "fods" | "fodp" | "dtd" | "rdf" | "owl" => Format::Xml,
        "txt" | "text" | "log" => Format::Text,
        "tex" | "latex" | "ltx" | "sty" | "dtx" => Format::Latex,
        "adoc" | "asciidoc" | "asciidoctor" => Format::Asciidoc,
        "srt" | "vtt" | "ass" | "ssa" | "sbv" => Format::Subtitles,
        "vb" | "vbs" | "bas" | "pas" | "d" | "nim" | "v" | "sv" | "vhd" | "vhdl" | "groovy" | "gradle" | "m" | "mm"
        | "cu" | "cl" | "glsl" | "hlsl" | "wgsl" | "tcl" | "awk" | "sed" | "bat" | "cmd" | "coffee" | "elm" | "fs"
        | "fsx" | "fsi" | "cr" | "sol" | "thy" | "lean" | "agda" | "idr" | "ads" | "adb" | "cob" | "cbl" | "abap"
        | "graphql" | "gql" | "thrift" | "dockerfile" | "vim" | "diff" | "patch" | "cxx_" | "ino" | "gd" | "hx"
        | "jinja" | "j2" | "ejs" | "erb" | "hbs" | "twig" | "astro" | "tpl" | "bzl" | "bazel" | "star" | "nu"
        | "cson" | "ll" | "wat" | "g4" | "y" | "yy" | "lex" | "pyx" | "pxd" | "sbt" | "vala" | "pro" | "m4" | "ac"
        | "am" => Format::Code(Language::Other),
        other => Format::Code(Language::from_extension(other)?),
    })
}

/// The format that a whole file name (lower case) claims.
pub(super) fn of_name(name: &str) -> Option<Format> {
    Some(match name {
        "makefile" | "gnumakefile" => Format::Code(Language::Make),
        "cmakelists.txt" => Format::Code(Language::CMake),
        "dockerfile" | "containerfile" | "jenkinsfile" | "vagrantfile" | "justfile" | "procfile" | "build"
        | "workspace" => Format::Code(Language::Other),
        "rakefile" | "gemfile" => Format::Code(Language::Ruby),
        ".bashrc" | ".zshrc" | ".profile" | ".bash_profile" | ".bash_aliases" => Format::Code(Language::Shell),
        ".gitconfig" | ".editorconfig" | ".npmrc" => Format::Toml,
        "cargo.lock" | "poetry.lock" | "pipfile" => Format::Toml,
        _ => return of_inner_extension(name),
    })
}

/// The format that the extension before a wrapper claims: `chapter.rst.txt`, `config.toml.sample`.
fn of_inner_extension(name: &str) -> Option<Format> {
    const WRAPPERS: [&str; 11] =
        ["txt", "in", "orig", "bak", "old", "sample", "example", "dist", "template", "tmpl", "default"];
    let (inner, wrapper) = name.rsplit_once('.')?;
    let (_, extension) = inner.rsplit_once('.').filter(|_| WRAPPERS.contains(&wrapper))?;
    // Of code, only what is told by more than a letter or two: `notes.v.txt` is no Verilog.
    of_extension(extension).filter(|format| !matches!(format, Format::Code(_)) || extension.len() > 1)
}
