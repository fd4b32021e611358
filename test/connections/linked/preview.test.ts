import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { decode, encode } from 'jpeg-js'
import { PNG } from 'pngjs'
import { describe, expect, test } from 'vitest'
import { imagePreview } from '../../../server/connections/linked/media/preview.ts'
import { makeThumbnail, type Orientation, readJpeg } from '../../../server/connections/linked/media/thumbnail.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { samples } from '../../support/samples.ts'

type Colour = [number, number, number]
const RED: Colour = [220, 30, 30]
const BLUE: Colour = [30, 30, 220]
const GREEN: Colour = [30, 160, 30]
const GREY: Colour = [128, 128, 128]

/** Four quarters, each of its own colour: top left, top right, bottom left, bottom right. */
function quarters(width: number, height: number): Buffer {
  const data = Buffer.alloc(width * height * 4, 255)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = [RED, BLUE, GREEN, GREY][(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)] ?? GREY
      data.set(colour, (y * width + x) * 4)
    }
  }
  return data
}

const jpeg = (width: number, height: number) => encode({ width, height, data: quarters(width, height) }, 90).data
function png(width: number, height: number, data = quarters(width, height)): Buffer {
  const image = new PNG({ width, height })
  image.data = data
  return PNG.sync.write(image)
}

/** A JPEG whose Exif says how it is to be turned, and holds a thumbnail where one is given. */
function turned(file: Buffer, orientation: number, order: 'II' | 'MM' = 'MM', thumbnail?: Buffer): Buffer {
  const number = (value: number, length: number) => {
    const bytes = Buffer.alloc(length)
    if (order === 'II') bytes.writeUIntLE(value, 0, length)
    else bytes.writeUIntBE(value, 0, length)
    return bytes
  }
  const u16 = (value: number) => number(value, 2)
  const u32 = (value: number) => number(value, 4)
  const entry = (tag: number, type: 3 | 4, value: number) =>
    Buffer.concat([u16(tag), u16(type), u32(1), type === 3 ? Buffer.concat([u16(value), u16(0)]) : u32(value)])
  const head = Buffer.concat([Buffer.from(order), u16(42), u32(8)])
  const first = Buffer.concat([u16(1), entry(0x0112, 3, orientation)])
  const second = (at: number) =>
    Buffer.concat([u16(2), entry(0x0201, 4, at), entry(0x0202, 4, thumbnail?.length ?? 0), u32(0)])
  const next = head.length + first.length + 4
  const directories = thumbnail ? [first, u32(next), second(next + second(0).length), thumbnail] : [first, u32(0)]
  const segment = Buffer.concat([Buffer.from('Exif\0\0'), head, ...directories])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(segment.length + 2)
  return Buffer.concat([file.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, segment, file.subarray(2)])
}

/** The same JPEG, claiming another size: as large as the test needs without being it. */
function claiming(file: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(file)
  const frame = changed.lastIndexOf(Buffer.from([0xff, 0xc0]))
  changed.writeUInt16BE(height, frame + 5)
  changed.writeUInt16BE(width, frame + 7)
  return changed
}

const near = (one: Colour, other: Colour) => one.every((value, i) => Math.abs(value - (other[i] ?? 0)) < 45)
const nameOf = (colour: Colour) =>
  Object.entries({ red: RED, blue: BLUE, green: GREEN, grey: GREY, white: [255, 255, 255] as Colour }).find(
    ([, known]) => near(colour, known),
  )?.[0]

/** The colours in the middle of the four quarters of a thumbnail. */
function cornersOf(thumbnail: Uint8Array): (string | undefined)[] {
  const { width, height, data } = decode(thumbnail, { useTArray: true })
  const at = (x: number, y: number) => {
    const from = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
    return nameOf([data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0])
  }
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
}

