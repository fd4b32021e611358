import { randomUUID } from 'node:crypto'
import { fstatSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import pino, { type DestinationStream, type Logger } from 'pino'
import { createBoundedMap } from './bounded-map.ts'
import { MINUTE } from './clock.ts'

export type { Logger }

/** Lines of the log, oldest first. */
export interface LogPart {
  lines: string[]
  /** Position of the next part, for `linesAfter`. */
  position: string
  /**
   * Count of lines after the given position that were dropped from memory before they were read.
   */
  lost: number
}

/** The log of the whole program; it also remembers its newest lines. */
export type RootLogger = Logger & {
  /**
   * @param position from the part before. If it is missing or belongs to another start, the part
   *   begins with the oldest line.
   */
  linesAfter(position?: string): LogPart
}

const REMEMBERED = 500
const WARNING = 40
// Bytes that wait for a slow reader. Further lines are dropped.
const MOST_WAITING = 1024 * 1024

/**
 * Creates the structured log. By rule, customers' numbers and texts are logged at debug level at
 * most; fields whose names suggest a secret are hidden here in case one slips through. An error
 * that repeats is logged once a minute, with the count of the lines left out, because a full disk
 * must not be filled with reports of itself.
 */
export function createLogger(
  level: string,
  destination: DestinationStream = createLogOutput(1),
  elapsed: () => number = () => performance.now(),
): RootLogger {
  const names = [
    'authorization',
    'cookie',
    'key',
    'secret',
    'token',
    'access_token',
    'app_secret',
    'verify_token',
    'password',
  ]
  const start = randomUUID()
  const newest: string[] = []
  let written = 0
  const verdictOn = createRepeatedLines(elapsed)
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      hooks: {
        logMethod(args, method, lineLevel) {
          const [fields, ...rest] = args as unknown[]
          const kind = lineLevel >= WARNING ? kindOf(fields, rest[0]) : null
          const verdict = kind === null ? { repeated: 0 } : verdictOn(kind)
          if (verdict === null) return
          if (verdict.repeated === 0) method.apply(this, args)
          else method.apply(this, [{ ...Object(fields), repeated: verdict.repeated }, ...rest] as typeof args)
        },
      },
    },
    {
      write(line) {
        newest.push(line)
        written += 1
        if (newest.length > REMEMBERED) newest.shift()
        destination.write(line)
      },
    },
  )

  function linesAfter(position = ''): LogPart {
    const [ofStart, count] = position.split('.')
    const oldest = written - newest.length
    const from = ofStart === start ? Math.min(Number(count), written) : oldest
    return {
      lines: newest.slice(Math.max(0, from - oldest)),
      position: `${start}.${written}`,
      lost: Math.max(0, oldest - from),
    }
  }

  return Object.assign(logger, { linesAfter })
}

/**
 * Returns the key by which repeated lines are recognised: their text and error. Null: the line is
 * always written, because it has no error, or has an `incident` that somebody may look up.
 */
function kindOf(fields: unknown, text: unknown): string | null {
  if (typeof fields !== 'object' || fields === null || 'incident' in fields) return null
  const error = 'err' in fields && fields.err instanceof Error ? fields.err.message : ''
  return error === '' ? null : `${String(text)} ${error}`
}

const MOST_KINDS = 200

/**
 * Verdict on a line: write it, with the number of equal lines left out before it. Null: count it
 * only.
 */
export type Verdict = { repeated: number } | null

/**
 * Lets one line of each kind through per minute, and counts the others.
 * @param elapsed milliseconds, without jumps
 */
function createRepeatedLines(elapsed: () => number): (kind: string) => Verdict {
  const kinds = createBoundedMap<string, { since: number; held: number }>(MOST_KINDS)
  return (kind) => {
    const now = elapsed()
    const known = kinds.get(kind)
    if (known !== undefined && now - known.since < MINUTE) {
      known.held += 1
      return null
    }
    kinds.set(kind, { since: now, held: 0 })
    return { repeated: known?.held ?? 0 }
  }
}

/**
 * Writes lines to a file descriptor. Never throws, and never ends or blocks the program: lines that
 * a full disk or a closed pipe does not take are lost. (Pino's own destination retries for ever if
 * the disk is full.)
 */
export function createLogOutput(fd: number): DestinationStream {
  return isPipe(fd) ? toPipe(fd) : toFile(fd)
}

function isPipe(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}

function toFile(fd: number): DestinationStream {
  return {
    write(line) {
      try {
        writeSync(fd, line)
      } catch {}
    },
  }
}

/**
 * Writes to a pipe without waiting for its reader, because a reader that hangs must not hang the
 * program.
 */
function toPipe(fd: number): DestinationStream {
  const socket = new Socket({ fd, readable: false, writable: true })
  let isOpen = true
  socket.on('error', () => {
    isOpen = false
  })
  socket.unref()
  return {
    write(line) {
      if (isOpen && socket.writableLength < MOST_WAITING) socket.write(line)
    },
  }
}
