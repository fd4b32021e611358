interface RawJson {
  rawJSON(text: string): unknown
}
// In V8 since Node 22, in TypeScript's library not yet.
const { rawJSON } = JSON as unknown as RawJson
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown

// Every other number is an integer of 15 digits at most. To look for these is one scan; to ask for
// the source of each number takes 20 times as long as to parse it.
const MAY_CHANGE = /\d[.eE]|\d{16}|-0/

/**
 * Parses JSON so that stringifying gives every number back digit by digit: `1.10` and
 * `12345678901234567890` would otherwise come back as `1.1` and `12345678901234567000`.
 */
export function parseExact(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text)
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}

/**
 * The text of a top-level member of a JSON object, as it was sent; the last one if it is there
 * twice.
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

// The text is known to be JSON: these only find where things end.
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

interface JsonSize {
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

const NUL = '\\u0000'

/**
 * JSON without U+0000, which no phone shows and PostgreSQL's texts do not hold. Programs with texts
 * of a fixed length fill them up with it. JSON has it as an escape alone; one whose backslash is
 * escaped itself is the text of these six characters.
 */
export const withoutNul = (json: string): string =>
  json.includes(NUL) ? json.replace(/\\(?:u0000|.)/g, (found) => (found === NUL ? '' : found)) : json

/** The same for bytes that may not be JSON at all. */
export const bytesWithoutNul = (json: Buffer): Buffer =>
  json.includes(NUL) ? Buffer.from(withoutNul(json.toString('latin1')), 'latin1') : json
