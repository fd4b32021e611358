import type { IncomingMessage } from 'node:http'
import { provedBy } from '../lib/proof.ts'

/** The way by which an owner calls; a window by the id of its session. */
export type OwnerWay = { by: 'window'; session: string } | { by: 'command_line' | 'token' }

/** Header of a request that a node passes on: it is as secret as the proof that comes with it. */
export const FORWARDED = 'x-kurir-forwarded'
const WINDOW = 'window '

/** @param session of the caller; null where it has none */
export function ownerWay(session: string | null, req: IncomingMessage): OwnerWay {
  if (session !== null) return { by: 'window', session }
  if (provedBy(req) === undefined) return { by: 'token' }
  const told = String(req.headers[FORWARDED] ?? '')
  if (told.startsWith(WINDOW)) return { by: 'window', session: told.slice(WINDOW.length) }
  return { by: told === 'token' ? 'token' : 'command_line' }
}

export const forwardedBy = (way: OwnerWay): string => (way.by === 'window' ? WINDOW + way.session : way.by)
