//! One section of a container: a named matrix, and safe views of its bytes as numbers.

/// What the bytes of a section are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Encoding {
    /// IEEE single precision.
    Float32 = 1,
    /// IEEE half precision.
    Float16 = 2,
    /// Signed bytes.
    Int8 = 3,
    /// Unsigned 32-bit integers.
    Unsigned32 = 4,
    /// Bytes without further meaning.
    Bytes = 5,
    /// Signed 32-bit integers.
    Signed32 = 6,
}

impl Encoding {
    pub(crate) fn from_code(code: u32) -> Option<Self> {
        [Self::Float32, Self::Float16, Self::Int8, Self::Unsigned32, Self::Bytes, Self::Signed32]
            .into_iter()
            .find(|encoding| *encoding as u32 == code)
    }

    /// Bytes of one element.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Float32 | Self::Unsigned32 | Self::Signed32 => 4,
            Self::Float16 => 2,
            Self::Int8 | Self::Bytes => 1,
        }
    }
}

/// A record of the section table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SectionRecord {
    pub(crate) name: String,
    pub(crate) encoding: Encoding,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Numbers for which every pattern of bits is a value, so that bytes may be read as them.
pub(crate) trait Plain: Copy + sealed::Sealed {}

mod sealed {
    pub(crate) trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for u16 {}
    impl Sealed for i8 {}
}

impl Plain for f32 {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for u16 {}
impl Plain for i8 {}

/// The bytes as numbers; `None` when they are not aligned for the type or not a whole count of them.
pub(crate) fn as_numbers<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    // SAFETY: `T` is sealed to primitive numbers, for which every bit pattern is valid.
    let (before, numbers, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(numbers)
}

/// The bytes of numbers, as they are written on a little-endian machine.
pub(crate) fn as_bytes<T: Plain>(numbers: &[T]) -> &[u8] {
    // SAFETY: `T` is sealed to primitive numbers, which have no padding, and bytes need no alignment.
    let (before, bytes, after) = unsafe { numbers.align_to::<u8>() };
    debug_assert!(before.is_empty() && after.is_empty());
    bytes
}
