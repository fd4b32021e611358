/** Numbers from 0 to 1, as `createRandom` of `crash/random.ts` gives them. */
export type Random = () => number

export const below = (random: Random, end: number): number => Math.floor(random() * end)

export function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[below(random, list.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

/** What parsers stumble over, whatever they read. */
const TOKENS = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    '\0',
    '\t',
    ' ',
    '"',
    "'",
    '\\',
    ';',
    ',',
    '=',
    '&',
    '%',
    '+',
    '-',
    '--',
    ':',
    '/',
    '<',
    '>',
  ],
  ...['%00', '%zz', '%ff%fe', '%', '\ufeff', '\ufffd', '\\ud800', '\\u0000', '🙏', '\u202e', '٣', '\u00ff'],
  ...['__proto__', 'constructor', 'toString', 'null', 'true', 'NaN', 'undefined', '[]', '{}', '[{}]', '{"a":'],
  ...['../../etc/passwd', 'file:///etc/passwd', 'http://[', "' OR 1=1 --", '*', '(', ')', 'a'.repeat(300)],
]
const NUMBERS = [
  '0',
  '-1',
  '-0',
  '1.5',
  '1e308',
  '1e999',
  '2147483648',
  '9007199254740993',
  '9'.repeat(40),
  '007',
  '0x10',
  '',
]
/** Beginnings of something deep, with their ends. */
const NESTS = [
  ['[', ']'],
  ['{"a":', '}'],
  ['(', ')'],
] as const
const MOST_BYTES = 256 * 1024

type Change = (bytes: Buffer, random: Random, tokens: readonly string[]) => Buffer

const span = (bytes: Buffer, random: Random): [from: number, to: number] => {
  const from = below(random, bytes.length + 1)
  // Short ones most of the time.
  return [from, Math.min(bytes.length, from + below(random, 2 ** below(random, 10)) + 1)]
}

const spliced = (bytes: Buffer, from: number, to: number, middle: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(to)])

const flipBit: Change = (bytes, random) => {
  if (bytes.length === 0) return bytes
  const changed = Buffer.from(bytes)
  const at = below(random, changed.length)
  changed[at] = (changed[at] ?? 0) ^ (1 << below(random, 8))
  return changed
}

const setByte: Change = (bytes, random) => {
  const [from] = span(bytes, random)
  return spliced(bytes, from, from + 1, Buffer.from([below(random, 256)]))
}

const cutEnd: Change = (bytes, random) => bytes.subarray(0, below(random, bytes.length + 1))

const cutOut: Change = (bytes, random) => spliced(bytes, ...span(bytes, random), Buffer.alloc(0))

const repeat: Change = (bytes, random) => {
  const [from, to] = span(bytes, random)
  const times = 2 ** below(random, 9)
  return spliced(bytes, from, to, Buffer.concat(Array.from({ length: times }, () => bytes.subarray(from, to))))
}

const move: Change = (bytes, random) => {
  const [from, to] = span(bytes, random)
  const rest = spliced(bytes, from, to, Buffer.alloc(0))
  const [at] = span(rest, random)
  return spliced(rest, at, at, bytes.subarray(from, to))
}

const insertToken: Change = (bytes, random, tokens) => {
  const [at] = span(bytes, random)
  return spliced(bytes, at, at, Buffer.from(pick(random, random() < 0.5 ? TOKENS : tokens)))
}

const replaceByToken: Change = (bytes, random, tokens) =>
  spliced(bytes, ...span(bytes, random), Buffer.from(pick(random, random() < 0.5 ? TOKENS : tokens)))

/** A length, a size, a time, a count. */
const changeNumber: Change = (bytes, random) => {
  const numbers = [...bytes.toString('latin1').matchAll(/\d+/g)]
  if (numbers.length === 0) return bytes
  const { index, 0: digits } = pick(random, numbers)
  return spliced(bytes, index, index + digits.length, Buffer.from(pick(random, NUMBERS)))
}

const nest: Change = (bytes, random) => {
  const [open, close] = pick(random, NESTS)
  const [from, to] = span(bytes, random)
  const depth = 2 ** below(random, 14)
  const middle = [Buffer.from(open.repeat(depth)), bytes.subarray(from, to), Buffer.from(close.repeat(depth))]
  return spliced(bytes, from, to, Buffer.concat(middle))
}

const CHANGES: readonly Change[] = [
  ...[flipBit, setByte, cutEnd, cutOut, repeat, move, insertToken, insertToken, replaceByToken, changeNumber, nest],
]

/** Changes bytes in one to six ways. The same chance gives the same bytes. Pure. @param tokens words of this format */
export function mutate(bytes: Buffer, random: Random, tokens: readonly string[]): Buffer {
  let changed = bytes
  for (let left = 1 + below(random, 6); left > 0; left -= 1) {
    changed = pick(random, CHANGES)(changed, random, tokens).subarray(0, Math.max(MOST_BYTES, bytes.length))
  }
  return changed
}
