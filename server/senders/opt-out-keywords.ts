export interface Keywords {
  out: readonly string[]
  in: readonly string[]
}

const folded = (text: string): string => text.trim().normalize('NFKC').toLowerCase()

/** The wish in a customer's message; null unless the whole message is a keyword. Pure. */
export function keywordIn(text: string | null, keywords: Keywords): 'out' | 'in' | null {
  // No keyword is longer: a long text is not folded.
  if (text === null || text.length > 200) return null
  const said = folded(text)
  if (said === '') return null
  if (keywords.out.some((word) => folded(word) === said)) return 'out'
  return keywords.in.some((word) => folded(word) === said) ? 'in' : null
}
