import type { FieldProblem, ProblemValues } from '../contract/field-problems.ts'
import type { Language } from '../contract/settings.ts'
import type { en } from './en/index.ts'
import { fill, type Value, type Values } from './text.ts'

type English = typeof en
type AnyText<Texts> = { readonly [Code in keyof Texts]: Texts[Code] extends string ? string : AnyText<Texts[Code]> }

/** All words of one language. */
export type Words = AnyText<English> & { readonly language: Language }

type Codes<Texts> = {
  [Name in keyof Texts & string]: Texts[Name] extends string ? Name : `${Name}.${Codes<Texts[Name]>}`
}[keyof Texts & string]

/** Way to a text, such as `failures.expired.message`. */
export type Code = Exclude<Codes<English>, 'language'>

type TextOf<Path, Texts = English> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof Texts
    ? TextOf<Rest, Texts[Name]>
    : never
  : Path extends keyof Texts
    ? Texts[Path] & string
    : never

/** Values that the text of a code needs. */
export type ValuesOf<C extends Code> = Values<TextOf<C>>

type Given<C extends Code> = keyof ValuesOf<C> extends never ? [] : [values: ValuesOf<C>]

/** A text in a language. An unknown code and a missing value do not compile. */
export const say = <C extends Code>(words: Words, code: C, ...values: Given<C>): string =>
  sayWith(words, code, values[0] ?? {})

/** The same with values that came as data: stored ones, or over the wire. */
export const sayWith = (words: Words, code: Code, values: Readonly<Record<string, Value>>): string =>
  fill(textOf(words, code), values, words.language)

function textOf(words: Words, code: Code): string {
  let at: unknown = words
  for (const name of code.split('.')) at = Object(at)[name]
  return String(at)
}

/** The sentence of a problem, to follow the name of its field. */
export function fieldText(words: Words, code: FieldProblem, values: ProblemValues = {}): string {
  if (code === 'wrong_type' && values.expected === 'text' && values.given === 'number')
    return say(words, 'fields.number_for_text')
  const texts = Object.entries(values).map(([name, value]) => [name, valueText(words, code, value)])
  return sayWith(words, `fields.${code}`, Object.fromEntries(texts))
}

/** Numbers are written as a program writes them. */
function valueText({ types }: Words, code: FieldProblem, value: ProblemValues[string]): string {
  if (code === 'wrong_type') return Object.entries(types).find(([name]) => name === value)?.[1] ?? types.other
  return Array.isArray(value) ? value.join(', ') : String(value)
}
