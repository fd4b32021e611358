const NEWLINE = 10
const QUOTE = 34

/**
 * Counts the rows, without the header, of a CSV table that comes in parts. A line break inside
 * quotes belongs to a cell.
 */
export function createRowCounter(): (part: Uint8Array) => number {
  let lines = 0
  let quoted = false
  return (part) => {
    for (const byte of part) {
      // A quote inside a cell is doubled, so `quoted` is the same after both.
      if (byte === QUOTE) quoted = !quoted
      else if (byte === NEWLINE && !quoted) lines += 1
    }
    return Math.max(lines - 1, 0)
  }
}
