//! The rules as data. To allow something new, add a line with its reason; a reviewer sees it there.

/// What a crate may use among our own crates, beside `bethink-core`, which everything may use.
pub struct Arrows {
    /// The crate.
    pub from: &'static str,
    /// What it may name in `[dependencies]`.
    pub to: &'static [&'static str],
}

/// The arrows of the design, section 3. A crate without a line here is refused.
pub const ARROWS: &[Arrows] = &[
    Arrows { from: "bethink-core", to: &[] },
    // The leaves.
    Arrows { from: "bethink-text", to: &[] },
    Arrows { from: "bethink-embed", to: &[] },
    Arrows { from: "bethink-store", to: &[] },
    Arrows { from: "bethink-index", to: &["bethink-text"] },
    Arrows { from: "bethink-extract", to: &["bethink-text"] },
    // Write path and read path never see each other.
    Arrows {
        from: "bethink-ingest",
        to: &["bethink-text", "bethink-extract", "bethink-embed", "bethink-index", "bethink-store"],
    },
    Arrows { from: "bethink-search", to: &["bethink-text", "bethink-embed", "bethink-index", "bethink-store"] },
    Arrows { from: "bethink-memory", to: &["bethink-search", "bethink-text", "bethink-store"] },
    Arrows { from: "bethink-sealed", to: &["bethink-store"] },
    Arrows { from: "bethink-sync", to: &["bethink-memory", "bethink-sealed", "bethink-store"] },
    // The façade opens a home and wires the rest, so it hands leaves to the paths above them.
    Arrows {
        from: "bethink-engine",
        to: &[
            "bethink-text",
            "bethink-embed",
            "bethink-index",
            "bethink-store",
            "bethink-extract",
            "bethink-ingest",
            "bethink-search",
            "bethink-memory",
            "bethink-sealed",
            "bethink-sync",
        ],
    },
    Arrows { from: "bethink-server", to: &["bethink-engine"] },
    Arrows { from: "bethink", to: &["bethink-engine", "bethink-server"] },
    // Development only. The testkit stands on what tests need to own: an embedder, a store, an index.
    Arrows {
        from: "bethink-testkit",
        to: &["bethink-text", "bethink-embed", "bethink-index", "bethink-store", "bethink-extract"],
    },
    // Drives the built program from outside.
    Arrows { from: "xtask", to: &[] },
];

/// Used by everything.
pub const VOCABULARY: &str = "bethink-core";
/// May stand in `[dev-dependencies]` of everything, and nowhere else.
pub const TESTKIT: &str = "bethink-testkit";
/// Crates that ship nothing: rules about the wire and about printing do not bind them.
pub const DEVELOPMENT_ONLY: &[&str] = &["xtask", TESTKIT];

/// An outside crate that only some of ours may use.
pub struct Fence {
    /// The outside crates behind the fence.
    pub packages: &'static [&'static str],
    /// Ours that may use them in what they ship.
    pub allowed: &'static [&'static str],
    /// Why.
    pub reason: &'static str,
}

/// Fences around outside crates.
pub const FENCES: &[Fence] = &[
    Fence {
        packages: &["rusqlite", "libsqlite3-sys", "mysql_async", "sqlx"],
        allowed: &["bethink-store"],
        reason: "only the store holds SQL; say what you need as a method of its traits",
    },
    Fence {
        packages: &["serde", "serde_json", "schemars", "toml"],
        // Extract speaks to its own worker process, embed reads models' configurations and writes its
        // container's header: both private formats, no wire.
        allowed: &["bethink", "bethink-server", "bethink-extract", "bethink-embed"],
        reason: "only server and binary serialise for the wire; hand plain data types upwards",
    },
    Fence {
        packages: &["tantivy"],
        allowed: &["bethink-index"],
        reason: "the lexical index is a room of bethink-index",
    },
    Fence {
        packages: &["rmcp", "axum", "tokio"],
        allowed: &["bethink", "bethink-server"],
        reason: "engines know no surface and need no async runtime",
    },
    Fence {
        packages: &["clap", "anstream", "indicatif"],
        allowed: &["bethink"],
        reason: "only the binary talks to a terminal",
    },
    Fence {
        packages: &[
            "pdf_oxide",
            "pdfium-render",
            "html5ever",
            "chardetng",
            "office_oxide",
            "undoc",
            "cfb",
            "mail-parser",
            "tar",
            "sevenz-rust2",
            "lofty",
            "kamadak-exif",
        ],
        allowed: &["bethink-extract"],
        reason: "parsers of untrusted bytes stay behind the extraction border",
    },
    Fence { packages: &["anyhow"], allowed: &["bethink", "xtask"], reason: "libraries have one error enum a room" },
];

