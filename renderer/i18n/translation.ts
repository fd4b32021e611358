type PluralForm = 'one' | 'two' | 'few' | 'many' | 'other'

/**
 * Maps the plural keys `x_one` and `x_other` to `x_` with each plural form of the language. Every
 * language needs `x_zero`, for "none".
 */
type KeyIn<Key, Forms extends PluralForm> = Key extends `${infer Base}_${PluralForm}` ? `${Base}_${Forms}` : Key

/**
 * The keys of English with the plural forms that `Intl.PluralRules` names for another language. A
 * missing key does not compile.
 */
export type Translation<English, Forms extends PluralForm> = {
  [Key in keyof English as KeyIn<Key, Forms>]: English[Key] extends string ? string : Translation<English[Key], Forms>
}

/** Indonesian nouns have one form for any number. */
export type Indonesian<English> = Translation<English, 'other'>
