/** Icon files of Windows and macOS made from PNGs, so that a build needs no extra tool for them. */

export interface Png {
  /** Width and height in pixels. */
  size: number
  data: Buffer
}

const ICO_HEADER = 6
const ICO_ENTRY = 16

/** Returns a Windows .ico file. Sizes up to 256 are possible. */
export function ico(images: readonly Png[]): Buffer {
  const header = Buffer.alloc(ICO_HEADER)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(images.length, 4)
  let offset = ICO_HEADER + ICO_ENTRY * images.length
  const entries = images.map(({ size, data }) => {
    const entry = Buffer.alloc(ICO_ENTRY)
    // A size is one byte, and 256 is written as 0.
    entry.writeUInt8(size % 256, 0)
    entry.writeUInt8(size % 256, 1)
    entry.writeUInt16LE(1, 4)
    entry.writeUInt16LE(32, 6)
    entry.writeUInt32LE(data.length, 8)
    entry.writeUInt32LE(offset, 12)
    offset += data.length
    return entry
  })
  return Buffer.concat([header, ...entries, ...images.map((image) => image.data)])
}

/**
 * Apple's types for PNG content: first the normal sizes, then those that a Retina screen shows at
 * half size.
 */
const ICNS_TYPES: readonly (readonly [type: string, size: number])[] = [
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
  ['ic10', 1024],
]

/** Returns a macOS .icns file. Needs PNGs of 32, 64, 128, 256, 512 and 1024 pixels. */
export function icns(images: readonly Png[]): Buffer {
  const parts = ICNS_TYPES.map(([type, size]) => {
    const image = images.find((candidate) => candidate.size === size)
    if (!image) throw new Error(`The .icns needs a PNG of ${size} px`)
    return block(type, image.data)
  })
  return block('icns', Buffer.concat(parts))
}

function block(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'ascii')
  head.writeUInt32BE(data.length + head.length, 4)
  return Buffer.concat([head, data])
}
