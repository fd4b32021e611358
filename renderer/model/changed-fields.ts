/**
 * The top-level fields whose value differs from what was saved: all that a change needs to send.
 */
export function changedFields<Values extends object>(saved: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof Values]),
  )
  return Object.fromEntries(changed) as Partial<Values>
}

/**
 * A form's values after its record changed elsewhere: untouched fields follow, edited ones stay.
 * @param before the record that the form began with
 */
export const rebased = <Values extends object>(before: Values, after: Values, values: Values): Values => ({
  ...after,
  ...changedFields(before, values),
})

/** Inputs whose value was edited while something else was saved there. */
export const bothChanged = <Values extends object>(before: Values, after: Values, values: Values): string[] =>
  Object.keys(changedFields(before, after))
    .filter((name) => name in changedFields(before, values) && name in changedFields(after, values))
    .flatMap((name) => {
      const value: unknown = values[name as keyof Values]
      const isGroup = value !== null && typeof value === 'object' && !Array.isArray(value)
      return isGroup ? Object.keys(value).map((part) => `${name}.${part}`) : [name]
    })
