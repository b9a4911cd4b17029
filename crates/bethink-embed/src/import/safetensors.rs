//! Reading safetensors: a JSON head that names tensors, then their bytes.
//!
//! Promises: no tensor is read outside the bytes that are there, whatever the head says; a value that
//! is no finite number is refused. Refuses: element types other than F32, F16 and BF16 for weights and
//! I64, I32 for index tensors, and heads beyond a size that no real model has.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Most bytes of the head. Models with 100 layers have about 200,000.
const MAX_HEAD_BYTES: usize = 16 << 20;
/// Most numbers of one tensor: a table of a million words with 2,048 dimensions.
const MAX_ELEMENTS: usize = 1 << 31;

/// Tensors by name, over bytes that are held elsewhere.
pub(super) struct Tensors<'a> {
    records: BTreeMap<String, Record>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct Record {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'a> Tensors<'a> {
    /// # Errors
    ///
    /// A sentence about what does not hold.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or("the weights file is shorter than its head")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > MAX_HEAD_BYTES || length > rest.len() {
            return Err(format!("the head of the weights file claims {length} bytes"));
        }
        let (head, data) = rest.split_at(length);
        let values: BTreeMap<String, serde_json::Value> = serde_json::from_slice(head)
            .map_err(|error| format!("the head of the weights file is no JSON ({error})"))?;
        let mut records = BTreeMap::new();
        for (name, value) in values {
            if name == "__metadata__" {
                continue;
            }
            let record: Record = serde_json::from_value(value)
                .map_err(|error| format!("the weights file describes {name:?} wrongly ({error})"))?;
            if record.data_offsets.0 > record.data_offsets.1 || record.data_offsets.1 > data.len() {
                return Err(format!("the tensor {name:?} lies outside the weights file"));
            }
            records.insert(name, record);
        }
        Ok(Self { records, data })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.records.keys().map(String::as_str)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.records.contains_key(name)
    }

    pub(super) fn shape(&self, name: &str) -> Result<&[usize], String> {
        self.record(name).map(|record| &record.shape[..])
    }

    fn record(&self, name: &str) -> Result<&Record, String> {
        self.records.get(name).ok_or_else(|| format!("the weights file lacks the tensor {name}"))
    }

    fn elements(&self, name: &str, widths: &[(&str, usize)]) -> Result<(&Record, &'a [u8], usize), String> {
        let record = self.record(name)?;
        let width = widths
            .iter()
            .find(|(dtype, _)| *dtype == record.dtype)
            .map(|(_, width)| *width)
            .ok_or_else(|| format!("the tensor {name} has elements of type {}", record.dtype))?;
        let count = record
            .shape
            .iter()
            .try_fold(1usize, |product, side| product.checked_mul(*side))
            .filter(|count| *count <= MAX_ELEMENTS)
            .ok_or_else(|| format!("the tensor {name} is larger than any that is read"))?;
        let bytes = &self.data[record.data_offsets.0..record.data_offsets.1];
        if bytes.len() != count * width {
            return Err(format!("the tensor {name} has {} bytes where its shape needs {}", bytes.len(), count * width));
        }
        Ok((record, bytes, width))
    }

    /// All numbers of a tensor, row after row.
    pub(super) fn floats(&self, name: &str) -> Result<Vec<f32>, String> {
        let (record, bytes, width) = self.elements(name, &[("F32", 4), ("F16", 2), ("BF16", 2)])?;
        let numbers: Vec<f32> = match (record.dtype.as_str(), width) {
            ("F32", _) => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
            ("F16", _) => bytes.chunks_exact(2).map(|b| half::f16::from_le_bytes([b[0], b[1]]).to_f32()).collect(),
            _ => bytes.chunks_exact(2).map(|b| half::bf16::from_le_bytes([b[0], b[1]]).to_f32()).collect(),
        };
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(numbers)
        } else {
            Err(format!("the tensor {name} holds values that are no numbers"))
        }
    }

    /// All numbers of a tensor that must have exactly this shape.
    pub(super) fn matrix(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let found = self.shape(name)?;
        if found != shape {
            return Err(format!("the tensor {name} has the shape {found:?} where {shape:?} belongs"));
        }
        self.floats(name)
    }

    /// All values of a tensor of indexes.
    pub(super) fn indexes(&self, name: &str) -> Result<Vec<usize>, String> {
        let (_, bytes, width) = self.elements(name, &[("I64", 8), ("I32", 4)])?;
        bytes
            .chunks_exact(width)
            .map(|chunk| {
                let value = match chunk {
                    [a, b, c, d] => i64::from(i32::from_le_bytes([*a, *b, *c, *d])),
                    _ => chunk.iter().rev().fold(0i64, |value, byte| (value << 8) | i64::from(*byte)),
                };
                usize::try_from(value).map_err(|_| format!("the tensor {name} holds a negative index"))
            })
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with_head(head: &str, data: &[u8]) -> Vec<u8> {
        [&(head.len() as u64).to_le_bytes()[..], head.as_bytes(), data].concat()
    }

    #[test]
    fn reads_the_three_float_types() {
        let bytes = with_head(
            r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                "b":{"dtype":"F16","shape":[2],"data_offsets":[4,8]},"c":{"dtype":"BF16","shape":[1,1],"data_offsets":[8,10]},
                "i":{"dtype":"I64","shape":[1],"data_offsets":[10,18]}}"#,
            &[0, 0, 0x80, 0x3f, 0, 0x3c, 0, 0xc0, 0x80, 0x3f, 7, 1, 0, 0, 0, 0, 0, 0],
        );
        let tensors = Tensors::parse(&bytes).unwrap();
        assert_eq!(tensors.floats("a").unwrap(), [1.0]);
        assert_eq!(tensors.floats("b").unwrap(), [1.0, -2.0]);
        assert_eq!(tensors.matrix("c", &[1, 1]).unwrap(), [1.0]);
        assert_eq!(tensors.indexes("i").unwrap(), [263]);
        assert!(tensors.matrix("c", &[1]).is_err());
        assert!(tensors.floats("i").is_err());
        assert!(tensors.floats("absent").is_err());
    }

    #[test]
    fn refuses_what_points_outside() {
        for head in [
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,400]}}"#,
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#,
            r#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#,
            r#"{"a":1}"#,
            "[",
        ] {
            assert!(Tensors::parse(&with_head(head, &[0; 4])).is_err(), "{head}");
        }
        let huge = r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}}"#;
        assert!(Tensors::parse(&with_head(huge, &[0; 4])).unwrap().floats("a").is_err());
        let not_a_number = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
        assert!(Tensors::parse(&with_head(not_a_number, &[0, 0, 0xc0, 0x7f])).unwrap().floats("a").is_err());
        assert!(Tensors::parse(&u64::MAX.to_le_bytes()).is_err());
        assert!(Tensors::parse(b"short").is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), head in 0u64..100) {
            let mut bytes = bytes;
            if bytes.len() >= 8 {
                bytes[..8].copy_from_slice(&head.to_le_bytes());
            }
            let _either = Tensors::parse(&bytes).map(|tensors| tensors.names().count());
        }
    }
}
