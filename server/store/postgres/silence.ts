import { Socket } from 'node:net'
import type pg from 'pg'

const LOOKED_EVERY = 500
// Three seconds. Looks are counted, not time: a program that stood still hears what came meanwhile
// before it looks again.
const SILENT_LOOKS = 6

/** One or several connections to the server. */
export interface Line {
  /** Bytes that have come from the server. */
  received(): number
  /** Ends all connections; what was asked fails. */
  hangUp(): void
}

export const receivedBy = ({ connection: { stream } }: { connection: pg.Connection }): number =>
  stream instanceof Socket ? stream.bytesRead : 0

/**
 * A server that is cut off says nothing, and TCP finds out after a quarter of an hour. The store
 * asks something every second; when not one byte comes on any connection for some seconds, all of
 * them end, so that nobody waits for an answer in vain.
 * @returns stops it
 */
export function endSilence(lines: readonly Line[]): () => void {
  let heard = 0
  let looks = 0
  const timer = setInterval(() => {
    const received = lines.reduce((sum, line) => sum + line.received(), 0)
    looks = received === heard ? looks + 1 : 0
    heard = received
    if (looks < SILENT_LOOKS) return
    looks = 0
    for (const line of lines) line.hangUp()
  }, LOOKED_EVERY)
  timer.unref()
  return () => clearInterval(timer)
}
