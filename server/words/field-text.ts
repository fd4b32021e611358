import type { FieldProblem, ProblemValues } from '../contract/field-problems.ts'
import { say, sayWith, type Words } from './say.ts'

/** The sentence of a problem, to follow the name of its field. */
export function fieldText(words: Words, code: FieldProblem, values: ProblemValues = {}): string {
  if (code === 'wrong_type' && values.expected === 'text' && values.given === 'number')
    return say(words, 'fields.number_for_text')
  const texts = Object.entries(values).map(([name, value]) => [name, textOf(words, code, value)])
  return sayWith(words, `fields.${code}`, Object.fromEntries(texts))
}

/** Numbers are written as a program writes them. */
function textOf({ types }: Words, code: FieldProblem, value: ProblemValues[string]): string {
  if (code === 'wrong_type') return Object.entries(types).find(([name]) => name === value)?.[1] ?? types.other
  return Array.isArray(value) ? value.join(', ') : String(value)
}
