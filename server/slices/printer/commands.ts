/**
 * Lengths of ESC/POS commands, from Epson's reference of its TM printers and the additions of other
 * makers. Commands are recognized only so that their parameters are not read as text; nothing is
 * executed here.
 */

/**
 * Number of bytes after the command's two-byte name, or a function that finds it. `at`: offset of
 * the first of these bytes.
 */
type Length = number | ((bytes: Uint8Array, at: number) => number)

export const DLE = 0x10
export const ESC = 0x1b
export const FS = 0x1c
export const GS = 0x1d

// Limits for parameters that end with a NUL or a semicolon. Without that end in reach, the bytes
// are not taken as parameters.
const LONGEST_BARCODE = 255
const MOST_TAB_STOPS = 32
const LONGEST_COUNTER = 40

const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0
const word = (bytes: Uint8Array, at: number): number => byte(bytes, at) + byte(bytes, at + 1) * 256
const long = (bytes: Uint8Array, at: number): number => word(bytes, at) + word(bytes, at + 2) * 65_536

/** `( A pL pH …`: a letter, a two-byte length, then so many bytes. */
const lettered: Length = (bytes, at) => 3 + word(bytes, at + 1)
/** An image of `x` by `y` bytes; both are stated at the end of the first `before` bytes. */
const picture = (bytes: Uint8Array, at: number, before: number): number =>
  before + word(bytes, at + before - 4) * word(bytes, at + before - 2)

/**
 * Returns the length up to and including the next NUL, or `otherwise` if there is none within
 * `most` bytes.
 */
function upToNul(bytes: Uint8Array, at: number, most: number, otherwise: number): number {
  const end = bytes.subarray(at, at + most + 1).indexOf(0)
  return end < 0 ? otherwise : end + 1
}

function barcode(bytes: Uint8Array, at: number): number {
  const kind = byte(bytes, at)
  if (kind <= 6) return 1 + upToNul(bytes, at + 1, LONGEST_BARCODE, 0)
  return kind >= 65 ? 2 + byte(bytes, at + 1) : 1
}

/** User-defined characters: each character's pattern states its own width. */
function ownCharacters(bytes: Uint8Array, at: number): number {
  const [height, first, last] = [byte(bytes, at), byte(bytes, at + 1), byte(bytes, at + 2)]
  let length = 3
  for (let i = first; i <= last; i += 1) length += 1 + height * byte(bytes, at + length)
  return length
}

/** Images that the printer stores, preceded by their number. */
function logos(bytes: Uint8Array, at: number): number {
  let length = 1
  for (let i = byte(bytes, at); i > 0; i -= 1) length += 4 + word(bytes, at + length) * word(bytes, at + length + 2) * 8
  return length
}

/** A Windows BMP file, which contains its own length. */
const bitmap: Length = (bytes, at) => {
  const before = byte(bytes, at + 1) === 67 ? 7 : 6
  return before + long(bytes, at + before + 2)
}

/** `C 0 n m`, `C 1 …`, `C 2 nL nH`, and `C ; a ; b ; n ; r ; c ;` with decimal digits. */
const counter: Length = (bytes, at) => {
  const kind = byte(bytes, at)
  if (kind !== 0x3b) return kind === 0x31 ? 7 : 3
  let [length, found] = [0, 0]
  while (found < 6 && length < LONGEST_COUNTER) {
    if (byte(bytes, at + length) === 0x3b) found += 1
    length += 1
  }
  return found === 6 ? length : 1
}

const memory: Length = (bytes, at) => (byte(bytes, at) === 0x31 ? 8 + word(bytes, at + 6) : 8)

const TABLE: Record<number, Record<string, Length>> = {
  [DLE]: {
    '\x04': (bytes, at) => ([7, 8, 18].includes(byte(bytes, at)) ? 2 : 1),
    '\x05': 1,
    '\x14': (bytes, at) => ({ 1: 3, 2: 3, 3: 6, 7: 2, 8: 8 })[byte(bytes, at)] ?? 1,
  },
  [ESC]: {
    ...{ '\x0c': 0, '2': 0, '<': 0, '@': 0, L: 0, S: 0, i: 0, m: 0, v: 0 },
    ...{ ' ': 1, '!': 1, '%': 1, '+': 1, '-': 1, '3': 1, '=': 1, '?': 1, A: 1, E: 1, G: 1, J: 1, K: 1, M: 1, R: 1 },
    ...{ T: 1, U: 1, V: 1, a: 1, d: 1, e: 1, r: 1, t: 1, u: 1, '{': 1 },
    ...{ $: 2, '\\': 2, B: 2, c: 2, f: 2, p: 3, W: 8 },
    '&': ownCharacters,
    '(': lettered,
    '*': (bytes, at) => 3 + word(bytes, at + 1) * (byte(bytes, at) >= 32 ? 3 : 1),
    D: (bytes, at) => upToNul(bytes, at, MOST_TAB_STOPS, 0),
  },
  [FS]: {
    ...{ '!': 1, '&': 0, '-': 1, '.': 0, '?': 2, C: 1, S: 2, W: 1, p: 2 },
    '(': lettered,
    '2': 2 + 72,
    g: memory,
    q: logos,
  },
  [GS]: {
    ...{ ':': 0, c: 0 },
    ...{ '!': 1, '#': 1, '/': 1, B: 1, E: 1, H: 1, I: 1, T: 1, a: 1, b: 1, f: 1, h: 1, j: 1, r: 1, w: 1, '|': 1 },
    ...{ $: 2, L: 2, P: 2, W: 2, '\\': 2, '^': 3, g: 4, z: 3 },
    '(': lettered,
    '*': (bytes, at) => 2 + byte(bytes, at) * byte(bytes, at + 1) * 8,
    '8': (bytes, at) => 5 + long(bytes, at + 1),
    C: counter,
    D: bitmap,
    Q: (bytes, at) => picture(bytes, at, 6),
    V: (bytes, at) => ([65, 66, 97, 98, 103, 104].includes(byte(bytes, at)) ? 2 : 1),
    k: barcode,
    v: (bytes, at) => (byte(bytes, at) === 0x30 ? picture(bytes, at, 6) : 1),
  },
}

const BY_BYTES = new Map(
  Object.entries(TABLE).flatMap(([first, names]) =>
    Object.entries(names).map(([name, length]) => [Number(first) * 256 + name.charCodeAt(0), length] as const),
  ),
)

export const beginsCommand = (first: number): boolean => first === ESC || first === GS || first === FS || first === DLE

/** Returns the offset behind the command at `at`. An unknown command counts as two bytes. */
export function endOfCommand(bytes: Uint8Array, at: number): number {
  const length = BY_BYTES.get(byte(bytes, at) * 256 + byte(bytes, at + 1)) ?? 0
  const rest = typeof length === 'number' ? length : length(bytes, at + 2)
  return Math.min(bytes.length, at + 2 + rest)
}
