/** Returns the top-level fields that differ from the saved record. A PATCH sends only these. */
export function changedFields<Values extends object>(saved: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof Values]),
  )
  return Object.fromEntries(changed) as Partial<Values>
}

/**
 * Returns a form's values after its record changed elsewhere: only unedited fields take the new
 * values.
 * @param before the record that the form began with
 */
export const rebased = <Values extends object>(before: Values, after: Values, values: Values): Values => ({
  ...after,
  ...changedFields(before, values),
})

/** Returns the names of inputs that were edited here while another value was saved elsewhere. */
export const bothChanged = <Values extends object>(before: Values, after: Values, values: Values): string[] =>
  Object.keys(changedFields(before, after))
    .filter((name) => name in changedFields(before, values) && name in changedFields(after, values))
    .flatMap((name) => {
      const value: unknown = values[name as keyof Values]
      const isGroup = value !== null && typeof value === 'object' && !Array.isArray(value)
      return isGroup ? Object.keys(value).map((part) => `${name}.${part}`) : [name]
    })
