/** The same keys in another language. Indonesian has one plural form, so `…_one` keys are not asked for. */
export type Translation<T> = {
  [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translation<T[K]>
}
