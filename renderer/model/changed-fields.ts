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
