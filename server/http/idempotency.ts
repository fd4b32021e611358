import { hash } from 'node:crypto'
import { ANSWER_KEPT_FOR, ApiError } from '../contract/errors.ts'
import { IdempotencyKeyInUse } from '../messages/accept.ts'
import type { IdempotencySlot, IdempotencyStore } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { type KnownCaller, keyOf } from './keys.ts'
import { type Call, Reply } from './route.ts'

const KEY = /^[\x20-\x7e]{1,255}$/

export interface Idempotency {
  store: IdempotencyStore
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
  /** Running calls, by scope and key. */
  running: Map<string, Promise<unknown>>
}

type IdempotentCall = Call<unknown, unknown, unknown, KnownCaller>
type Work<T> = (slot: IdempotencySlot) => Promise<T>
type Unfinished = ((messageId: string) => Reply) | undefined

/**
 * Runs `work` once per key (header `Idempotency-Key`), route and body, so that a caller who did not
 * get the answer may repeat the call without sending twice.
 * @param work writes its answer into the slot together with its effects; the slot is undefined if
 *   the caller sent no key
 * @param unfinished makes the answer to a repeated call whose first call never ended
 * @throws ApiError `idempotency_conflict`, `invalid_request`
 */
export function runOnce<T>(
  idempotency: Idempotency,
  call: IdempotentCall,
  route: string,
  work: (slot: IdempotencySlot | undefined) => Promise<T>,
  unfinished?: Unfinished,
): Promise<T | Reply> {
  const slot = slotOf(idempotency, call, route)
  return slot === undefined ? work(undefined) : runInTurn(idempotency, slot, work, unfinished)
}

/** Returns the slot of a call's key; undefined: no key. @throws ApiError `invalid_request` */
export function slotOf(
  { endTime }: Idempotency,
  { req, raw, caller }: IdempotentCall,
  route: string,
): IdempotencySlot | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidRequest([fieldProblem('Idempotency-Key', 'not_printable', { max: 255 })])
  }
  return {
    scope: `${keyOf(caller)?.id ?? 'owner'} ${route}`,
    key,
    hash: hash('sha256', raw, 'buffer'),
    since: endTime() - ANSWER_KEPT_FOR,
  }
}

/** Runs calls with the same key one after the other. */
async function runInTurn<T>(
  idempotency: Idempotency,
  slot: IdempotencySlot,
  work: Work<T>,
  unfinished: Unfinished,
): Promise<T | Reply> {
  const { running, store } = idempotency
  const name = `${slot.scope} ${slot.key}`
  // If the first call fails, the calls that waited look up the stored result themselves.
  for (let first = running.get(name); first !== undefined; first = running.get(name)) await first.catch(() => undefined)
  const answer = runUnlessKept(store, slot, work, unfinished)
  running.set(name, answer)
  try {
    return await answer
  } finally {
    running.delete(name)
  }
}

async function runUnlessKept<T>(
  store: IdempotencyStore,
  slot: IdempotencySlot,
  work: Work<T>,
  unfinished: Unfinished,
): Promise<T | Reply> {
  const known = await lookUp(store, slot, unfinished)
  if (known !== undefined) return known
  try {
    return await work(slot)
  } catch (error) {
    if (!(error instanceof IdempotencyKeyInUse)) throw error
    const other = await lookUp(store, slot, unfinished)
    if (other !== undefined) return other
    throw new ApiError('idempotency_conflict', 'Another call with this Idempotency-Key is under way. Try again.')
  }
}

/** @throws ApiError if the key was used with another body */
export function refuseOtherBody(kept: { hash: Uint8Array }, slot: IdempotencySlot): void {
  if (Buffer.compare(kept.hash, slot.hash) === 0) return
  throw new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was used with another body. Use a new key for a new message.',
  )
}

async function lookUp(
  store: IdempotencyStore,
  slot: IdempotencySlot,
  unfinished: Unfinished,
): Promise<Reply | undefined> {
  const kept = await store.find(slot, slot.since)
  if (kept === undefined) return undefined
  refuseOtherBody(kept, slot)
  if (kept.answer !== null) {
    // Stays text: parsing and writing it again would lose digits of its numbers.
    return new Reply(kept.answer.status, kept.answer.body, { 'idempotent-replayed': 'true' })
  }
  return kept.messageId === null ? undefined : unfinished?.(kept.messageId)
}