describe('a thumbnail', () => {
  test.each([
    ['image/jpeg', jpeg(640, 480)],
    ['image/png', png(640, 480)],
  ])('of %s is small, and the same for the same file', (mimetype, file) => {
    const made = makeThumbnail(file, mimetype)
    expect(made).toMatchObject({ width: 640, height: 480 })
    expect(made?.jpeg.length).toBeLessThan(2_000)
    const { width, height } = decode(made?.jpeg ?? Buffer.alloc(0))
    expect({ width, height }).toEqual({ width: 72, height: 54 })
    expect(cornersOf(made?.jpeg ?? Buffer.alloc(0))).toEqual(['red', 'blue', 'green', 'grey'])
    expect(makeThumbnail(file, mimetype)).toEqual(made)
  })

  test.each([
    [1000, 10, 72, 1],
    [10, 1000, 1, 72],
    [3, 2, 3, 2],
    [1, 1, 1, 1],
  ])('of %i × %i has %i × %i', (width, height, w, h) => {
    const made = makeThumbnail(png(width, height), 'image/png')
    expect(made).toMatchObject({ width, height })
    expect(decode(made?.jpeg ?? Buffer.alloc(0))).toMatchObject({ width: w, height: h })
  })

  test('shows white where the picture is transparent', () => {
    const clear = makeThumbnail(png(10, 10, Buffer.alloc(400)), 'image/png')
    expect(cornersOf(clear?.jpeg ?? Buffer.alloc(0))).toEqual(['white', 'white', 'white', 'white'])
  })

  test.each<[Orientation, string[]]>([
    [1, ['red', 'blue', 'green', 'grey']],
    [2, ['blue', 'red', 'grey', 'green']],
    [3, ['grey', 'green', 'blue', 'red']],
    [4, ['green', 'grey', 'red', 'blue']],
    [5, ['red', 'green', 'blue', 'grey']],
    [6, ['green', 'red', 'grey', 'blue']],
    [7, ['grey', 'blue', 'green', 'red']],
    [8, ['blue', 'grey', 'red', 'green']],
  ])('is turned as a phone turns the picture: orientation %i', (orientation, corners) => {
    for (const order of ['II', 'MM'] as const) {
      const file = turned(jpeg(160, 80), orientation, order)
      const made = makeThumbnail(file, 'image/jpeg')
      expect(cornersOf(made?.jpeg ?? Buffer.alloc(0))).toEqual(corners)
      expect(made).toMatchObject(orientation < 5 ? { width: 160, height: 80 } : { width: 80, height: 160 })
    }
  })

  test('of a photograph too large to decode is the one that the camera added', () => {
    const photo = claiming(turned(jpeg(16, 12), 6, 'II', jpeg(160, 120)), 4000, 3000)
    const made = makeThumbnail(photo, 'image/jpeg')
    expect(made).toMatchObject({ width: 3000, height: 4000 })
    expect(cornersOf(made?.jpeg ?? Buffer.alloc(0))).toEqual(['green', 'red', 'grey', 'blue'])
  })

  test.each([
    ['too large and without one', claiming(jpeg(16, 12), 4000, 3000), 'image/jpeg'],
    [
      'too large and cut, so that the old one shows something else',
      claiming(turned(jpeg(16, 12), 1, 'MM', jpeg(160, 120)), 4000, 4000),
      'image/jpeg',
    ],
    [
      'too large, with one that is damaged',
      claiming(turned(jpeg(16, 12), 1, 'MM', randomBytes(500)), 4000, 3000),
      'image/jpeg',
    ],
    [
      'too large, with one that is as large',
      claiming(turned(jpeg(16, 12), 1, 'MM', claiming(jpeg(16, 12), 4000, 3000)), 4000, 3000),
      'image/jpeg',
    ],
    ['a PNG too large', pngClaiming(100_000, 100_000, 0), 'image/png'],
    ['an interlaced PNG', pngClaiming(8, 8, 1), 'image/png'],
    ['a PNG with a second header', pngOf(deflateSync(Buffer.alloc(200 * 801)), [100, 200]), 'image/png'],
    ['a WebP', samples.webp, 'image/webp'],
    ['no JPEG', randomBytes(100), 'image/jpeg'],
  ])('is not made: %s', (_, file, mimetype) => {
    expect(makeThumbnail(file, mimetype)).toBeNull()
  })
})

test('what cannot be read of a JPEG is nothing, or as it is', () => {
  for (const bytes of [Buffer.alloc(0), randomBytes(100), Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 0]), samples.jpeg]) {
    expect(readJpeg(bytes)).toBeNull()
  }
  const plain = { width: 8, height: 8, orientation: 1, embedded: null }
  expect(readJpeg(turned(jpeg(8, 8), 9))).toEqual(plain)
  expect(readJpeg(turned(jpeg(8, 8), 6).subarray(0, 30))).toBeNull()
  // Directories that lead out of the file.
  const lost = turned(jpeg(8, 8), 6, 'MM', jpeg(8, 8))
  lost.writeUInt32BE(0xfffffff0, 16)
  expect(readJpeg(lost)).toEqual(plain)
})

describe('the preview of a file', () => {
  const preview = (bytes: Buffer, mimetype: string) => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, bytes)
    return imagePreview(path, mimetype)
  }

  test('is its thumbnail, made in another thread', async () => {
    const file = jpeg(320, 240)
    expect(await preview(file, 'image/jpeg')).toEqual({ ...makeThumbnail(file, 'image/jpeg'), jpeg: expect.anything() })
    expect((await preview(file, 'image/jpeg'))?.jpeg).toEqual(
      new Uint8Array(makeThumbnail(file, 'image/jpeg')?.jpeg ?? []),
    )
  })

  test.each<[string, Buffer, string]>([
    ['a damaged picture', randomBytes(1000), 'image/jpeg'],
    ['half a picture', jpeg(640, 480).subarray(0, 3_000), 'image/jpeg'],
    ['another kind of picture', samples.webp, 'image/webp'],
    ['no picture', samples.pdf, 'application/pdf'],
    ['a PNG with too little in it', pngOf(deflateSync(Buffer.alloc(10))), 'image/png'],
    ['a PNG with too much in it', pngOf(deflateSync(Buffer.alloc(50_000_000))), 'image/png'],
  ])('there is none: %s', async (_, bytes, mimetype) => {
    expect(await preview(bytes, mimetype)).toBeNull()
  })

  test('there is none of a file that is gone', async () => {
    expect(await imagePreview('/nowhere/at/all.png', 'image/png')).toBeNull()
  })
})

function pngClaiming(width: number, height: number, interlace: number): Buffer {
  const file = png(8, 8)
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  file[28] = interlace
  return file
}

/** A PNG of 100 × 100 with any bytes for its pixels, and a header for each of `sides`. */
function pngOf(pixels: Buffer, sides = [100]): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const heads = sides.map((side) => {
    const head = Buffer.alloc(13)
    head.writeUInt32BE(side, 0)
    head.writeUInt32BE(side, 4)
    head.set([8, 6, 0, 0, 0], 8)
    return chunk('IHDR', head)
  })
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([magic, ...heads, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}
