//! What the cutter promises, on small texts.
