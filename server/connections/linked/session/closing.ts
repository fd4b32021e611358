import type { ConnectionState } from '../../../contract/senders.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'

/** How a connection ended, as far as the library shows it. */
export interface Closing {
  /**
   * Cause of the end: a `<failure>` at login, a `<stream:error>` later, or the library itself
   * (line, timeout, certificate).
   */
  by: 'failure' | 'stream-error' | 'library'
  code: number | undefined
  /** Attributes of a failure, or of a stream error's first child. */
  attributes: Readonly<Record<string, string>>
  /** The first child of a stream error, such as `conflict` or `ack`. */
  child: string | undefined
}

/** The library's own closing if nobody answers. */
export const NO_ANSWER: Closing = { by: 'library', code: 408, attributes: {}, child: undefined }

/** Facts on which the meaning of a closing depends. */
export interface ClosingContext {
  /** Milliseconds since 1970. */
  now: number
  /**
   * `now` or, shortly after a start, when Kurir was last open, because events while the PC was off
   * are judged by that time.
   */
  endTime: number
  /**
   * When WhatsApp last limited this number (lock, 402 or 463), in milliseconds since 1970;
   * undefined: never.
   */
  limitedAt: number | undefined
  /**
   * If nodes share the number: when a connection was last replaced, in milliseconds since 1970;
   * null: never. Undefined: only one program uses the number.
   */
  replacedAt?: number | null
}

/**
 * Decision after a closing. `reason` is a stable code that the owner's window translates, `detail`
 * WhatsApp's own words or code.
 */
export type ClosingDecision =
  /** WhatsApp asked for a new connection. */
  | { next: 'at-once' }
  /** The line or the server failed: connect again with back-off. */
  | { next: 'back-off'; reason: string; detail: string | null }
  /** WhatsApp refused this client: no attempt before `waitMs` are over. */
  | { next: 'wait'; waitMs: number; reason: string; detail: string | null }
  /** WhatsApp wants a newer version of its protocol. */
  | { next: 'other-version'; reason: 'protocol_outdated' }
  /** No attempt before `until`; null: none before the owner asks for one. */
  | {
      next: 'stop'
      state: Extract<ConnectionState, 'logged_out' | 'replaced' | 'restricted'>
      reason: string
      detail: string | null
      until: number | null
      /** True if the credentials are worthless. */
      forget: boolean
    }

/**
 * Wait after a replacement. A node that was frozen finds out within a second that another node has
 * taken over the number.
 */
const NODE_NOTICES = 5 * SECOND
const LONGEST_BAN = 365 * DAY
const LONGEST_DETAIL = 500

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter((entry): entry is [string, string] => {
      return typeof entry[1] === 'string'
    }),
  )

/**
 * Reads the error with which the library ends a connection. For a failure, `data` holds all
 * attributes; for a stream error, its first child, or the whole node if there is no child. The
 * library drops the children of a failure.
 */
export function readClosing(error: unknown): Closing {
  // The library ends some connections with a bare number.
  if (typeof error === 'number') return { by: 'library', code: error, attributes: {}, child: undefined }
  const { output, data } = isObject(error) ? error : {}
  const status = isObject(output) ? output.statusCode : undefined
  const code = typeof status === 'number' ? status : undefined
  if (isObject(data) && typeof data.tag === 'string') {
    const child = data.tag === 'stream:error' ? undefined : data.tag
    return { by: 'stream-error', code, attributes: child === undefined ? {} : textsOf(data.attrs), child }
  }
  if (isObject(data) && typeof data.reason === 'string') {
    return { by: 'failure', code, attributes: textsOf(data), child: undefined }
  }
  return { by: 'library', code, attributes: {}, child: undefined }
}

const stop = (
  state: Extract<ConnectionState, 'logged_out' | 'replaced' | 'restricted'>,
  reason: string,
  more: { detail?: string | null; until?: number; forget?: boolean } = {},
): ClosingDecision => ({
  next: 'stop',
  state,
  reason,
  detail: more.detail ?? null,
  until: more.until ?? null,
  forget: more.forget ?? false,
})

/**
 * Decides after another connection took this one's place. If nodes share the number, the first
 * replacement in a minute only causes a short wait, because a node that was frozen while it
 * connected may continue later and take the connection for a moment.
 */
