import { NOISE_WA_HEADER } from 'baileys'

const ROUTING_PREFIX = Buffer.from('ED')

/**
 * Returns the length of everything before the first frame: the client's routing information, if
 * any, and the protocol header. Undefined while it is incomplete.
 */
function introLength(bytes: Buffer): number | undefined {
  let start = 0
  if (bytes.subarray(0, 2).equals(ROUTING_PREFIX)) {
    if (bytes.length < 7) return undefined
    start = 7 + bytes.readUIntBE(4, 3)
  }
  const end = start + NOISE_WA_HEADER.length
  if (bytes.length < end) return undefined
  if (!bytes.subarray(start, end).equals(NOISE_WA_HEADER)) throw new Error('not a WhatsApp client')
  return end
}

/**
 * Creates a reader that splits the client's bytes into frames: three bytes of length, then the
 * content.
 */
export function createFrameReader(onFrame: (frame: Buffer) => void) {
  let bytes: Buffer = Buffer.alloc(0)
  let introduced = false

  return (data: Buffer) => {
    bytes = bytes.length === 0 ? data : Buffer.concat([bytes, data])
    if (!introduced) {
      const length = introLength(bytes)
      if (length === undefined) return
      bytes = bytes.subarray(length)
      introduced = true
    }
    while (bytes.length >= 3) {
      const end = 3 + bytes.readUIntBE(0, 3)
      if (bytes.length < end) return
      const frame = bytes.subarray(3, end)
      bytes = bytes.subarray(end)
      onFrame(frame)
    }
  }
}

export function toFrame(content: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(3 + content.length)
  frame.writeUIntBE(content.length, 0, 3)
  frame.set(content, 3)
  return frame
}
