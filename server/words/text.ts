import type { ConcernCode } from '../contract/concerns.ts'
import type { Language } from '../contract/settings.ts'
import { shown } from '../contract/shown.ts'
import { formatsOf } from './format.ts'

/**
 * Texts are data. `{name}` is a value, `{count:callback|callbacks}` chooses by a number, and a part
 * in `[…]` is left out if one of its values is unknown.
 */

export type Value = string | number | null | undefined

/** Contents of all braces: names of values, and names with their two choices. */
type Braces<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Braces<Rest> : never
type Choosing<Text extends string> =
  Braces<Text> extends infer B ? (B extends `${infer Name}:${string}` ? Name : never) : never
type Printed<Text extends string> = Exclude<Braces<Text>, `${string}:${string}`>

type Always<Text extends string> = Text extends `${infer Before}[${string}]${infer After}`
  ? `${Before}${Always<After>}`
  : Text
type Sometimes<Text extends string> = Text extends `${string}[${infer Part}]${infer After}`
  ? `${Part}${Sometimes<After>}`
  : ''

/** Names of all values of a text. */
export type ValueNames<Text extends string> = Printed<Text> | Choosing<Text>

/** Values of a text; values in `[…]` may be missing. For a union of texts: all their values. */
export type Values<Text extends string> = {
  [Name in ValueNames<Always<Text>>]: Name extends Choosing<Text> ? number : string | number
} & { [Name in ValueNames<Sometimes<Text>>]?: Name extends Choosing<Text> ? number | null | undefined : Value }

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** True if two texts need the same values. A language need not choose by a number. */
type SameValues<English extends string, Other extends string> =
  Same<Printed<Always<English>>, Printed<Always<Other>>> extends true
    ? Same<Printed<Sometimes<English>>, Printed<Sometimes<Other>>> extends true
      ? Choosing<Other> extends ValueNames<English>
        ? true
        : false
      : false
    : false

/** Texts in another language, with the codes of English and the values of each English text. */
export type Translated<English, Other> = {
  readonly [Code in keyof English | keyof Other]: Code extends keyof English & keyof Other
    ? English[Code] extends string
      ? Other[Code] extends string
        ? SameValues<English[Code], Other[Code]> extends true
          ? Other[Code]
          : { differsFrom: English[Code] }
        : never
      : Translated<English[Code], Other[Code]>
    : { missingIn: Code extends keyof English ? 'this language' : 'English' }
}

const PLACEHOLDER = /\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g
const OPTIONAL = /(\[[^[\]]*\])/

export const namesIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)

/** Fills values into a text. Braces and brackets inside a value have no meaning. */
export function fill(text: string, values: Readonly<Record<string, Value>>, language: Language): string {
  const known = (part: string) => namesIn(part).every((name) => values[name] != null)
  const filled = (part: string) =>
    part.replace(PLACEHOLDER, (_, name: string, one?: string, other?: string) => {
      const value = values[name] ?? ''
      if (one !== undefined && other !== undefined) return value === 1 ? one : other
      return typeof value === 'number' ? formatsOf(language).number(value) : shown(value)
    })
  return text
    .split(OPTIONAL)
    .map((part) => (part.startsWith('[') ? (known(part) ? filled(part.slice(1, -1)) : '') : filled(part)))
    .join('')
}

export interface ConcernText {
  /** One sentence that names the event. */
  title: string
  /** Consequences for messages and customers. */
  meaning: string
  /** The act that helps, and what to avoid. */
  advice: string
}

export type ConcernTexts = Partial<Record<ConcernCode, ConcernText>>
