import { decode, encode } from 'jpeg-js'
import { PNG } from 'pngjs'

/** A small JPEG of an image, and the image's own size as it is shown. */
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

/** WhatsApp's own are about as large; the stanza carries it, so every byte goes to every device. */
const LONGEST_SIDE = 72
const QUALITY = 55
/** More would take many seconds and hundreds of megabytes to decode. */
const MOST_MEGAPIXELS = 16
const MOST_MEMORY_MB = 320

/** Exif: how the picture is to be turned; 1 is as it is. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const JPEG_APP1 = 0xe1
const JPEG_SCAN = 0xda
const EXIF = Buffer.from('Exif\0\0')
const ORIENTATION_TAG = 0x0112

/** The orientation that a JPEG's Exif names; 1 where there is none or it cannot be read. */
export function orientationOf(file: Buffer): Orientation {
  for (let at = 2; at + 10 < file.length; ) {
    if (file[at] !== 0xff || file[at + 1] === JPEG_SCAN) return 1
    const length = file.readUInt16BE(at + 2)
    const segment = file.subarray(at + 4, at + 2 + length)
    if (file[at + 1] === JPEG_APP1 && segment.subarray(0, EXIF.length).equals(EXIF)) {
      return readOrientation(segment.subarray(EXIF.length))
    }
    at += 2 + Math.max(length, 2)
  }
  return 1
}

/** The tags of the first directory of a TIFF. */
function readOrientation(tiff: Buffer): Orientation {
  if (tiff.length < 8) return 1
  const little = tiff.toString('latin1', 0, 2) === 'II'
  const u16 = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return 1
  const count = u16(directory)
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + index * 12
    if (entry + 12 > tiff.length) return 1
    if (u16(entry) !== ORIENTATION_TAG) continue
    const value = u16(entry + 8)
    return value >= 1 && value <= 8 ? (value as Orientation) : 1
  }
  return 1
}

/** The mean of the pixels behind each pixel of the smaller picture; what is transparent is white. */
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

/** Turns a picture as its orientation says. */
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

/** By the first chunk of a PNG. One that is interlaced may inflate without a bound in the library. */
function isModestPng(file: Buffer): boolean {
  const [width, height, interlace] = [file.readUInt32BE(16), file.readUInt32BE(20), file[28]]
  return width * height <= MOST_MEGAPIXELS * 1e6 && interlace === 0
}

function readPixels(file: Buffer, mimetype: string): Pixels | null {
  if (mimetype === 'image/jpeg') {
    return decode(file, {
      useTArray: true,
      formatAsRGBA: true,
      tolerantDecoding: false,
      maxResolutionInMP: MOST_MEGAPIXELS,
      maxMemoryUsageInMB: MOST_MEMORY_MB,
    })
  }
  return mimetype === 'image/png' && file.length > 28 && isModestPng(file) ? PNG.sync.read(file) : null
}

/**
 * The thumbnail of a JPEG or PNG; the same bytes for the same file. Null for other kinds and for pictures that are too
 * large. It takes up to seconds and is meant for a thread of its own.
 * @throws when the file is damaged
 */
export function makeThumbnail(file: Buffer, mimetype: string): Thumbnail | null {
  const pixels = readPixels(file, mimetype)
  if (pixels === null || pixels.width === 0 || pixels.height === 0) return null
  const orientation = mimetype === 'image/jpeg' ? orientationOf(file) : 1
  const small = turn(shrink(pixels), orientation)
  const { data } = encode({ ...small, data: Buffer.from(small.data) }, QUALITY)
  const [width, height] = orientation >= 5 ? [pixels.height, pixels.width] : [pixels.width, pixels.height]
  return { jpeg: data, width, height }
}
