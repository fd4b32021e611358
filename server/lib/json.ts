interface RawJson {
  rawJSON(text: string): unknown
}
// V8 has it since Node 22, TypeScript's library does not have it yet.
const { rawJSON } = JSON as unknown as RawJson
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown

// Any other number is an integer of at most 15 digits, which stays the same. This search is one
// scan; a reviver that asks for the source of each number takes 20 times as long as parsing.
const MAY_CHANGE = /\d[.eE]|\d{16}|-0/

/**
 * Parses JSON so that stringify gives every number back digit by digit: `1.10` and
 * `12345678901234567890` would otherwise come back as `1.1` and `12345678901234567000`.
 */
export function parseExact(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text)
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}

/**
 * Returns the text of a top-level member of a JSON object as it was sent; the last one if the name
 * occurs twice.
 */
export function rawMember(json: string, name: string): string | undefined {
  let found: string | undefined
  let at = skipSpace(json, skipSpace(json, 0) + 1)
  while (json[at] === '"') {
    const keyEnd = endOfString(json, at)
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1)
    const end = endOfValue(json, start)
    if (JSON.parse(json.slice(at, keyEnd)) === name) found = json.slice(start, end)
    at = skipSpace(json, skipSpace(json, end) + 1)
  }
  return found
}

// The text is known to be valid JSON, so these functions only find where tokens end.
function skipSpace(json: string, at: number): number {
  while (' \t\n\r'.includes(json[at] ?? 'x')) at += 1
  return at
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfValue(json: string, start: number): number {
  if (json[start] === '"') return endOfString(json, start)
  if (json[start] !== '{' && json[start] !== '[') {
    const length = json.slice(start).search(/[\s,}\]]/)
    return length === -1 ? json.length : start + length
  }
  let depth = 0
  let at = start
  do {
    const char = json[at]
    if (char === '"') {
      at = endOfString(json, at)
      continue
    }
    if (char === '{' || char === '[') depth += 1
    if (char === '}' || char === ']') depth -= 1
    at += 1
  } while (depth > 0)
  return at
}

const SPACE = /[ \t\r\n]*/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const LETTERS = /[^"\\\p{Cc}]+|[\u007f-\u009f]+/uy
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/**
 * Kind of token that must come next. `first`: the end of the list or object that has just begun is
 * allowed too.
 */
type Next = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end of value'

/**
 * Returns the index of the first character that is no JSON, or the length of a text that ends too
 * early; undefined for valid JSON. Makes one pass, without recursion.
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
  /** Skips a string. Returns false for a fault at `at`. */
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

interface JsonSize {
  depth: number
  /** Approximate number of values that parsing creates. */
  values: number
}

/**
 * Measures the depth and size of a JSON text in one pass, before it is parsed. The text need not be
 * valid.
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

const NUL = '\\u0000'

/**
 * Removes U+0000, which no phone shows and PostgreSQL's text cannot store. Programs with texts of a
 * fixed length pad them with it. JSON can contain it only as an escape; after an escaped backslash
 * the same characters are ordinary text.
 */
export const withoutNul = (json: string): string =>
  json.includes(NUL) ? json.replace(/\\(?:u0000|.)/g, (found) => (found === NUL ? '' : found)) : json

/** Does the same as `withoutNul` for bytes that may be no JSON at all. */
export const bytesWithoutNul = (json: Buffer): Buffer =>
  json.includes(NUL) ? Buffer.from(withoutNul(json.toString('latin1')), 'latin1') : json
