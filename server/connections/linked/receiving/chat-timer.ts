import { proto, type WAMessage } from 'baileys'
import { TIMERS } from '../library/bounds.ts'

/** Messages of a chat disappear after a time. */
export interface ChatTimer {
  /** Null: they stay. */
  seconds: number | null
  /** In seconds since 1970. */
  setAt: number
}

/**
 * A message says whether its chat's messages disappear, and so does the one that changes it; when,
 * at the latest now. Pure.
 */
export function timerIn({ message, messageTimestamp }: WAMessage): ChatTimer | undefined {
  const now = Number(messageTimestamp ?? 0)
  const change = message?.protocolMessage
  if (change?.type === proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING) {
    const seconds = change.ephemeralExpiration || null
    return seconds === null || TIMERS.has(seconds) ? { seconds, setAt: now } : undefined
  }
  for (const part of Object.values(message ?? {})) {
    const context = (part as { contextInfo?: proto.IContextInfo | null } | null)?.contextInfo
    const seconds = context?.expiration
    if (!seconds) continue
    const setAt = Number(context?.ephemeralSettingTimestamp ?? 0) || now
    return TIMERS.has(seconds) ? { seconds, setAt: Math.min(setAt, now) } : undefined
  }
  return undefined
}
