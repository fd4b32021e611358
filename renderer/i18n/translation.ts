type PluralForm = 'one' | 'two' | 'few' | 'many' | 'other'

/**
 * `x_one` and `x_other` become `x_` with each form that the language has; `x_zero`, for "none", is
 * asked of each.
 */
type KeyIn<Key, Forms extends PluralForm> = Key extends `${infer Base}_${PluralForm}` ? `${Base}_${Forms}` : Key

/**
 * The same keys in another language, with the plural forms of that language: those that
 * `Intl.PluralRules` names for it. A missing key does not compile.
 */
export type Translation<English, Forms extends PluralForm> = {
  [Key in keyof English as KeyIn<Key, Forms>]: English[Key] extends string ? string : Translation<English[Key], Forms>
}

/** Indonesian nouns have one form for any number. */
export type Indonesian<English> = Translation<English, 'other'>
