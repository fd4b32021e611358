/**
 * Reads a protocol buffers message field by field from pieces, without ever holding the whole
 * message in memory.
 */

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

export interface Field {
  number: number
  /** Wire type, one of WIRE. */
  wire: number
  /** Length of the content in bytes. Read or skip the content before the next field. */
  length: number
  /** Value of a varint; not exact above 2^53. */
  value: number
}

export class WireError extends Error {
  override name = 'WireError'
}

export type WireReader = ReturnType<typeof createWireReader>

/**
 * @param most bytes after which the reader throws a WireError, because compressed data may inflate
 *   without end
 */
export function createWireReader(source: AsyncIterable<Uint8Array>, most: number) {
  const pieces = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  let at = 0
  let before = 0
  const position = (): number => before + at

  /** Appends the next piece to the unread rest. Resolves with false if there is none. */
  async function more(): Promise<boolean> {
    const piece = await pieces.next()
    if (piece.done === true) return false
    before += at
    const { buffer, byteOffset, length } = piece.value
    const next = Buffer.from(buffer, byteOffset, length)
    held = at === held.length ? next : Buffer.concat([held.subarray(at), next])
    at = 0
    if (before + held.length > most) throw new WireError(`more than ${most} bytes`)
    return true
  }

  async function byte(): Promise<number> {
    while (at === held.length) if (!(await more())) throw new WireError('cut off')
    const value = held[at] ?? 0
    at += 1
    return value
  }

  async function varint(): Promise<number> {
    let value = 0
    let factor = 1
    for (let count = 0; count < 10; count += 1) {
      const next = await byte()
      value += (next & 0x7f) * factor
      if (next < 0x80) return value
      factor *= 128
    }
    throw new WireError('a number of more than ten bytes')
  }

  async function pass(count: number): Promise<void> {
    let left = count
    while (left > 0) {
      if (at === held.length && !(await more())) throw new WireError('cut off')
      const step = Math.min(left, held.length - at)
      at += step
      left -= step
    }
  }

  const atEnd = async (end: number | undefined): Promise<boolean> => {
    if (end !== undefined) return position() >= end
    while (at === held.length) if (!(await more())) return true
    return false
  }

  /**
   * Resolves with the next field before `end`; undefined: there is none. Skips fields of fixed
   * length.
   * @throws WireError if the bytes are not a valid message
   */
  async function field(end?: number): Promise<Field | undefined> {
    for (;;) {
      if (await atEnd(end)) return undefined
      const tag = await varint()
      const [number, wire] = [Math.floor(tag / 8), tag % 8]
      if (number === 0) throw new WireError('a field without a number')
      if (wire === WIRE.varint) return { number, wire, length: 0, value: await varint() }
      if (wire === WIRE.bytes) {
        const length = await varint()
        if (length > most || (end !== undefined && position() + length > end)) throw new WireError('a field too long')
        return { number, wire, length, value: 0 }
      }
      if (wire === WIRE.fixed64) await pass(8)
      else if (wire === WIRE.fixed32) await pass(4)
      else throw new WireError(`a field of an unknown kind: ${wire}`)
    }
  }

  return {
    /** Bytes read so far. */
    position,
    field,
    skip: ({ length }: Field): Promise<void> => pass(length),
    /**
     * Resolves with the content of a field. Skips a field of more than `limit` bytes and resolves
     * with undefined.
     */
    async bytes({ length }: Field, limit: number): Promise<Buffer | undefined> {
      if (length > limit) {
        await pass(length)
        return undefined
      }
      while (held.length - at < length) if (!(await more())) throw new WireError('cut off')
      const content = Buffer.from(held.subarray(at, at + length))
      at += length
      return content
    },
  }
}

export const readerOf = (message: Uint8Array): WireReader => createWireReader(piece(message), message.length)

export async function* piece(message: Uint8Array): AsyncGenerator<Uint8Array> {
  yield message
}
