const NEWLINE = 10
const QUOTE = 34

/**
 * Counts the rows of a CSV table that comes in parts, without its header; a line break inside
 * quotes is part of a cell.
 */
export function createRowCounter(): (part: Uint8Array) => number {
  let lines = 0
  let quoted = false
  return (part) => {
    for (const byte of part) {
      // A quote inside a cell is doubled, which leaves this as it was.
      if (byte === QUOTE) quoted = !quoted
      else if (byte === NEWLINE && !quoted) lines += 1
    }
    return Math.max(lines - 1, 0)
  }
}
