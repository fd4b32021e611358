import { createServer, type Server, type Socket } from 'node:net'
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { PrinterProblem } from './contract.ts'

/** Bytes of a print: a receipt has a few thousand, its logo some ten thousand. */
export const MOST_BYTES = 512 * 1024
/** Kept of a larger one, so that the owner sees that it came. */
const BEGINNING = 16 * 1024
/** Read of one: a till that is cut off prints it again and again. */
const MOST_READ = 16 * 1024 * 1024
const MOST_CONNECTIONS = 8
const MOST_A_MINUTE = 60
/** A till that leaves its connection open has finished a print when it says nothing for so long. */
const IDLE = 3 * SECOND
/** The longest that one print may take. */
const LONGEST_PRINT = 30 * SECOND
/** The longest without a whole print before a connection may have to give way. */
const SLOW = 10 * SECOND
const LONGEST_IDLE = 5 * MINUTE
const TRY_AGAIN_AFTER = 30 * SECOND
const MOST_ANSWERS = 16

/** End of a print: by its till, by silence, or because its connection broke or had to give way. */
export type PrintEnd = 'closed' | 'silent' | 'broken'

/**
 * The raw printer port: programs of this PC connect, write a receipt, and go. It is never opened to
 * other PCs, and never speaks to a web page.
 * @param receive resolves when the prints are on disk, with how many they were, and how many of
 *   them are not broken off
 */
export function createPort(
  receive: (bytes: Buffer, end: PrintEnd) => Promise<{ prints: number; whole: number }>,
  clock: Clock,
  logger: Logger,
) {
  const open = new Set<Socket>()
  /** Connections in no print, with the time since when. */
  const silent = new Map<Socket, number>()
  /** Connections that brought bytes and no whole print yet, with the time since when. */
  const unfinished = new Map<Socket, number>()
  /** Connections that Kurir ended, whatever they were in. */
  const ended = new WeakSet<Socket>()
  const received: number[] = []
  const pauses = new Set<() => void>()
  let server: Server | undefined
  let problem: Exclude<PrinterProblem, 'full'> | null = null
  let stopRetry = (): void => {}
  /** Ends when everything that was taken is on disk. */
  let stored = Promise.resolve()

  /** Waits until the disk and the minute take another print. Nothing is read meanwhile. */
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

  /** Closes the connection that says or else finishes nothing for longest; false: none does. */
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
    // A till that is switched off in the middle is no fault of ours.
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
      // Nobody gives way while its print is brought to the disk.
      unfinished.delete(socket)
      // Nobody prints so much: no half of it is sent.
      const isTooLarge = size > MOST_BYTES
      const end = isTooLarge ? 'broken' : ending
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
      // A rest starts the ten seconds again.
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
        // A connection that failed is not the port.
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
    // A closed connection hands over the print that it was in the middle of.
    const gone = [...open].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of open) end(socket)
    await Promise.all(gone)
    if (closing?.listening) await new Promise<void>((resolve) => closing.close(() => resolve()))
  }

  return {
    /** Resolves when it is open, or known why it is not: it is tried again by itself then. */
    open: listen,
    /** Resolves when nobody is connected any more; what came may still wait for room. */
    close,
    /** Resolves when what came is on disk. */
    stored: () => stored,
    /** The port on which it listens. */
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
 * A browser lets any page call any port of this PC: a request is no receipt. The same with TLS,
 * which begins with these bytes.
 */
const isFromWebPage = (bytes: Buffer): boolean => {
  const start = bytes.toString('latin1', 0, LONGEST_METHOD)
  return METHODS.some((method) => start.startsWith(method)) || start.startsWith('\x16\x03')
}

/** Some tills ask first if there is paper, and print to nobody who is silent. */
function answerStatus(socket: Socket, chunk: Buffer): void {
  let answers = 0
  for (let at = chunk.indexOf(ASKS); at >= 0 && answers < MOST_ANSWERS; at = chunk.indexOf(ASKS, at + 2)) answers += 1
  if (answers > 0 && socket.writable && socket.writableLength < MOST_ANSWERS * 16)
    socket.write(Buffer.alloc(answers, READY))
}
const ASKS = Buffer.from([0x10, 0x04])
const READY = 0x12
