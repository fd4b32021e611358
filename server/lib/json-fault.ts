const SPACE = /[ \t\r\n]*/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const LETTERS = /[^"\\\p{Cc}]+|[\u007f-\u009f]+/uy
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** The kind of part that has to come next. `first`: or the end of what has just begun. */
type Next = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end of value'

/**
 * Finds where a text stops being JSON: the index of the first character that does not fit, which is
 * its length where it ends in the middle; undefined for JSON. One pass, without recursion.
 */
export function jsonFault(text: string): number | undefined {
  const open: string[] = []
  let next: Next = 'value'
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  /** False: it has a fault at `at`. */
  function quoted(): boolean {
    at += 1
    while (skip(LETTERS) || skip(ESCAPE));
    if (text[at] !== '"') return false
    at += 1
    return true
  }
  for (;;) {
    skip(SPACE)
    const char = text[at]
    const closes: string | undefined = open.at(-1)
    if (next === 'end of value' && open.length === 0) return char === undefined ? undefined : at
    if (next === 'colon') {
      if (char !== ':') return at
      at += 1
      next = 'value'
    } else if (char !== undefined && char === closes && next !== 'value' && next !== 'key') {
      at += 1
      open.pop()
      next = 'end of value'
    } else if (next === 'end of value') {
      if (char !== ',') return at
      at += 1
      next = closes === '}' ? 'key' : 'value'
    } else if (next === 'key' || next === 'first key') {
      if (char !== '"' || !quoted()) return at
      next = 'colon'
    } else if (char === '{' || char === '[') {
      at += 1
      open.push(char === '{' ? '}' : ']')
      next = char === '{' ? 'first key' : 'first value'
    } else {
      if (char === '"' ? !quoted() : !skip(SCALAR)) return at
      next = 'end of value'
    }
  }
}
