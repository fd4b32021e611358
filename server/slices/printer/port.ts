import { createServer, type Server, type Socket } from 'node:net'
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { PrinterProblem } from './contract.ts'

/** Most bytes of a print. A receipt has a few thousand, its logo some ten thousand. */
export const MOST_BYTES = 512 * 1024
/** Bytes kept of a larger print, so that the owner sees that it came. */
const BEGINNING = 16 * 1024
/** Bytes read of one print, because a till that is cut off earlier prints it again and again. */
const MOST_READ = 16 * 1024 * 1024
const MOST_CONNECTIONS = 8
const MOST_A_MINUTE = 60
/** On a connection that stays open, silence for this time ends a print. */
const IDLE = 3 * SECOND
const LONGEST_PRINT = 30 * SECOND
/** Longest time without a complete print before a connection may be closed to make room. */
const SLOW = 10 * SECOND
const LONGEST_IDLE = 5 * MINUTE
const TRY_AGAIN_AFTER = 30 * SECOND
const MOST_ANSWERS = 16

/**
 * How a print ended: its till closed the connection, fell silent, or the connection broke or was
 * closed to make room; `too_large`: only the beginning was kept.
 */
export type PrintEnd = 'closed' | 'silent' | 'broken' | 'too_large'

/**
 * Opens the raw printer port, to which programs of this PC connect to write receipts. The port is
 * never open to other PCs and never answers a web page.
 * @param receive resolves when the prints are on disk, with their number and the number of unbroken
 * ones
 */
