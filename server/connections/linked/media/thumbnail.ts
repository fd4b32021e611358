import { decode, encode } from 'jpeg-js'
import { PNG } from 'pngjs'

/** A small JPEG of an image, with the size at which the image itself is shown. */
export interface Thumbnail {
  jpeg: Uint8Array
  width: number
  height: number
}

interface Pixels {
  width: number
  height: number
  /** Red, green, blue, alpha. */
  data: Uint8Array
}

/**
 * Pixels; WhatsApp's own thumbnails are about as large. The stanza carries the thumbnail, so every
 * byte goes to every device.
 */
const LONGEST_SIDE = 72
const QUALITY = 55
/** Decoding a JPEG takes about 50 MB for each megapixel, a PNG less than 20. */
const MOST_PIXELS = { jpeg: 6e6, png: 16e6 }
const MOST_MEMORY_MB = 320

/** Exif orientation: how to turn the picture for display; 1: not at all. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

interface Exif {
  orientation: Orientation
  /** Small picture that cameras add; null: none. */
  embedded: Buffer | null
}

interface Jpeg extends Exif {
  width: number
  height: number
}

const APP1 = 0xe1
const SCAN = 0xda
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const EXIF = Buffer.from('Exif\0\0')
const TAG = { orientation: 0x0112, thumbnailAt: 0x0201, thumbnailLength: 0x0202 } as const

/** Reads a JPEG's header; null if it cannot be read. */
export function readJpeg(file: Buffer): Jpeg | null {
  let exif: Exif = { orientation: 1, embedded: null }
  for (let at = 2; at + 9 < file.length; ) {
    const marker = file[at + 1] ?? 0
    if (file[at] !== 0xff || marker === SCAN) return null
    if (isFrame(marker)) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7), ...exif }
    const length = Math.max(2, file.readUInt16BE(at + 2))
    const segment = file.subarray(at + 4, at + 2 + length)
    if (marker === APP1 && segment.subarray(0, EXIF.length).equals(EXIF)) exif = readExif(segment.subarray(EXIF.length))
    at += 2 + length
  }
  return null
}

/** Reads two directories of a TIFF: those of the picture and of its thumbnail. */
function readExif(tiff: Buffer): Exif {
  const little = tiff.toString('latin1', 0, 2) === 'II'
  const has = (at: number, length: number): boolean => at >= 0 && at + length <= tiff.length
  const u16 = (at: number): number => (has(at, 2) ? (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)) : 0)
  const u32 = (at: number): number => (has(at, 4) ? (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)) : 0)

  /** Reads the values of a directory by their tags, and the offset of the next directory. */
  function directory(at: number): { values: Map<number, number>; next: number } {
    const count = u16(at)
    const values = new Map<number, number>()
    for (let index = 0; index < count && has(at + 2 + index * 12, 12); index += 1) {
      const entry = at + 2 + index * 12
      const isShort = u16(entry + 2) === 3
      values.set(u16(entry), isShort ? u16(entry + 8) : u32(entry + 8))
    }
    return { values, next: u32(at + 2 + count * 12) }
  }

  const picture = directory(u32(4))
  const thumbnail = picture.next === 0 ? new Map<number, number>() : directory(picture.next).values
  const at = thumbnail.get(TAG.thumbnailAt) ?? 0
  const length = thumbnail.get(TAG.thumbnailLength) ?? 0
  const orientation = picture.values.get(TAG.orientation) ?? 1
  return {
    orientation: orientation >= 1 && orientation <= 8 ? (orientation as Orientation) : 1,
    embedded: length > 0 && has(at, length) ? tiff.subarray(at, at + length) : null,
  }
}

/**
 * Shrinks a picture: each pixel becomes the mean of the pixels that it replaces. Transparent parts
 * become white.
 */