const replaced = ({ now, replacedAt }: ClosingContext): ClosingDecision =>
  replacedAt === undefined || now - (replacedAt ?? Number.NEGATIVE_INFINITY) < MINUTE
    ? stop('replaced', 'connected_elsewhere')
    : { next: 'wait', waitMs: NODE_NOTICES, reason: 'connected_elsewhere', detail: null }

const backOff = (reason: string, detail: string | null = null): ClosingDecision => ({
  next: 'back-off',
  reason,
  detail,
})

/**
 * Decides after this device was removed. The owner and WhatsApp remove a device with the same
 * stanza; if WhatsApp limited the number shortly before, WhatsApp is the likelier one.
 */
function removed({ endTime, limitedAt }: ClosingContext): ClosingDecision {
  const byWhatsApp = limitedAt !== undefined && endTime - limitedAt < DAY
  return stop('logged_out', byWhatsApp ? 'removed_by_whatsapp' : 'unlinked_on_phone', { forget: true })
}

/**
 * Decides after a temporary ban. `expire` is a duration in seconds, not a time; if it is unusable,
 * a day. The wait is at least a minute, so that attempts do not become a loop.
 */
function banned({ code, expire }: Closing['attributes'], now: number): ClosingDecision {
  const given = /^\d{1,9}$/.test(expire ?? '') ? Number(expire) * SECOND : DAY
  return stop('restricted', 'temporarily_banned', {
    detail: code?.slice(0, LONGEST_DETAIL) ?? null,
    until: now + Math.min(Math.max(given, MINUTE), LONGEST_BAN),
  })
}

/** Returns WhatsApp's words about a lock, in the language of the phone; null: there are none. */
function lockWords(attributes: Closing['attributes']): string | null {
  const words = [attributes.logout_message_header, attributes.logout_message_subtext].filter((text) => text)
  return words.length === 0 ? null : words.join('\n').slice(0, LONGEST_DETAIL)
}

function afterFailure(closing: Closing, context: ClosingContext): ClosingDecision {
  switch (closing.code) {
    case 401:
      return removed(context)
    case 402:
      return banned(closing.attributes, context.now)
    case 403:
      return stop('restricted', 'locked', { detail: lockWords(closing.attributes) })
    case 405:
      return { next: 'other-version', reason: 'protocol_outdated' }
    case 406:
      return stop('restricted', 'banned')
    // The only failures after which WhatsApp's own clients come back by themselves.
    case 500:
    case 503:
      return backOff('whatsapp_unavailable', String(closing.code))
    default: {
      const detail = closing.code === undefined ? null : String(closing.code)
      return { next: 'wait', waitMs: HOUR, reason: 'refused_by_whatsapp', detail }
    }
  }
}

function afterStreamError(closing: Closing, context: ClosingContext): ClosingDecision {
  const { code, child, attributes } = closing
  // The library gives every conflict without a code 440, so only the type tells which one it is.
  if (child === 'conflict' && attributes.type === 'device_removed') return removed(context)
  if (child === 'conflict' && attributes.type === 'replaced') return replaced(context)
  switch (code) {
    case 401:
    case 516:
      return removed(context)
    case 405:
      return { next: 'other-version', reason: 'protocol_outdated' }
    case 409:
      return replaced(context)
    case 429:
      return { next: 'wait', waitMs: 5 * MINUTE, reason: 'refused_by_whatsapp', detail: '429' }
    case 515:
      return { next: 'at-once' }
    case 500:
    case 503:
      return backOff('whatsapp_unavailable', child ?? String(code))
    default:
      // If this means more than a lost connection, the failure at the next login says so, with its
      // attributes.
      return backOff('connection_lost', child ?? (code === undefined ? null : String(code)))
  }
}

/** Reasons for the library's own codes. */
const LIBRARY_REASONS: Readonly<Record<number, string>> = { 400: 'untrusted_server', 408: 'no_answer' }

/** Decides what the end of a connection means and when the next may begin. Pure. */
export function decideAfter(closing: Closing, context: ClosingContext): ClosingDecision {
  if (closing.by === 'failure') return afterFailure(closing, context)
  if (closing.by === 'stream-error') return afterStreamError(closing, context)
  return backOff(LIBRARY_REASONS[closing.code ?? 0] ?? 'connection_lost')
}
