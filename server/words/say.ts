import type { FieldProblem, ProblemValues } from '../contract/field-problems.ts'
import type { Language } from '../contract/settings.ts'
import type { en } from './en/index.ts'
import { fill, type Value, type Values } from './text.ts'

type English = typeof en
type AnyText<Texts> = { readonly [Code in keyof Texts]: Texts[Code] extends string ? string : AnyText<Texts[Code]> }

export type Words = AnyText<English> & { readonly language: Language }

type Codes<Texts> = {
  [Name in keyof Texts & string]: Texts[Name] extends string ? Name : `${Name}.${Codes<Texts[Name]>}`
}[keyof Texts & string]

/** Path to a text, such as `failures.expired.message`. */
export type Code = Exclude<Codes<English>, 'language'>

type TextOf<Path, Texts = English> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof Texts
    ? TextOf<Rest, Texts[Name]>
    : never
  : Path extends keyof Texts
    ? Texts[Path] & string
    : never

export type ValuesOf<C extends Code> = Values<TextOf<C>>

type Given<C extends Code> = keyof ValuesOf<C> extends never ? [] : [values: ValuesOf<C>]

/** Returns a text in a language. An unknown code or a missing value does not compile. */
export const say = <C extends Code>(words: Words, code: C, ...values: Given<C>): string =>
  sayWith(words, code, values[0] ?? {})

/** As `say`, with unchecked values: for values from the database or the network. */
export const sayWith = (words: Words, code: Code, values: Readonly<Record<string, Value>>): string =>
  fill(textOf(words, code), values, words.language)

function textOf(words: Words, code: Code): string {
  let at: unknown = words
  for (const name of code.split('.')) at = Object(at)[name]
  return String(at)
}

/** Returns the sentence of a problem, to be placed after the name of the field. */
export function fieldText(words: Words, code: FieldProblem, values: ProblemValues = {}): string {
  if (code === 'wrong_type' && values.expected === 'text' && values.given === 'number')
    return say(words, 'fields.number_for_text')
  const texts = Object.entries(values).map(([name, value]) => [name, valueText(words, code, value)])
  return sayWith(words, `fields.${code}`, Object.fromEntries(texts))
}

/** Writes numbers as program code does, not in the style of the language. */
function valueText({ types }: Words, code: FieldProblem, value: ProblemValues[string]): string {
  if (code === 'wrong_type') return Object.entries(types).find(([name]) => name === value)?.[1] ?? types.other
  return Array.isArray(value) ? value.join(', ') : String(value)
}
