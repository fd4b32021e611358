export interface BoundedMap<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  clear(): void
}

/** A map that keeps the `most` entries that were read or written last. */
export function createBoundedMap<K, V>(most: number): BoundedMap<K, V> {
  const entries = new Map<K, V>()
  function set(key: K, value: V): void {
    // Delete first: a map lists its keys in the order in which they were added.
    entries.delete(key)
    entries.set(key, value)
    if (entries.size <= most) return
    for (const oldest of entries.keys()) {
      entries.delete(oldest)
      return
    }
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
