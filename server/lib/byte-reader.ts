export type Bytes = AsyncIterable<Uint8Array>

export interface ByteReader {
  /** The next `size` bytes; fewer only at the end. */
  read(size: number): Promise<Buffer>
  atEnd(): Promise<boolean>
  /** Lets go of the source, which may not be at its end. */
  close(): Promise<void>
}

/** Reads a stream in portions of the reader's choice. */
export function createByteReader(source: Bytes): ByteReader {
  const pieces = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  async function fill(size: number): Promise<void> {
    while (held.length < size) {
      const piece = await pieces.next()
      if (piece.done === true) return
      held = Buffer.concat([held, piece.value])
    }
  }

  return {
    async read(size) {
      await fill(size)
      const portion = held.subarray(0, size)
      held = held.subarray(portion.length)
      return portion
    },
    async atEnd() {
      await fill(1)
      return held.length === 0
    },
    async close() {
      await pieces.return?.()
    },
  }
}
