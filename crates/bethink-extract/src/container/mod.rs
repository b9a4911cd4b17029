//! Containers: archives and compressed files. Each file inside becomes a document of its own; the
//! container's own text is the list of what it holds, one path a line.
//!
//! Nothing is unpacked past the limits on members, on bytes a member and on bytes altogether, whatever
//! the container says about itself: sizes in it are numbers that anybody can write. What a broken container
//! still yields is kept. A compressed TAR is one container and not two.

mod name;
mod salvage;
mod seven_zip;
mod stream;
mod tar;
mod unpacking;
mod zip;

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;

use unpacking::Unpacking;

/// Reads archives and compressed files.
pub(crate) struct ContainerFamily;

impl Family for ContainerFamily {
    fn reads(&self, format: Format) -> bool {
        format.is_container()
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut unpacking = Unpacking::new(source.bytes.len(), limits, sink);
        let stopped = match source.format {
            Format::Zip => zip::unpack(source.bytes, &mut unpacking),
            Format::Tar => tar::unpack(source.bytes, &mut unpacking),
            Format::SevenZip => seven_zip::unpack(source.bytes, &mut unpacking),
            _ => stream::unpack(source, &mut unpacking),
        };
        unpacking.finish(stopped)
    }

    fn entries(&self) -> Vec<FormatEntry> {
        const LIMITS: &str = "192 MiB of the file, 50,000 members, 128 MiB a member, 100 times its size and 2 GiB \
                              unpacked, three containers deep";
        let entry = |name, detected_by, lost| FormatEntry {
            name,
            detected_by,
            locator: "member, then the place in it",
            lost,
            limits: LIMITS,
        };
        vec![
            entry("zip", "PK signature, no document's members", "comments, links, members under a password"),
            entry("tar", "ustar signature or header checksum", "links, owners"),
            entry("7z", "signature", "links, members under a password"),
            entry("gz", "signature", "nothing"),
            entry("bz2", "signature", "nothing"),
            entry("xz", "signature", "nothing"),
            entry("zst", "signature", "files packed with a dictionary"),
        ]
    }
}

/// What ended the unpacking before its end, if anything did.
type Stopped = Option<bethink_core::Problem>;

/// The sentence for a container whose end or middle is missing.
fn damaged(detail: &str) -> bethink_core::Problem {
    problem(ProblemKind::Damaged, detail)
}
