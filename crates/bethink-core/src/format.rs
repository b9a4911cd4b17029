//! What a file is: its format (how to read it) and its kind (what a person calls it).

macro_rules! formats {
    ($($(#[$attribute:meta])* $variant:ident $name:literal $words:literal),* $(,)?) => {
        /// How a source's bytes are read. Decided by content first; the extension only breaks ties
        /// between formats that look alike (Markdown and plain text, one programming language and another).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub enum Format {
            $(#[doc = $words] $(#[$attribute])* $variant,)*
            /// Source code of a programming language.
            Code(Language),
            /// Known by its signature alone; findable by name only.
            Other(&'static str),
        }

        impl Format {
            /// Every format but code and those that are known by their signature alone.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it in output, JSON and SQL.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Code(language) => language.name(),
                    Self::Other(name) => name,
                }
            }

            /// What a person calls a file of it, with its article.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$variant => $words,)*
                    Self::Code(_) => "source code",
                    Self::Other(_) => "a file of a known signature",
                }
            }

            /// The format of that name, among those whose text is indexed.
            pub fn from_name(name: &str) -> Option<Self> {
                Some(match name {
                    $($name => Self::$variant,)*
                    other => Self::Code(Language::from_name(other)?),
                })
            }
        }
    };
}

formats! {
    #[default]
    Text "text" "text without further structure",
    Markdown "markdown" "a Markdown text",
    Org "org" "an Emacs Org text",
    Rst "rst" "a reStructuredText text",
    Asciidoc "asciidoc" "an AsciiDoc text",
    Latex "latex" "a LaTeX source",
    Html "html" "an HTML page",
    Mhtml "mhtml" "a saved web page",
    Json "json" "JSON or JSON Lines",
    Yaml "yaml" "YAML",
    Toml "toml" "TOML or INI",
    Csv "csv" "comma- or tab-separated values",
    Xml "xml" "XML that is no format of its own",
    Pdf "pdf" "a PDF document",
    Docx "docx" "a Word document",
    Doc "doc" "an old Word document",
    Odt "odt" "an OpenDocument text",
    Rtf "rtf" "an RTF document",
    Pages "pages" "a Pages document",
    OneNote "one" "a OneNote section",
    Pptx "pptx" "a PowerPoint deck",
    Ppt "ppt" "an old PowerPoint deck",
    Odp "odp" "an OpenDocument presentation",
    Keynote "key" "a Keynote deck",
    Xlsx "xlsx" "an Excel workbook",
    Xlsb "xlsb" "a binary Excel workbook",
    Xls "xls" "an old Excel workbook",
    Ods "ods" "an OpenDocument spreadsheet",
    Numbers "numbers" "a Numbers spreadsheet",
    Epub "epub" "an e-book",
    FictionBook "fb2" "a FictionBook e-book",
    Notebook "ipynb" "a computational notebook",
    Email "eml" "a mail",
    Mailbox "mbox" "a mailbox",
    Msg "msg" "an Outlook message",
    Calendar "ics" "a calendar",
    Contacts "vcf" "contacts",
    Subtitles "subtitles" "subtitles",
    Chat "chat" "an export of chats",
    Bookmarks "bookmarks" "a browser's bookmarks",
    Evernote "enex" "notes exported from Evernote",
    Image "image" "a picture",
    Audio "audio" "a recording",
    Video "video" "a film",
    Zip "zip" "a ZIP archive",
    Tar "tar" "a TAR archive",
    SevenZip "7z" "a 7-Zip archive",
    Gzip "gz" "a gzip-compressed file",
    Bzip2 "bz2" "a bzip2-compressed file",
    Xz "xz" "an xz-compressed file",
    Zstandard "zst" "a Zstandard-compressed file",
}

macro_rules! languages {
    ($($variant:ident $name:literal [$($extension:literal),*]),* $(,)?) => {
        /// A programming language that structure and definitions are known for, or `Other`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language {
            $(#[doc = $name] $variant,)*
            /// Code by its extension or first line, of a language without a variant.
            Other,
        }

        impl Language {
            /// The language's usual name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* Self::Other => "code" }
            }

            /// The language of a lower-case extension without its dot.
            pub fn from_extension(extension: &str) -> Option<Self> {
                match extension { $($($extension)|* => Some(Self::$variant),)* _ => None }
            }

            /// The language of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* "code" => Some(Self::Other), _ => None }
            }
        }
    };
}

