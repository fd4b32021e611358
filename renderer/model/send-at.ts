import { DELAY_MAX_SECONDS } from '../../server/contract/send.ts'

export type SendAt = { at: string | undefined } | { wrong: 'over' | 'unread' }

/**
 * Reads a datetime-local field, in the browser's time zone. An empty field means now.
 * @param incomplete true if only a part of the time was typed; the field's value is empty then
 */
export function sendAt(typed: string, incomplete: boolean, now: number): SendAt {
  if (incomplete) return { wrong: 'unread' }
  if (typed === '') return { at: undefined }
  const at = new Date(typed)
  const ahead = at.getTime() - now
  if (Number.isNaN(ahead)) return { wrong: 'unread' }
  // The field has no seconds: the present minute means now.
  if (ahead < -60_000 || ahead > DELAY_MAX_SECONDS * 1_000) return { wrong: 'over' }
  return { at: at.toISOString() }
}

/** Returns an ISO time as the value of a datetime-local field. */
export function asTyped(at: string): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
