const MOST_PARTS = 8
const LONGEST_PART = 32
const VERSION = /^(?:v\d{1,3}(?:\.\d{1,2})?|2010-04-01)$/

/** True for words such as `send-message`, `sendText`, `Messages.json`. Keys have other letters. */
const isWord = (part: string): boolean =>
  VERSION.test(part) || (part.length <= LONGEST_PART && /^[A-Za-z._-]*$/.test(part) && !/[A-Z][A-Z]|[A-Z]$/.test(part))

/** A path without what may be a number, a name or a key: `/v1/{…}/messages`. */
export function shownPath(url: string): string {
  const parts = (url.split('?', 1)[0] ?? '').slice(0, 512).split('/')
  const shown = parts.slice(1, MOST_PARTS + 1).map((part) => (isWord(part) ? part : '{…}'))
  return `/${shown.join('/')}${parts.length > MOST_PARTS + 1 ? '/…' : ''}`
}
