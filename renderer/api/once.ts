import { useRef } from 'react'
import { ApiError, type ErrorCode } from '../../server/contract/errors.ts'

/** Errors after which the message may have been sent nevertheless, or may still be. */
const UNSETTLED: ReadonlySet<ErrorCode> = new Set([
  'internal_error',
  'provider_timeout',
  'storage_unavailable',
  'idempotency_conflict',
])

const isSettled = (error: unknown) => error instanceof ApiError && !UNSETTLED.has(error.code)

// A page over plain HTTP has no randomUUID.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

/**
 * Returns a function that sends a message with an Idempotency-Key. If an answer is lost and the
 * owner presses the button again, the key is the same, so that Kurir sends the message once. After
 * an answer the same message gets a new key.
 */
export function useOnce() {
  const open = useRef<{ what: string; key: string }>(undefined)
  return async <T>(what: unknown, send: (key: string) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(what)
    if (open.current?.what !== text) open.current = { what: text, key: newKey() }
    try {
      const answer = await send(open.current.key)
      open.current = undefined
      return answer
    } catch (error) {
      if (isSettled(error)) open.current = undefined
      throw error
    }
  }
}
