import type { WASocket } from 'baileys'
import type { WebSocket } from 'ws'

/** Held frames after which other work gets a turn: a few milliseconds of sealing. */
const AT_A_STRETCH = 4

/** A write to disk, or a frame that must not leave before the writes ahead of it are done. */
type Waiting = { isOnDisk: boolean } | { go(): void; lost(): void }

export type WriteBarrier = ReturnType<typeof createWriteBarrier>

/**
 * Stands between the library and the network: a step of a session must be on disk before the frame
 * that was sealed with it leaves (see signal-repository.ts). The library does not wait for the
 * disk. It prepares the next messages meanwhile, so that their steps share a commit
 * (docs/decisions/0012-signal-keys.md).
 * @param onLost called if a write failed; the frames behind it are dropped
 */
export function createWriteBarrier(onLost: () => void) {
  let waiting: Waiting[] = []
  let isClosed = false

  function advance(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if ('isOnDisk' in first && !first.isOnDisk) return
      waiting.shift()
      if ('go' in first) first.go()
    }
  }

  function close(): void {
    isClosed = true
    const left = waiting
    waiting = []
    for (const each of left) if ('lost' in each) each.lost()
  }

  return {
    /** Holds all later frames until this write is on disk. */
    hold(write: Promise<unknown>): void {
      const entry = { isOnDisk: false }
      if (!isClosed) waiting.push(entry)
      write.then(
        () => {
          entry.isOnDisk = true
          advance()
        },
        () => {
          close()
          onLost()
        },
      )
    },
    /**
     * Calls `go` once every write that began earlier is on disk, in the order of these calls. Calls
     * `lost` instead if one of those writes fails or the barrier is closed.
     */
    after(go: () => void, lost: () => void): void {
      if (isClosed) lost()
      else if (waiting.length === 0) go()
      else waiting.push({ go, lost })
    },
    /** True if `after` would wait. */
    isHolding: (): boolean => isClosed || waiting.length > 0,
    /** Drops everything that waits, and everything that comes later. */
    close,
  }
}

/** How many frames of a socket were written to the barrier, and how many have left. */
interface Frames {
  barrier: WriteBarrier
  written: number
  left: number
}

const framesOf = new WeakMap<WASocket, Frames>()

/**
 * Makes the frames of a new socket wait for the barrier. The library encrypts a frame and passes it
 * to `ws` without a pause (`sendRawMessage`), so frames arrive here in the order of their counter.
 * A held frame is reported to the library as written at once, because the library would not prepare
 * the next one before that.
 */
export function holdFrames(sock: WASocket, barrier: WriteBarrier): void {
  const frames: Frames = { barrier, written: 0, left: 0 }
  framesOf.set(sock, frames)
  const { socket } = sock.ws as unknown as { socket: WebSocket }
  const send = socket.send.bind(socket)
  let held = 0
  Object.assign(socket, {
    send(frame: Uint8Array, done: (error?: Error) => void): void {
      frames.written += 1
      const isHeld = barrier.isHolding()
      const ignore = () => undefined
      const leave = () => {
        frames.left += 1
        // The library was told already that a held frame is written. If writing it fails, the
        // connection ends.
        send(frame, isHeld ? ignore : done)
      }
      barrier.after(leave, ignore)
      if (!isHeld) return
      held += 1
      if (held % AT_A_STRETCH === 0) setImmediate(done)
      else done()
    },
  })
}

/**
 * Watches the next frame that is written after this call. Call the returned function once that
 * frame is written. It resolves with `left` when the frame has left. If the connection ends first,
 * it resolves with `not_left`, or with `unknown` if the frame may have left.
 */
export function watchFrame(sock: WASocket): () => Promise<'left' | 'not_left' | 'unknown'> {
  const frames = framesOf.get(sock)
  if (frames === undefined) return async () => 'left'
  const before = frames.written
  return () =>
    new Promise((resolve) => {
      // Frames leave in order. If no frame has left since this one, this one has not left either.
      const lost = () => resolve(frames.left > before ? 'unknown' : 'not_left')
      frames.barrier.after(() => resolve('left'), lost)
    })
}
