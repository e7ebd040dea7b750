//! Makes a picture small. What is read may be hostile: the kind is what its first bytes say, its size is looked at before
//! anything is decoded, and this runs in the process that reads files.

use std::fs::File;
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use super::PictureAt;
use crate::Unreadable;

/// A file or picture longer than this is not looked at.
const MOST_BYTES: u64 = 32 << 20;
/// More pixels than this are not decoded.
const MOST_PIXELS: u64 = 64 << 20;
/// Memory that decoding may take.
const MOST_MEMORY: u64 = 320 << 20;
const QUALITY: u8 = 85;

/// A JPEG of this picture whose longer side is at most so long.
pub(crate) fn small(
    at: PictureAt<'_>,
    side: u32,
    embedded: impl FnOnce(usize, u64) -> Result<Vec<u8>, Unreadable>,
) -> Result<Vec<u8>, Unreadable> {
    let bytes = match at.index {
        Some(index) => embedded(index, MOST_BYTES)?,
        None => read(at)?,
    };
    catch_unwind(AssertUnwindSafe(|| shrink(&bytes, side)))
        .unwrap_or_else(|_| Err(Unreadable::Hostile { says: "decoding the picture panicked".to_owned() }))
}

fn read(at: PictureAt<'_>) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    File::open(at.file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(damaged("the picture is longer than 32 MB"));
    }
    Ok(bytes)
}

fn shrink(bytes: &[u8], side: u32) -> Result<Vec<u8>, Unreadable> {
    let format = format(bytes).ok_or_else(|| damaged("it is no JPEG, PNG, WebP or GIF"))?;
    let says = |error: image::ImageError| damaged(&error.to_string());
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader().into_dimensions().map_err(says)?;
    if width == 0 || height == 0 || u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(damaged(&format!("it has {width} × {height} pixels, which is too many")));
    }
    let mut reader = reader();
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(says)?;
    let turned = decoder.orientation().map_err(says)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(says)?;
    if width.max(height) > side {
        picture = picture.thumbnail(side, side);
    }
    picture.apply_orientation(turned);
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY).encode_image(&on_white(&picture)).map_err(says)?;
    Ok(jpeg)
}

/// What its first bytes say, whatever it is called: shops put PNG into `cover.jpg`.
fn format(bytes: &[u8]) -> Option<ImageFormat> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageFormat::Png),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageFormat::WebP),
        [b'G', b'I', b'F', b'8', ..] => Some(ImageFormat::Gif),
        _ => None,
    }
}

/// JPEG has no transparency.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let clear = picture.to_rgba8();
    RgbImage::from_fn(clear.width(), clear.height(), |x, y| {
        let [red, green, blue, alpha] = clear.get_pixel(x, y).0;
        let over = |colour: u8| {
            let mixed = (u32::from(colour) * u32::from(alpha) + 255 * (255 - u32::from(alpha))) / 255;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        image::Rgb([over(red), over(green), over(blue)])
    })
}

fn damaged(says: &str) -> Unreadable {
    Unreadable::Damaged { says: says.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, pixel: [u8; 4]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let picture = image::RgbaImage::from_pixel(width, height, image::Rgba(pixel));
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    #[test]
    fn a_large_picture_is_small_and_keeps_its_shape() {
        let jpeg = shrink(&png(1_000, 500, [200, 0, 0, 255]), 256).unwrap();
        let small = image::load_from_memory_with_format(&jpeg, ImageFormat::Jpeg).unwrap();
        assert_eq!((small.width(), small.height()), (256, 128));
        let jpeg = shrink(&png(10, 20, [0, 0, 0, 0]), 256).unwrap();
        let clear = image::load_from_memory_with_format(&jpeg, ImageFormat::Jpeg).unwrap().to_rgb8();
        assert_eq!((clear.dimensions(), clear.get_pixel(5, 5).0), ((10, 20), [255; 3]));
    }

    #[test]
    fn what_claims_to_be_huge_is_not_decoded() {
        let mut bomb = png(1, 1, [0; 4]);
        // Width and height of the header, and its checksum left wrong, which is found later.
        bomb[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        assert!(matches!(shrink(&bomb, 256), Err(Unreadable::Damaged { .. })));
    }

    #[test]
    fn damaged_pictures_are_refused_and_end_nothing() {
        let whole = png(64, 64, [1, 2, 3, 255]);
        assert!(
            shrink(b"GIF89a", 128).is_err() && shrink(b"", 128).is_err() && shrink(b"BM123", 128).is_err()
        );
        let mut state = 7_u64;
        for _ in 0..500 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = usize::try_from(state >> 33).unwrap() % bytes.len();
                bytes[at] = state.to_be_bytes()[3];
            }
            let result = catch_unwind(AssertUnwindSafe(|| shrink(&bytes, 128)));
            assert!(result.is_ok(), "{bytes:?}");
        }
    }
}