languages! {
    Rust "rust" ["rs"],
    Python "python" ["py", "pyi", "pyw"],
    JavaScript "javascript" ["js", "mjs", "cjs", "jsx"],
    TypeScript "typescript" ["ts", "mts", "cts", "tsx"],
    C "c" ["c", "h"],
    Cpp "c++" ["cc", "cpp", "cxx", "hpp", "hh", "hxx"],
    CSharp "c#" ["cs"],
    Java "java" ["java"],
    Kotlin "kotlin" ["kt", "kts"],
    Swift "swift" ["swift"],
    Go "go" ["go"],
    Ruby "ruby" ["rb"],
    Php "php" ["php"],
    Perl "perl" ["pl", "pm"],
    Shell "shell" ["sh", "bash", "zsh", "fish", "ksh"],
    PowerShell "powershell" ["ps1", "psm1"],
    Lua "lua" ["lua"],
    R "r" ["r"],
    Julia "julia" ["jl"],
    Haskell "haskell" ["hs"],
    OCaml "ocaml" ["ml", "mli"],
    Elixir "elixir" ["ex", "exs"],
    Erlang "erlang" ["erl", "hrl"],
    Clojure "clojure" ["clj", "cljs", "cljc", "edn"],
    Lisp "lisp" ["lisp", "el", "scm", "rkt"],
    Scala "scala" ["scala", "sc"],
    Dart "dart" ["dart"],
    Zig "zig" ["zig"],
    Nix "nix" ["nix"],
    Sql "sql" ["sql"],
    Css "css" ["css", "scss", "sass", "less"],
    Vue "vue" ["vue", "svelte"],
    Make "make" ["mk", "mak"],
    CMake "cmake" ["cmake"],
    Proto "protobuf" ["proto"],
    Terraform "terraform" ["tf", "hcl"],
    Fortran "fortran" ["f", "f90", "f95"],
    Assembly "assembly" ["asm", "s"],
}

impl Format {
    /// Whether the words in it are mostly identifiers, so that stopwords are kept and identifiers split.
    pub fn is_code(self) -> bool {
        matches!(self, Self::Code(_))
    }

    /// Whether its text, as extracted, marks headings as Markdown does (`#` to `######`), its lists with
    /// `- ` and its code with fences. Extractors of documents that have headings write them so.
    pub fn has_markdown_headings(self) -> bool {
        use Format::{
            Bookmarks, Chat, Doc, Docx, Epub, Evernote, FictionBook, Html, Keynote, Markdown, Mhtml, Notebook, Odp,
            Odt, OneNote, Pages, Ppt, Pptx, Rtf,
        };
        let documents = matches!(self, Markdown | Html | Mhtml | Docx | Doc | Odt | Rtf | Pages | OneNote);
        let decks = matches!(self, Pptx | Ppt | Odp | Keynote);
        documents || decks || matches!(self, Epub | FictionBook | Notebook | Bookmarks | Evernote | Chat)
    }

    /// Whether its text is sheets of rows, one row a line with its cells apart by tabs, the first row of
    /// each sheet naming the columns.
    pub fn has_sheets(self) -> bool {
        matches!(self, Self::Xlsx | Self::Xlsb | Self::Xls | Self::Ods | Self::Numbers)
    }

    /// Whether it contains other files and nothing else.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Zip | Self::Tar | Self::SevenZip | Self::Gzip | Self::Bzip2 | Self::Xz | Self::Zstandard)
    }

    /// Whether other files may be inside, each of which is a document of its own: members of an archive,
    /// attachments of a mail.
    pub fn may_hold_files(self) -> bool {
        self.is_container() || matches!(self, Self::Email | Self::Mailbox | Self::Msg | Self::Mhtml)
    }
}

/// What a person calls a file when they look for it. Decided by extension alone, since names are
/// searched without opening anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// Something to read: text, notes, PDF, office files, mail, books.
    Document,
    /// A table: spreadsheets and delimited values.
    Spreadsheet,
    /// A deck of slides.
    Presentation,
    /// A picture.
    Image,
    /// A recording without pictures.
    Audio,
    /// A recording with pictures.
    Video,
    /// Source code and its configuration.
    Code,
    /// A container of other files.
    Archive,
    /// Anything else.
    Other,
}

