export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
}

/** The `most` values that were used last. */
export function createRecent<V>(most: number): Recent<V> {
  const entries = new Map<string, V>()
  function set(key: string, value: V): void {
    entries.delete(key)
    entries.set(key, value)
    const [oldest] = entries.size > most ? entries.keys() : []
    if (oldest !== undefined) entries.delete(oldest)
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
