/**
 * Characters that nobody sees and that hide or turn what stands beside them: control characters
 * except line breaks and tabs, and marks of direction.
 */
export const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A text of somebody else, safe to show beside our own: a name, a file's name, an error. */
export const shown = (text: string): string => text.replace(UNSEEN, '')

/** The same value with every text in it safe to show, and the names of its members too. */
export function shownIn(value: unknown): unknown {
  if (typeof value === 'string') return shown(value)
  if (Array.isArray(value)) return value.map(shownIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [shown(name), shownIn(member)]))
}
