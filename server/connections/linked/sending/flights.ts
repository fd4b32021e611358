import type { WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import type { Outcome } from '../../../messages/channel.ts'
import { isUnread } from '../keys/sealed-keys.ts'
import { isDisconnect, reasonOf } from '../library/questions.ts'
import { watchFrame } from '../library/write-barrier.ts'

export interface Acknowledgement {
  kind: 'ack'
  /** Error code; undefined: the server has the message. */
  error: string | undefined
  /** Hash of the devices that the message should have been written to. */
  phash: string | undefined
  /** True if the recipient's LID is out of date. */
  refreshLid: boolean
}

/** Acknowledgement that follows from a recipient's receipt. */
export const ARRIVED: Acknowledgement = { kind: 'ack', error: undefined, phash: undefined, refreshLid: false }

/** How a stanza ended: WhatsApp's answer, or the outcome without one. */
export type Landing = Acknowledgement | Outcome

interface Pending {
  resolve(landing: Landing): void
  cancel(): void
  isWritten: boolean
  /** Set if the connection was lost before it was known whether the stanza had left. */
  lost?: Landing
}

/** Error codes that mean a problem of WhatsApp's server, not of the message. */
const TRY_AGAIN = new Set(['429', '500', '503', '552'])

/** Returns the outcome that an acknowledgement's error code stands for. Pure. */
export function outcomeOfAck(error: string | undefined): Outcome {
  if (error === undefined) return { kind: 'acknowledged' }
  if (error === '463') return { kind: 'refused', code: 'account_restricted', providerCode: error }
  if (TRY_AGAIN.has(error)) return { kind: 'not_sent', reason: `WhatsApp answered with ${error}` }
  return { kind: 'refused', code: 'refused_by_whatsapp', providerCode: error }
}

export type Flights = ReturnType<typeof createFlights>

/**
 * Tracks stanzas that are written and not acknowledged yet. Only the server's acknowledgement of a
 * stanza's id proves that the server has it, or a recipient's receipt (`ARRIVED`).
 * @param timeout time for an acknowledgement, in milliseconds
 * @param onSilence called when an acknowledgement is overdue and nothing else has arrived for a
 *   while
 */
export function createFlights(clock: Clock, timeout: number, onSilence: () => void) {
  const pending = new Map<string, Pending>()
  let receivedAt = Number.NEGATIVE_INFINITY
  const isSilent = (): boolean => clock.elapsed() - receivedAt >= timeout / 2

  function land(id: string, landing: Landing): boolean {
    const flight = pending.get(id)
    if (flight === undefined) return false
    pending.delete(id)
    flight.cancel()
    flight.resolve(landing)
    return true
  }

  return {
    received: (): void => {
      receivedAt = clock.elapsed()
    },
    /**
     * True if nothing at all has arrived for a while, so a missing answer does not concern one
     * query alone.
     */
    isSilent,
    /**
     * Resolves when the stanza lands. Call before the stanza is written, because the
     * acknowledgement may come before the write ends.
     */
    begin(id: string): Promise<Landing> {
      // A stanza may be written twice at a time, for example if a message is deleted twice. The
      // next landing then ends both flights.
      const before = pending.get(id)
      before?.cancel()
      return new Promise((done) => {
        const resolve = (landing: Landing): void => {
          before?.resolve(landing)
          done(landing)
        }
        pending.set(id, { resolve, cancel: () => undefined, isWritten: false })
      })
    },
    /**
     * Call when the stanza has left. Starts the timeout. If the connection is lost from here on, it
     * is unknown whether the stanza arrived.
     */
    written(id: string): void {
      const flight = pending.get(id)
      if (flight === undefined) return
      if (flight.lost !== undefined) return void land(id, flight.lost)
      flight.isWritten = true
      flight.cancel = clock.after(timeout, () => {
        const isLost = isSilent()
        land(id, { kind: 'unknown', reason: 'WhatsApp did not acknowledge in time', isLost })
        if (isLost) onSilence()
      })
    },
    /** Ends a flight. Returns false if there is no flight with this id. */
    land,
    /**
     * Ends all flights after the connection was lost. A stanza that is still being written lands
     * when its write shows whether it left.
     */
    lose(reason: string): void {
      const lost = { kind: 'unknown', reason, isLost: true } as const
      for (const [id, flight] of [...pending]) {
        if (flight.isWritten) land(id, lost)
        else flight.lost = lost
      }
    },
  }
}

/**
 * Writes one stanza. Resolves when it is written, although its frame may still be held
 * (write-barrier.ts). `landing` settles when the stanza is acknowledged, or when it is known that
 * the stanza did not leave.
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
 * Returns the outcome of a write that threw. The library saves its keys after the write, so only
 * errors that certainly come earlier prove that nothing left.
 */
function afterFailedWrite(error: unknown, isOpen: boolean): Outcome {
  if (isDisconnect(error) || isUnread(error)) return { kind: 'offline' }
  const reason = reasonOf(error)
  if (reason !== 'All encryptions failed') return { kind: 'unknown', reason }
  // Without a connection, this error says nothing about the recipient's keys.
  return isOpen ? { kind: 'not_sent', reason } : { kind: 'offline' }
}
