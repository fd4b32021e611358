/**
 * Charset assumed for programs that name none and do not write UTF-8: the one of western Windows.
 */
const ASSUMED = 'windows-1252'

/** Returns the charset that a content type names, in lower case; undefined if it names none. */
export const charsetOf = (contentType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i.exec(contentType ?? '')?.[1]?.toLowerCase()

/** Thrown for bytes that cannot be read as text. */
export class CharsetError extends Error {}

export interface DecodedText {
  text: string
  /**
   * Charset that Kurir assumed, because none was named and the bytes are not UTF-8; otherwise null.
   */
  assumed: string | null
}

/**
 * Decodes bytes as text. A named charset is used (WHATWG Encoding defines the names); without one
 * the text is UTF-8, or else Windows-1252, in which every byte is a character.
 * @throws CharsetError, with a sentence for the programmer
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): DecodedText {
  const decoder = decoderOf(charset ?? 'utf-8')
  try {
    return { text: decoder.decode(bytes), assumed: null }
  } catch {
    if (charset === undefined) return { text: decoderOf(ASSUMED).decode(bytes), assumed: ASSUMED }
    throw new CharsetError(
      `The body says charset=${charset}, but its bytes are not ${charset}. Send UTF-8, or name the charset that it has, such as charset=${ASSUMED}.`,
    )
  }
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    throw new CharsetError(`The charset ${charset} is not known. Send UTF-8, or name one such as ${ASSUMED}.`)
  }
}
