import { useRef } from 'react'
import { ApiError, type ErrorCode } from '../../server/contract/errors.ts'

/** Refusals after which a message may have left all the same, or may yet. */
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
 * Gives each message a key, under which Kurir sends it once: after an answer that was lost the
 * owner presses the button again. What was answered may be sent again.
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
