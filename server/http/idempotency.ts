import { hash } from 'node:crypto'
import { type KnownCaller, keyOf } from '../access/keys.ts'
import { ApiError } from '../contract/errors.ts'
import { KEPT_FOR } from '../contract/idempotency.ts'
import { IdempotencyKeyInUse } from '../messages/accept.ts'
import type { IdempotencyRecord, IdempotencyStore } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { type Call, Reply } from './route.ts'

const KEY = /^[\x20-\x7e]{1,255}$/

/** Place of a call's kept answer. */
export type IdempotencySlot = Omit<IdempotencyRecord, 'answer'>

type IdempotentCall = Pick<Call<unknown, unknown, unknown, KnownCaller>, 'req' | 'raw' | 'caller'>

export interface Idempotency {
  /**
   * Runs `work` once per key, route and body; `work` writes its answer into the slot together with
   * what it does. The slot is undefined when the caller sent no key. `unfinished` makes the answer
   * for a call whose first one never ended.
   * @throws ApiError `idempotency_conflict`
   */
  run<T>(
    call: IdempotentCall,
    route: string,
    work: (slot: IdempotencySlot | undefined) => Promise<T>,
    unfinished?: (messageId: string) => Reply,
  ): Promise<T | Reply>
}

/** As text: parsed and written again, its numbers would lose digits. */
const replayed = (status: number, body: string): Reply => new Reply(status, body, { 'idempotent-replayed': 'true' })

/**
 * Header `Idempotency-Key`: a caller who did not get the answer may ask again without sending
 * twice.
 */
export function createIdempotency(store: IdempotencyStore, endTime: () => number): Idempotency {
  const running = new Map<string, Promise<unknown>>()

  /** The slot that a call names by its key. @throws ApiError `invalid_request` */
  function slotOf({ req, raw, caller }: IdempotentCall, route: string): IdempotencySlot | undefined {
    const key = req.headers['idempotency-key']
    if (key === undefined) return undefined
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw invalidRequest([fieldProblem('Idempotency-Key', 'not_printable', { max: 255 })])
    }
    return {
      scope: `${keyOf(caller)?.id ?? 'owner'} ${route}`,
      key,
      hash: hash('sha256', raw, 'buffer'),
      since: endTime() - KEPT_FOR,
    }
  }

  async function lookUp(slot: IdempotencySlot, unfinished?: (messageId: string) => Reply): Promise<Reply | undefined> {
    const kept = await store.find(slot, slot.since)
    if (kept === undefined) return undefined
    if (Buffer.compare(kept.hash, slot.hash) !== 0) {
      throw new ApiError(
        'idempotency_conflict',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      )
    }
    if (kept.answer !== null) return replayed(kept.answer.status, kept.answer.body)
    return kept.messageId === null ? undefined : unfinished?.(kept.messageId)
  }

  async function runOnce<T>(
    slot: IdempotencySlot,
    work: (slot: IdempotencySlot) => Promise<T>,
    unfinished?: (messageId: string) => Reply,
  ): Promise<T | Reply> {
    const known = await lookUp(slot, unfinished)
    if (known !== undefined) return known
    try {
      return await work(slot)
    } catch (error) {
      if (!(error instanceof IdempotencyKeyInUse)) throw error
      const other = await lookUp(slot, unfinished)
      if (other !== undefined) return other
      throw new ApiError('idempotency_conflict', 'Another call with this Idempotency-Key is under way. Try again.')
    }
  }

  /** Calls with the same key come one after the other. */
  async function runInTurn<T>(
    slot: IdempotencySlot,
    work: (slot: IdempotencySlot) => Promise<T>,
    unfinished?: (messageId: string) => Reply,
  ): Promise<T | Reply> {
    const name = `${slot.scope} ${slot.key}`
    // If the first call fails, those that waited for it look up the stored result themselves.
    for (let first = running.get(name); first !== undefined; first = running.get(name))
      await first.catch(() => undefined)
    const answer = runOnce(slot, work, unfinished)
    running.set(name, answer)
    try {
      return await answer
    } finally {
      running.delete(name)
    }
  }

  return {
    run(call, route, work, unfinished) {
      const slot = slotOf(call, route)
      return slot === undefined ? work(undefined) : runInTurn(slot, work, unfinished)
    },
  }
}