/// Packages that open connections to other machines. None may be in the default build: nothing is
/// downloaded at query time, and extraction of untrusted bytes has nobody to call.
pub const NETWORK_CLIENTS: &[&str] = &[
    "attohttpc",
    "awc",
    "curl",
    "curl-sys",
    "h2",
    "hf-hub",
    "hickory-resolver",
    "hyper-rustls",
    "hyper-tls",
    "isahc",
    "minreq",
    "native-tls",
    "openssl",
    "openssl-sys",
    "quinn",
    "reqwest",
    "rustls",
    "surf",
    "tungstenite",
    "ureq",
];

/// Packages that are servers or clients by their features: (package, the client's feature).
pub const CLIENT_FEATURES: &[(&str, &str)] = &[
    ("hyper", "client"),
    ("hyper-util", "client"),
    ("hyper-util", "client-legacy"),
    ("rmcp", "transport-streamable-http-client"),
    ("rmcp", "transport-streamable-http-client-reqwest"),
];

/// A package that the default build holds in two versions, and why we bear it.
pub struct Duplicate {
    /// The package.
    pub package: &'static str,
    /// How many versions are borne.
    pub versions: usize,
    /// Who wants which.
    pub reason: &'static str,
}

/// Doubled packages that we bear. An entry that is no longer needed is reported, so the list shrinks.
pub const DUPLICATES: &[Duplicate] = &[
    Duplicate { package: "cfb", versions: 2, reason: "infer's table of signatures against undoc; a small reader" },
    Duplicate { package: "constant_time_eq", versions: 2, reason: "blake3 and zip; a few lines of code" },
    Duplicate { package: "fax", versions: 2, reason: "tiff, below pdf_oxide's image reader, lags pdf_oxide" },
    Duplicate { package: "getrandom", versions: 2, reason: "rand 0.9, below tantivy, against the current one" },
    Duplicate { package: "miniz_oxide", versions: 2, reason: "png lags flate2" },
    Duplicate { package: "nom", versions: 2, reason: "tantivy's query grammar against pdf_oxide" },
    Duplicate { package: "rand", versions: 2, reason: "tantivy's columns lag rmcp's HTTP transport" },
    Duplicate { package: "rand_core", versions: 2, reason: "rand 0.9, below tantivy, against getrandom's" },
    Duplicate { package: "syn", versions: 2, reason: "derive macros are in the middle of a move; build time only" },
    Duplicate { package: "weezl", versions: 2, reason: "tiff, below pdf_oxide's image reader, lags pdf_oxide" },
];

/// Licences under which code may come into the released binary: permissive ones, and the weak
/// copyleft of MPL-2.0, which binds only its own files.
pub const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    // Permissive, of the form of zlib's: libbz2-rs-sys, the bzip2 decoder in Rust.
    "bzip2-1.0.6",
];

/// Crates that hold `unsafe` blocks, and what for. Every other crate forbids them at its root.
pub const UNSAFE_CRATES: &[(&str, &str)] = &[
    ("bethink-embed", "kernels of the forward pass; mapping a model container"),
    ("bethink-index", "scan kernels; mapping segments"),
    ("bethink-extract", "limits of the worker process"),
    ("bethink-ingest", "idle scheduling class"),
];

/// Names that say nothing about what is inside.
pub const FORBIDDEN_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "types", "misc", "stuff"];

/// Past this many lines a file must be listed with a reason.
pub const LONGEST_FILE_LINES: usize = 800;

/// Files that are longer, and why they are clearer in one piece.
pub const LONG_FILES: &[(&str, &str)] = &[];

/// Files outside the store in which a string may look like an SQL statement, and why.
pub const SQL_LOOKALIKES: &[(&str, &str)] = &[];

/// Crates that know no surface: they neither print nor read the environment.
pub const SURFACELESS: &[&str] = &[
    "bethink-core",
    "bethink-text",
    "bethink-embed",
    "bethink-index",
    "bethink-store",
    "bethink-extract",
    "bethink-ingest",
    "bethink-search",
    "bethink-memory",
    "bethink-sealed",
    "bethink-sync",
];

/// Files of those crates that may all the same, and why.
pub const SURFACE_EXCEPTIONS: &[(&str, &str)] = &[];
