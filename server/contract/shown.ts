/**
 * Invisible characters that can hide or reorder the text beside them: control characters except
 * line breaks and tabs, and direction marks.
 */
export const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Removes invisible characters from foreign text: a name, a file name, an error. */
export const shown = (text: string): string => text.replace(UNSEEN, '')

/** Applies shown() to every string within a value, names of members included. */
export function shownIn(value: unknown): unknown {
  if (typeof value === 'string') return shown(value)
  if (Array.isArray(value)) return value.map(shownIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [shown(name), shownIn(member)]))
}
