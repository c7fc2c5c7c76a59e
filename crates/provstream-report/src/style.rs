//! Style sheet of a page.

/// Content of the `style` element.
pub(crate) const STYLE: &str = include_str!("page.css");

/// Hash of the style sheet for the content security policy (CSP Level 3, 2.3.1).
pub(crate) const STYLE_HASH: &str = "sha256-oQ+Gnmu5IbePXDxvp5VGsWYK6oBEwseWd0eQaTDIY50=";

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// RFC 4648 4.
    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for three in bytes.chunks(3) {
            let mut bits = [0; 4];
            bits[1..=three.len()].copy_from_slice(three);
            let bits = u32::from_be_bytes(bits);
            for digit in 0..4 {
                let value = bits >> (18 - 6 * digit) & 63;
                text.push(if digit <= three.len() {
                    char::from(DIGITS[value as usize])
                } else {
                    '='
                });
            }
        }
        text
    }

    #[test]
    fn the_hash_is_that_of_the_style_sheet() {
        // printf abcd | base64
        assert_eq!(base64(b"abcd"), "YWJjZA==");
        assert!(!STYLE.contains('\r') && !STYLE.contains("</"));
        let hash = Sha256::digest(STYLE);
        assert_eq!(STYLE_HASH, format!("sha256-{}", base64(&hash)));
    }
}
