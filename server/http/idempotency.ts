import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { Idempotency } from '../store/sqlite/idempotency.ts'
import type { Remembered } from '../store/sqlite/messages.ts'
import { type Call, Reply } from './route.ts'

const KEPT_FOR = 24 * 3_600_000
const KEY = /^[\x20-\x7e]{1,255}$/

export interface IdempotencyDeps {
  store: Idempotency
  now: () => number
}

/** Makes the record that is written in the transaction of the message: with its answer, or without one yet. */
export type Remember = (answer: unknown) => Remembered

export interface Once {
  /**
   * Runs `work` once per key, route and body. `remember` is undefined when the caller sent no key.
   * `unfinished` says what to answer when the program ended in the middle of the first call.
   */
  run(
    call: Call,
    route: string,
    work: (remember: Remember | undefined) => Promise<unknown>,
    unfinished?: (messageId: string) => unknown,
  ): Promise<unknown>
}

/** As text: read and written anew, its numbers would lose digits. */
const replayed = (status: number, answer: string): Reply => new Reply(status, answer, { 'idempotent-replayed': 'true' })

/** Header `Idempotency-Key`: a caller who did not hear the answer may ask again without sending twice. */
export function createOnce({ store, now }: IdempotencyDeps): Once {
  const running = new Map<string, Promise<unknown>>()

  function lookUp(scope: string, key: string, hash: Buffer, unfinished?: (messageId: string) => unknown): unknown {
    const kept = store.find(scope, key)
    if (kept === undefined || kept.createdAt < now() - KEPT_FOR) return undefined
    if (!hash.equals(kept.bodyHash)) {
      throw new ApiError(
        'idempotency_conflict',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      )
    }
    if (kept.status !== null && kept.answer !== null) return replayed(kept.status, kept.answer)
    return kept.messageId === null ? undefined : unfinished?.(kept.messageId)
  }

  return {
    async run(call, route, work, unfinished) {
      const key = call.req.headers['idempotency-key']
      if (key === undefined) return work(undefined)
      if (typeof key !== 'string' || !KEY.test(key)) {
        throw new ApiError('invalid_request', 'Idempotency-Key must have 1 to 255 printable characters.', {
          details: [{ field: 'Idempotency-Key', message: 'must have 1 to 255 printable characters' }],
        })
      }
      const scope = `${call.caller.key?.id ?? 'owner'} ${route}`
      const name = `${scope} ${key}`
      // Errors of the first call are its caller's; whoever waited looks for himself.
      for (let first = running.get(name); first !== undefined; first = running.get(name))
        await first.catch(() => undefined)
      const hash = createHash('sha256').update(call.raw).digest()
      const known = lookUp(scope, key, hash, unfinished)
      if (known !== undefined) return known
      const remember: Remember = (answer) => ({
        scope,
        key,
        bodyHash: hash,
        status: answer === null ? null : 200,
        answer: answer === null ? null : JSON.stringify(answer),
      })
      const first = work(remember)
      running.set(name, first)
      try {
        return await first
      } finally {
        running.delete(name)
      }
    },
  }
}
