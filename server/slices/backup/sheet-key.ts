import { randomInt } from 'node:crypto'

// Without those that look alike on paper.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const GROUPS = 5
const OF_A_GROUP = 5

/** Makes a key of 124 bits, short enough to be typed from paper. */
export const newSheetKey = (): string =>
  inGroups(Array.from({ length: GROUPS * OF_A_GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join(''))

/** The key as it is on the sheet, however it was typed; undefined: it is none. */
export function asOnSheet(typed: string): string | undefined {
  const letters = typed.toLowerCase().replace(/[\s-]/g, '')
  const isKey = letters.length === GROUPS * OF_A_GROUP && [...letters].every((letter) => LETTERS.includes(letter))
  return isKey ? inGroups(letters) : undefined
}

const inGroups = (letters: string): string => letters.match(/.{5}/g)?.join('-') ?? letters
