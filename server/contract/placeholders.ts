/**
 * Words in braces that Kurir fills in by itself, in English and Indonesian. The one list: every
 * other word in braces is a field of the person who writes, or a column of a table.
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

/** The one of the list that a word in braces means. */
const meant = (word: string): Placeholder | undefined =>
  NAMES.find((name) => PLACEHOLDERS[name].some((spelling) => spelling === word))

/** Words in braces, each once, in the order of the text. */
export const wordsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(BRACES)].map(([, word = '']) => spelt(word))),
]

/** Words in braces that Kurir does not fill in. */
export const ownFieldsOf = (text: string): string[] => wordsOf(text).filter((word) => meant(word) === undefined)

/**
 * The text with its words in braces filled in.
 * @param own by the spelling of `ownFieldsOf`; it goes before what Kurir knows, and a field without
 *   a value stays as it is written
 */
export const fillIn = (
  text: string,
  known: Readonly<Record<Placeholder, string>>,
  own: Readonly<Record<string, string>>,
): string =>
  text.replace(BRACES, (written, word: string) => {
    // A column of a table named `date` is the one that is meant.
    if (Object.hasOwn(own, spelt(word))) return own[spelt(word)] || written
    const name = meant(spelt(word))
    return (name === undefined ? undefined : known[name]) || written
  })
