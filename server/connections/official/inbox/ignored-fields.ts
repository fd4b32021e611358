// Meta has some dozens; only its own names get here.
const MOST_FIELDS = 100

export type IgnoredFields = ReturnType<typeof createIgnoredFields>

/**
 * How often Meta called back, since the start, with fields and kinds that nothing is done about: by
 * name, without content.
 */
export function createIgnoredFields() {
  const counts = new Map<string, number>()
  return {
    add(field: string): void {
      if (counts.has(field) || counts.size < MOST_FIELDS) counts.set(field, (counts.get(field) ?? 0) + 1)
    },
    list: () => [...counts].map(([field, count]) => ({ field, count })),
  }
}
