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
