import type { WASocket } from 'baileys'
import type { Outcome } from '../../../messages/channel.ts'
import { isUnread } from '../keys/auth-state.ts'
import { isDisconnect, reasonOf } from '../library/errors.ts'
import { watchFrame } from '../library/write-barrier.ts'
import type { Flights, Landing } from './flights.ts'

/**
 * Writes one stanza. Resolves when it is written, though its frame may be held for a moment; it
 * lands when it is acknowledged, or when it is known that it did not leave.
 */
export async function launch(
  flights: Flights,
  sock: WASocket,
  id: string,
  write: () => Promise<unknown>,
): Promise<{ landing: Promise<Landing> }> {
  const landing = flights.begin(id)
  const whenLeft = watchFrame(sock)
  try {
    await write()
    void whenLeft().then((end) => {
      if (end === 'not_left') flights.land(id, { kind: 'offline' })
      else flights.written(id)
    })
  } catch (error) {
    flights.land(id, afterFailedWrite(error, sock.ws.isOpen))
  }
  return { landing }
}

/**
 * The library saves its keys after the write: an error that is not known to come before it proves
 * nothing.
 */
function afterFailedWrite(error: unknown, isOpen: boolean): Outcome {
  if (isDisconnect(error) || isUnread(error)) return { kind: 'offline' }
  const reason = reasonOf(error)
  if (reason !== 'All encryptions failed') return { kind: 'unknown', reason }
  // Without a connection that says nothing about the recipient's keys.
  return isOpen ? { kind: 'not_sent', reason } : { kind: 'offline' }
}
