export interface Piece {
  /** Offset in the whole text. */
  at: number
  text: string
  style: 'plain' | 'bold' | 'italic' | 'strike' | 'mono'
}

const MARKS = { '*': 'bold', _: 'italic', '~': 'strike', '```': 'mono' } as const
const MARKED = /(?<![\p{L}\p{N}])(\*|_|~|```)(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gu

/**
 * Splits a text by WhatsApp's marks: `*bold*`, `_italic_`, `~struck~` and code. Reads no marks
 * within marks, because messages do not use them.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(MARKED)) {
    pieces.push({ at, text: text.slice(at, match.index), style: 'plain' })
    pieces.push({ at: match.index, text: match[2] ?? '', style: MARKS[(match[1] ?? '*') as keyof typeof MARKS] })
    at = match.index + match[0].length
  }
  pieces.push({ at, text: text.slice(at), style: 'plain' })
  return pieces.filter((piece) => piece.text !== '')
}
