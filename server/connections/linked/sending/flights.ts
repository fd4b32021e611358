import type { WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import type { Outcome } from '../../../messages/channel.ts'
import { isUnread } from '../keys/sealed-keys.ts'
import { isDisconnect, reasonOf } from '../library/questions.ts'
import { watchFrame } from '../library/write-barrier.ts'

/** WhatsApp's server has the message, or says why not. */
export interface Acknowledgement {
  kind: 'ack'
  /** Undefined: it has it. */
  error: string | undefined
  /** A hash of the devices that it should have been written to. */
  phash: string | undefined
  /** The recipient's LID is an old one. */
  refreshLid: boolean
}

/** As the receipt of whoever got the stanza says. */
export const ARRIVED: Acknowledgement = { kind: 'ack', error: undefined, phash: undefined, refreshLid: false }

/** How a stanza ended: acknowledged in whatever way, or not. */
export type Landing = Acknowledgement | Outcome

interface Pending {
  resolve(landing: Landing): void
  cancel(): void
  isWritten: boolean
  /** The connection was lost before it was known whether the stanza had left. */
  lost?: Landing
}

/** Error codes by which WhatsApp's server says that it is unwell, not that the message is wrong. */
const TRY_AGAIN = new Set(['429', '500', '503', '552'])

/** Outcome of an acknowledgement; `error` is its code. Pure. */
export function outcomeOfAck(error: string | undefined): Outcome {
  if (error === undefined) return { kind: 'acknowledged' }
  if (error === '463') return { kind: 'refused', code: 'account_restricted', providerCode: error }
  if (TRY_AGAIN.has(error)) return { kind: 'not_sent', reason: `WhatsApp answered with ${error}` }
  return { kind: 'refused', code: 'refused_by_whatsapp', providerCode: error }
}

export type Flights = ReturnType<typeof createFlights>

/**
 * Stanzas that were written and not acknowledged yet. Only the server's acknowledgement of their id
 * counts.
 * @param timeout milliseconds
 * @param onSilence an acknowledgement was due, and nothing at all was received for a while
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
     * Nothing came over the line for a while: a question that found no answer was not the only one.
     */
    isSilent,
    /** Begin before the stanza is written: the acknowledgement may be faster than the write. */
    begin(id: string): Promise<Landing> {
      // Written twice at a time, as when a message is deleted twice: what lands lands for both.
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
     * From here on its acknowledgement is waited for, and a lost connection leaves open whether it
     * arrived.
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
    /** Returns whether it was still waited for. */
    land,
    /** Ends all flights; one that is being written learns from its write whether it left. */
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
