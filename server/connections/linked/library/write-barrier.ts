import type { WASocket } from 'baileys'
import type { WebSocket } from 'ws'

/** Frames held before the rest of the program gets its turn: a few milliseconds of work. */
const AT_A_STRETCH = 4

/** A write, or what must not overtake it. */
type Waiting = { isOnDisk: boolean } | { go(): void; lost(): void }

export type WriteBarrier = ReturnType<typeof createWriteBarrier>

/**
 * Between the library and the network: a step of a session must be on disk before the frame that
 * was sealed with it leaves (see signal-repository.ts). The library does not wait for that. It
 * prepares the next messages meanwhile, so that their steps share a commit
 * (docs/decisions/0012-signal-keys.md).
 * @param onLost a write failed: what waited for it is lost
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
    /** Holds later frames until this write is on disk. */
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
     * Calls `go` when every write that was begun before is on disk, in the order of these calls, or
     * else `lost`.
     */
    after(go: () => void, lost: () => void): void {
      if (isClosed) lost()
      else if (waiting.length === 0) go()
      else waiting.push({ go, lost })
    },
    /** True if `after` would wait. */
    isHolding: (): boolean => isClosed || waiting.length > 0,
    /** Nothing goes on any more. */
    close,
  }
}

/** The frames of a socket, counted. */
interface Frames {
  barrier: WriteBarrier
  written: number
  left: number
}

const framesOf = new WeakMap<WASocket, Frames>()

/**
 * Has the frames of a new socket wait for the barrier. The library encrypts a frame and gives it to
 * `ws` in one go (`sendRawMessage`), so that they come in the order of their counter. A held one
 * counts as written for it at once: it would prepare no other one before.
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
        // That a held one could not be written shows in the end of the connection.
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
 * Watches a frame that is written after this call. Call what it returns once it is written.
 * Resolves with `left`, or, when the connection ends before, with whether it may have left.
 */
export function watchFrame(sock: WASocket): () => Promise<'left' | 'not_left' | 'unknown'> {
  const frames = framesOf.get(sock)
  if (frames === undefined) return async () => 'left'
  const before = frames.written
  return () =>
    new Promise((resolve) => {
      // They leave in their order: where none of those since then did, it did not either.
      const lost = () => resolve(frames.left > before ? 'unknown' : 'not_left')
      frames.barrier.after(() => resolve('left'), lost)
    })
}
