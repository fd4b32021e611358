import { setImmediate } from 'node:timers/promises'

const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20
const AMPERSAND = 0x26
const EQUALS = 0x3d
/** Bytes of a long value that are decoded without a break. */
const AT_A_STRETCH = 256 * 1024

/** Returns the value of a hexadecimal digit; NaN for any other character. */
const digit = (code: number): number =>
  code >= 0x30 && code <= 0x39
    ? code - 0x30
    : (code | 32) >= 0x61 && (code | 32) <= 0x66
      ? (code | 32) - 0x57
      : Number.NaN

/** Decodes a URL-encoded name or value. An invalid escape stays as it is. */
function unescaped(text: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(text.length)
  let size = 0
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] as number
    bytes[size] = byte === PLUS ? SPACE : byte
    size += 1
    if (byte !== PERCENT) continue
    const value = digit(text[at + 1] ?? 0) * 16 + digit(text[at + 2] ?? 0)
    if (Number.isNaN(value)) continue
    bytes[size - 1] = value
    at += 2
  }
  return bytes.subarray(0, size)
}

/**
 * Decodes a long value that holds no spaces, such as base64: a plus in it is a plus. Lets other
 * calls run between its parts.
 */
export async function unescapedFile(text: Buffer): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(at + AT_A_STRETCH, text.length)
    // Do not cut an escape in two.
    const cut = text.subarray(end - 2, end).indexOf(PERCENT)
    if (cut >= 0 && end < text.length) end -= 2 - cut
    const part = unescaped(text.subarray(at, end))
    for (let space = part.indexOf(SPACE); space >= 0; space = part.indexOf(SPACE, space)) part[space] = PLUS
    parts.push(part)
    await setImmediate()
  }
  return Buffer.concat(parts)
}

/**
 * Returns at most `most` names and values of a URL-encoded body (WHATWG URL, 5.1). Values stay
 * bytes, because their charset is not known yet.
 */
export function urlEncodedPairs(body: Buffer, most: number): [name: string, value: Buffer][] {
  const pairs: [string, Buffer][] = []
  for (let at = 0; at < body.length && pairs.length < most; at += 1) {
    if (body[at] === AMPERSAND) continue
    const next = body.indexOf(AMPERSAND, at)
    const pair = body.subarray(at, next < 0 ? body.length : next)
    // Search only this pair: a search to the end of the body would read a form without "=" once per
    // name.
    const sign = pair.indexOf(EQUALS)
    const middle = sign < 0 ? pair.length : sign
    pairs.push([unescaped(pair.subarray(0, middle)).toString(), unescaped(pair.subarray(middle + 1))])
    at += pair.length
  }
  return pairs
}