function shrink({ width, height, data }: Pixels): Pixels {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const small = new Uint8Array(w * h * 4)
  const between = (index: number, of: number, all: number) => Math.floor((index * all) / of)
  for (let y = 0; y < h; y += 1) {
    const [top, bottom] = [between(y, h, height), Math.max(between(y + 1, h, height), between(y, h, height) + 1)]
    for (let x = 0; x < w; x += 1) {
      const [left, right] = [between(x, w, width), Math.max(between(x + 1, w, width), between(x, w, width) + 1)]
      const sum: [number, number, number] = [0, 0, 0]
      for (let row = top; row < bottom; row += 1) {
        for (let column = left; column < right; column += 1) {
          const at = (row * width + column) * 4
          const alpha = (data[at + 3] ?? 255) / 255
          for (const channel of [0, 1, 2] as const)
            sum[channel] += (data[at + channel] ?? 0) * alpha + 255 * (1 - alpha)
        }
      }
      const count = (bottom - top) * (right - left)
      small.set([...sum.map((value) => Math.round(value / count)), 255], (y * w + x) * 4)
    }
  }
  return { width: w, height: h, data: small }
}

function turn({ width, height, data }: Pixels, orientation: Orientation): Pixels {
  const swapped = orientation >= 5
  const [w, h] = swapped ? [height, width] : [width, height]
  const turned = new Uint8Array(data.length)
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      const [column, row] = swapped ? [y, x] : [x, y]
      const mirrored = [2, 3, 7, 8].includes(orientation)
      const flipped = [3, 4, 6, 7].includes(orientation)
      const from = ((flipped ? height - 1 - row : row) * width + (mirrored ? width - 1 - column : column)) * 4
      turned.set(data.subarray(from, from + 4), (y * w + x) * 4)
    }
  }
  return { width: w, height: h, data: turned }
}

/**
 * True if a PNG is safe to decode, as its first chunk says. An interlaced PNG may inflate without a
 * limit in the library. A second header makes a PNG unsafe, because the library believes the last
 * one.
 */
function isModestPng(file: Buffer): boolean {
  const [width, height, interlace] = [file.readUInt32BE(16), file.readUInt32BE(20), file[28]]
  return width * height <= MOST_PIXELS.png && interlace === 0 && !file.includes('IHDR', 16)
}

const decodeJpeg = (file: Buffer): Pixels =>
  decode(file, {
    useTArray: true,
    formatAsRGBA: true,
    tolerantDecoding: false,
    maxResolutionInMP: MOST_PIXELS.jpeg / 1e6,
    maxMemoryUsageInMB: MOST_MEMORY_MB,
  })

/**
 * Decodes a picture or, if it is too large, the small one that the camera added. Null: the small
 * one is missing, does not fit the picture, or is too large too.
 */
function pixelsOf(file: Buffer, { width, height, embedded }: Jpeg): Pixels | null {
  if (width * height <= MOST_PIXELS.jpeg) return decodeJpeg(file)
  const small = embedded && readJpeg(embedded)
  if (!embedded || !small || small.width * small.height > MOST_PIXELS.jpeg) return null
  // Programs that crop a picture often leave the old thumbnail in it.
  const isCut = Math.abs(small.width / small.height / (width / height) - 1) > 0.05
  return isCut ? null : decodeJpeg(embedded)
}

/**
 * Returns the thumbnail of a JPEG or PNG, the same bytes for the same file. Null: another kind of
 * file, or a picture that is too large and carries no small one. This takes up to a second and is
 * meant for a thread of its own.
 * @throws if the file is damaged
 */
export function makeThumbnail(file: Buffer, mimetype: string): Thumbnail | null {
  if (mimetype === 'image/png' && file.length > 28 && isModestPng(file)) {
    const pixels = PNG.sync.read(file)
    return asThumbnail(pixels, pixels, 1)
  }
  const jpeg = mimetype === 'image/jpeg' ? readJpeg(file) : null
  const pixels = jpeg && pixelsOf(file, jpeg)
  return jpeg && pixels && asThumbnail(pixels, jpeg, jpeg.orientation)
}

function asThumbnail(
  pixels: Pixels,
  { width, height }: { width: number; height: number },
  orientation: Orientation,
): Thumbnail | null {
  if (pixels.width === 0 || pixels.height === 0) return null
  const small = turn(shrink(pixels), orientation)
  const { data } = encode({ ...small, data: Buffer.from(small.data) }, QUALITY)
  return orientation >= 5 ? { jpeg: data, width: height, height: width } : { jpeg: data, width, height }
}
