//! Which instructions the forward pass uses.

use std::fmt;

/// A set of processor instructions for the forward pass. All give the same vectors to rounding, of
/// whatever class of numerics the model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kernel {
    /// The fastest that this processor has.
    #[default]
    Auto,
    /// Rust without processor-specific instructions: runs everywhere, and is what the others are checked against.
    Plain,
    /// AVX2 with fused multiply-add: most x86-64 processors since 2013.
    Avx2,
    /// AVX2 with sums of products of bytes (AVX-VNNI): x86-64 desktops since 2021. In single precision as AVX2.
    AvxVnni,
    /// AVX-512 (foundation): x86-64 servers since 2017, desktops in part.
    Avx512,
    /// AVX-512 with sums of products of bytes (VNNI): x86-64 servers since 2019. In single precision as AVX-512.
    Avx512Vnni,
    /// The tile unit, AVX-512 for the rest: x86-64 servers since 2023. A model in single precision has its
    /// passages multiplied in bfloat16 and keeps a cosine above 0.9999 to the other kernels'.
    Amx,
}

impl Kernel {
    /// Whether this processor can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Auto | Self::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni => Self::Avx2.is_available() && is_x86_feature_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Self::Avx2.is_available() && is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => Self::Avx512.is_available() && is_x86_feature_detected!("avx512vnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Amx => crate::transformer::amx::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::AvxVnni | Self::Avx512 | Self::Avx512Vnni | Self::Amx => false,
        }
    }

    /// The kernel that is meant: the fastest available one for [`Kernel::Auto`], else itself.
    pub(crate) fn resolve(self) -> Self {
        match self {
            Self::Auto => kernels_available().last().copied().unwrap_or(Self::Plain),
            named => named,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Auto => "auto",
            Self::Plain => "plain",
            Self::Avx2 => "AVX2",
            Self::AvxVnni => "AVX-VNNI",
            Self::Avx512 => "AVX-512",
            Self::Avx512Vnni => "AVX-512 VNNI",
            Self::Amx => "AMX",
        })
    }
}

/// The kernels that this processor can run, the slowest first. Never empty.
#[must_use]
pub fn kernels_available() -> Vec<Kernel> {
    [Kernel::Plain, Kernel::Avx2, Kernel::AvxVnni, Kernel::Avx512, Kernel::Avx512Vnni, Kernel::Amx]
        .into_iter()
        .filter(|kernel| kernel.is_available())
        .collect()
}
