/**
 * An object without any other member than `Wanted` has. The compiler asks for that by itself only
 * where an object is written down, not where it comes out of a variable; and a filter with a
 * misspelt member is one for everything.
 */
export type Exactly<Wanted, Given extends Wanted> = Given & { [Member in Exclude<keyof Given, keyof Wanted>]: never }