export function createPort(
  receive: (bytes: Buffer, end: PrintEnd) => Promise<{ prints: number; whole: number }>,
  clock: Clock,
  logger: Logger,
) {
  const open = new Set<Socket>()
  /** Connections that are not in a print, with the time since when. */
  const silent = new Map<Socket, number>()
  /** Connections that sent bytes but no complete print yet, with the time since when. */
  const unfinished = new Map<Socket, number>()
  /** Connections that Kurir closed, perhaps in the middle of a print. */
  const ended = new WeakSet<Socket>()
  const received: number[] = []
  const pauses = new Set<() => void>()
  let server: Server | undefined
  let problem: Exclude<PrinterProblem, 'full'> | null = null
  let stopRetry = (): void => {}
  /** Settles when every print that was taken over is on disk. */
  let stored = Promise.resolve()

  /**
   * Waits until earlier prints are on disk and the rate limit allows another one. Connections are
   * not read meanwhile.
   */
  async function turn(): Promise<void> {
    await stored
    const since = clock.elapsed() - MINUTE
    while (received.length > 0 && (received[0] ?? 0) <= since) received.shift()
    const [first] = received
    if (first === undefined || received.length < MOST_A_MINUTE) return
    await new Promise<void>((resolve) => {
      const cancel = clock.after(Math.ceil(first - since), () => {
        pauses.delete(cancel)
        resolve()
      })
      pauses.add(cancel)
    })
    return turn()
  }

  /**
   * Closes the connection that has been silent longest or, if none was silent long enough, the one
   * that has gone longest without a complete print. Returns false if none qualifies.
   */
  function makeRoom(): boolean {
    const socket = longestIn(silent, IDLE) ?? longestIn(unfinished, SLOW)
    if (socket === undefined) return false
    forget(socket)
    end(socket)
    return true
  }

  function end(socket: Socket): void {
    ended.add(socket)
    socket.destroy()
  }

  function longestIn(sockets: ReadonlyMap<Socket, number>, atLeast: number): Socket | undefined {
    const [socket, since = 0] = [...sockets].toSorted(([, a], [, b]) => a - b)[0] ?? []
    return clock.elapsed() - since < atLeast ? undefined : socket
  }

  function forget(socket: Socket): void {
    open.delete(socket)
    silent.delete(socket)
    unfinished.delete(socket)
  }

  function serve(socket: Socket): void {
    let chunks: Buffer[] = []
    let size = 0
    let isKnown = false
    let stopTimers = (): void => {}
    // A till that is switched off in the middle of a print is no error.
    socket.on('error', () => undefined)
    if (open.size >= MOST_CONNECTIONS && !makeRoom()) {
      socket.destroy()
      return
    }
    open.add(socket)

    const listenOn = (): void => {
      if (socket.destroyed) return
      silent.set(socket, clock.elapsed())
      socket.resume()
    }
    const wait = (ms: number, then: () => void) => {
      stopTimers()
      stopTimers = clock.after(ms, then)
    }
    let began = 0

    function take(ending: PrintEnd): void {
      stopTimers()
      const since = unfinished.get(socket)
      // A connection is not closed to make room while its print is being stored.
      unfinished.delete(socket)
      // Too large for a receipt: keep its beginning for the owner, who sees that more came.
      const isTooLarge = size > MOST_BYTES
      const end = isTooLarge ? 'too_large' : ending
      const bytes = Buffer.concat(chunks).subarray(0, isTooLarge ? BEGINNING : undefined)
      ;[chunks, size] = [[], 0]
      if (bytes.length === 0) return
      if (isFromWebPage(bytes)) {
        socket.destroy()
        return
      }
      socket.pause()
      stored = stored.then(async () => {
        const { prints, whole } = await receive(bytes, end)
        for (let i = 0; i < prints; i += 1) received.push(clock.elapsed())
        if (whole === 0 && since !== undefined && open.has(socket)) unfinished.set(socket, since)
      })
      stored = stored.catch((error: unknown) => {
        logger.error({ err: error }, 'a print could not be kept')
        socket.destroy()
      })
      void turn().then(() => {
        if (socket.destroyed) return
        listenOn()
        wait(LONGEST_IDLE, () => socket.destroy())
      })
    }

    socket.on('data', (chunk: Buffer) => {
      const now = clock.elapsed()
      if (size === 0) began = now
      // After a pause of SLOW the connection gets the full time again.
      if (now - (silent.get(socket) ?? now) >= SLOW) unfinished.delete(socket)
      silent.delete(socket)
      if (!unfinished.has(socket)) unfinished.set(socket, now)
      size += chunk.length
      if (size <= MOST_BYTES) chunks.push(chunk)
      if (size > MOST_READ) {
        socket.destroy()
        return
      }
      if (!isKnown && size >= LONGEST_METHOD) {
        isKnown = true
        if (isFromWebPage(Buffer.concat(chunks))) {
          chunks = []
          socket.destroy()
          return
        }
      }
      answerStatus(socket, chunk)
      wait(Math.min(IDLE, LONGEST_PRINT - (now - began)), () => take('silent'))
    })
    socket.on('end', () => {
      take('closed')
      socket.end()
    })
    socket.on('close', (isReset) => {
      forget(socket)
      if (size > 0) take(isReset || ended.has(socket) ? 'broken' : 'silent')
      stopTimers()
    })
    wait(LONGEST_IDLE, () => socket.destroy())
    socket.pause()
    void turn().then(listenOn)
  }

  function listen(port: number): Promise<void> {
    const opened = createServer({ allowHalfOpen: true, pauseOnConnect: true }, serve)
    server = opened
    return new Promise((resolve) => {
      opened.on('error', (error: NodeJS.ErrnoException) => {
        logger.warn({ err: error, port }, 'the printer port failed')
        // A single failed connection does not concern the listening port.
        if (opened.listening) return
        problem = error.code === 'EADDRINUSE' ? 'port_taken' : 'port_refused'
        stopRetry = clock.after(TRY_AGAIN_AFTER, () => void listen(port))
        resolve()
      })
      opened.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        problem = null
        resolve()
      })
    })
  }

  async function close(): Promise<void> {
    stopRetry()
    for (const cancel of pauses) cancel()
    pauses.clear()
    problem = null
    const closing = server
    server = undefined
    // Closing a connection hands over the unfinished print that it had sent.
    const gone = [...open].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of open) end(socket)
    await Promise.all(gone)
    if (closing?.listening) await new Promise<void>((resolve) => closing.close(() => resolve()))
  }

  return {
    /** Resolves when the port is open or has failed to open; it is then retried automatically. */
    open: listen,
    /** Resolves when no connection is left; received prints may still wait for room on the disk. */
    close,
    stored: () => stored,
    address: (): number | null => {
      const address = server?.listening ? server.address() : null
      return typeof address === 'object' && address !== null ? address.port : null
    },
    problem: () => problem,
  }
}

const METHODS = ['GET ', 'POST ', 'PUT ', 'HEAD ', 'OPTIONS ', 'PATCH ', 'DELETE ', 'TRACE ', 'CONNECT ', 'PRI * ']
const LONGEST_METHOD = 8

/**
 * Returns true for an HTTP request or a TLS handshake: a browser lets any web page call any port of
 * this PC, and neither is a receipt.
 */
const isFromWebPage = (bytes: Buffer): boolean => {
  const start = bytes.toString('latin1', 0, LONGEST_METHOD)
  return METHODS.some((method) => start.startsWith(method)) || start.startsWith('\x16\x03')
}

/**
 * Answers status requests. Some tills first ask whether there is paper, and do not print to a
 * silent printer.
 */
function answerStatus(socket: Socket, chunk: Buffer): void {
  let answers = 0
  for (let at = chunk.indexOf(ASKS); at >= 0 && answers < MOST_ANSWERS; at = chunk.indexOf(ASKS, at + 2)) answers += 1
  if (answers > 0 && socket.writable && socket.writableLength < MOST_ANSWERS * 16)
    socket.write(Buffer.alloc(answers, READY))
}
const ASKS = Buffer.from([0x10, 0x04])
const READY = 0x12
