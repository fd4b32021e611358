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
