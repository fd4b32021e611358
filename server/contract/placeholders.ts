/**
 * Words in braces that Kurir fills in by itself, in English and Indonesian. Every other word in
 * braces is a field that the owner fills in, or a column of a table.
 */
export const PLACEHOLDERS = {
  date: ['date', 'tanggal'],
  time: ['time', 'jam'],
  phone: ['phone', 'nomor'],
  sender: ['sender', 'pengirim'],
} as const

export type Placeholder = keyof typeof PLACEHOLDERS

const NAMES = Object.keys(PLACEHOLDERS) as Placeholder[]
const BRACES = /\{([\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,39})\}/gu

const spelt = (word: string): string => word.trim().toLowerCase()

/** Returns the placeholder that a word in braces means; undefined: Kurir does not fill it in. */
const meant = (word: string): Placeholder | undefined =>
  NAMES.find((name) => PLACEHOLDERS[name].some((spelling) => spelling === word))

/** Returns the words in braces in lower case, each once, in the order of the text. */
export const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(BRACES)].map(([, word = '']) => spelt(word))),
]

/** Returns the words in braces that Kurir does not fill in. */
export const ownFieldsOf = (text: string): string[] => wordsOf(text).filter((word) => meant(word) === undefined)

/**
 * Replaces the words in braces with their values.
 * @param own values by field, spelt as in `ownFieldsOf`. They take precedence over `known`. A field
 *   without a value stays as written.
 */
export const fillIn = (
  text: string,
  known: Readonly<Record<Placeholder, string>>,
  own: Readonly<Record<string, string>>,
): string =>
  text.replace(BRACES, (written, word: string) => {
    // If a table has a column named `date`, its cells replace {date}, not today's date.
    if (Object.hasOwn(own, spelt(word))) return own[spelt(word)] || written
    const name = meant(spelt(word))
    return (name === undefined ? undefined : known[name]) || written
  })
