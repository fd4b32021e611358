import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalKeyStoreWithTransaction } from 'baileys'

/**
 * Keeps what the library writes when its transaction is long over. It begins some steps in one and
 * does not wait for them: their values are lost without an error. That is how it forgets that it
 * has issued a token to a contact, and issues one with each message.
 */
export function keepLateSteps(keys: SignalKeyStoreWithTransaction): void {
  const { get, set, transaction } = keys
  const steps = new AsyncLocalStorage<{ isOver: boolean }>()
  const outside = AsyncLocalStorage.snapshot()
  const placed = <T>(work: () => T): T => (steps.getStore()?.isOver === true ? outside(work) : work())

  async function oneStep<T>(work: () => Promise<T>): Promise<T> {
    if (steps.getStore()?.isOver === false) return work()
    const step = { isOver: false }
    try {
      return await steps.run(step, work)
    } finally {
      step.isOver = true
    }
  }

  Object.assign(keys, {
    get: (...args: Parameters<typeof get>) => placed(() => get(...args)),
    set: (...args: Parameters<typeof set>) => placed(() => set(...args)),
    transaction: <T>(work: () => Promise<T>, key: string) => placed(() => transaction(() => oneStep(work), key)),
  })
}