impl FileKind {
    /// Every kind with its name, in the order help texts list them.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Document, "document"),
        (Self::Spreadsheet, "spreadsheet"),
        (Self::Presentation, "presentation"),
        (Self::Image, "image"),
        (Self::Audio, "audio"),
        (Self::Video, "video"),
        (Self::Code, "code"),
        (Self::Archive, "archive"),
        (Self::Folder, "folder"),
        (Self::Other, "other"),
    ];

    /// The word for it in output, arguments and JSON.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("other", |(_, name)| name)
    }

    /// The kind of that name; plurals and a few everyday words are understood.
    pub fn from_name(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let singular = lower.strip_suffix('s').unwrap_or(&lower);
        Some(match singular {
            "document" | "doc" | "text" | "note" => Self::Document,
            "spreadsheet" | "sheet" | "table" => Self::Spreadsheet,
            "presentation" | "deck" | "slide" => Self::Presentation,
            "image" | "picture" | "photo" => Self::Image,
            "audio" | "sound" | "music" | "song" => Self::Audio,
            "video" | "movie" | "film" => Self::Video,
            "code" | "source" => Self::Code,
            "archive" => Self::Archive,
            "folder" | "directory" | "dir" => Self::Folder,
            "other" => Self::Other,
            _ => return None,
        })
    }

    /// The kind of a file with that extension (lower case, without its dot).
    pub fn from_extension(extension: &str) -> Self {
        match extension {
            "txt" | "md" | "markdown" | "mdx" | "org" | "rst" | "adoc" | "asciidoc" | "tex" | "pdf" | "doc"
            | "docx" | "docm" | "odt" | "rtf" | "pages" | "epub" | "mobi" | "azw3" | "djvu" | "ps" | "html" | "htm"
            | "xhtml" | "mhtml" | "mht" | "eml" | "msg" | "mbox" | "ics" | "vcf" | "log" | "wpd" | "fodt" | "one"
            | "srt" | "vtt" | "ass" | "ssa" | "sbv" | "lrc" | "text" | "xps" | "fb2" | "enex" | "latex" => {
                Self::Document
            }
            "xls" | "xlsx" | "xlsm" | "xlsb" | "ods" | "csv" | "tsv" | "numbers" => Self::Spreadsheet,
            "ppt" | "pptx" | "pptm" | "odp" | "key" => Self::Presentation,
            "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "tif" | "tiff" | "svg" | "heic" | "heif" | "avif"
            | "ico" | "psd" | "raw" | "cr2" | "nef" | "arw" | "dng" | "xcf" => Self::Image,
            "mp3" | "wav" | "flac" | "ogg" | "oga" | "opus" | "m4a" | "aac" | "wma" | "aiff" | "aif" | "mid"
            | "midi" | "amr" => Self::Audio,
            "mp4" | "mkv" | "mov" | "avi" | "webm" | "wmv" | "flv" | "m4v" | "mpg" | "mpeg" | "3gp" | "ogv" => {
                Self::Video
            }
            "zip" | "tar" | "gz" | "tgz" | "bz2" | "xz" | "zst" | "7z" | "rar" | "jar" | "iso" | "dmg" | "deb"
            | "rpm" | "targ" | "txz" | "tbz2" => Self::Archive,
            "json" | "jsonl" | "yaml" | "yml" | "toml" | "ini" | "xml" | "ipynb" | "cfg" | "conf" | "lock" => {
                Self::Code
            }
            other if Language::from_extension(other).is_some() => Self::Code,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_format() {
        let code = [Format::Code(Language::Rust), Format::Code(Language::Other)];
        for format in Format::ALL.iter().copied().chain(code) {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
    }

    #[test]
    fn every_kind_is_understood_in_singular_and_plural() {
        for (kind, name) in FileKind::ALL {
            assert_eq!(FileKind::from_name(name), Some(kind));
            assert_eq!(FileKind::from_name(&format!("{name}s")), Some(kind));
        }
    }
}
