import { asStorageError, isLost } from './errors.ts'
import { type Connection, sendingDown } from './pool.ts'
import { createCall } from './replay.ts'

/** Runs what asks the database, until it has its answers. @throws StorageError */
export type Reading = <T>(work: () => T) => Promise<T>

/**
 * @param connect gives a connection, when something is asked for the first time in a call @param
 *   place for errors
 */
export function createReading(connect: () => Promise<Connection>, place: string) {
  function begin() {
    let connection: Promise<Connection> | undefined
    const call = createCall((statement, values) => {
      connection ??= connect()
      return sendingDown(connection, false)(statement, values)
    })
    async function finish<T>(work: () => T | Promise<T>, first?: Promise<T>): Promise<T> {
      let dead = false
      try {
        return await call.run(work, first)
      } catch (error) {
        dead = isLost(error)
        throw asStorageError(error, place)
      } finally {
        await connection?.then(
          (client) => client.release(dead),
          () => undefined,
        )
      }
    }
    return { once: call.once, finish }
  }

  const reading: Reading = (work) => begin().finish(work)

  /**
   * The same functions, each of which waits for the answers that it asks for. What comes out of
   * memory has none to wait for.
   */
  function waiting<Noun extends object>(noun: Noun): Noun {
    const wrap =
      (fn: (...args: unknown[]) => unknown) =>
      (...args: unknown[]) => {
        const { once, finish } = begin()
        const first = once(() => fn(...args))
        return first instanceof Promise ? finish(() => fn(...args), first) : first
      }
    return Object.fromEntries(
      Object.entries(noun).map(([name, member]) => [name, typeof member === 'function' ? wrap(member) : member]),
    ) as Noun
  }

  return { reading, waiting }
}
