export interface Disposer {
  /** Registers `close`. The last one registered is closed first. */
  defer(name: string, close: () => void | Promise<void>): void
  /** Closes everything, even if one close fails. Rejects with all failures at the end. */
  close(): Promise<void>
}

export function createDisposer(): Disposer {
  const open: { name: string; close: () => void | Promise<void> }[] = []
  let closing: Promise<void> | undefined

  async function closeAll(): Promise<void> {
    const failures: Error[] = []
    for (let item = open.pop(); item !== undefined; item = open.pop()) {
      try {
        await item.close()
      } catch (cause) {
        failures.push(new Error(`closing ${item.name} failed`, { cause }))
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything closed cleanly')
  }

  return {
    defer: (name, close) => void open.push({ name, close }),
    close: () => (closing ??= closeAll()),
  }
}
