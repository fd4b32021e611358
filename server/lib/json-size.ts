export interface JsonSize {
  /** Levels of lists and objects. */
  depth: number
  /** Values, about: what reading the text will make. */
  values: number
}

/**
 * How deep and how large a JSON text is, in one pass over it and before anything is made of it. It
 * need not be valid.
 */
export function jsonSize(text: string): JsonSize {
  let depth = 0
  let level = 0
  let values = 1
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (quoted) {
      if (char === BACKSLASH) at += 1
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === COMMA) values += 1
    else if (char === OPEN_LIST || char === OPEN_OBJECT) {
      values += 1
      level += 1
      if (level > depth) depth = level
    } else if (char === CLOSE_LIST || char === CLOSE_OBJECT) level -= 1
  }
  return { depth, values }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
