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
  /** Position of the next part. */
  position: string
  /** Count of lines since the position before that are not remembered any more. */
  lost: number
}

/** The log of the whole program; it also remembers its newest lines. */
export type RootLogger = Logger & {
  /** @param position of the part before; undefined or of another start: from the oldest line */
  linesAfter(position?: string): LogPart
}

const REMEMBERED = 500
const WARNING = 40
// Lines that a slow reader has not taken; beyond that they are dropped.
const MOST_WAITING = 1024 * 1024

/**
 * Structured log. Numbers and texts of customers are not logged above debug level by rule; names
 * that could carry a secret are cut out here in case one slips through. Of an error that comes
 * again and again one line a minute is written, with the count of the others: a full disk must not
 * be filled with the news of it.
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
 * Lines with the same text and error are of one kind; null: each is written, for somebody looks for
 * its `incident`.
 */
function kindOf(fields: unknown, text: unknown): string | null {
  if (typeof fields !== 'object' || fields === null || 'incident' in fields) return null
  const error = 'err' in fields && fields.err instanceof Error ? fields.err.message : ''
  return error === '' ? null : `${String(text)} ${error}`
}

const MOST_KINDS = 200

/** Verdict on a line: write it with the count of equal lines left out; null: count it only. */
export type Verdict = { repeated: number } | null

/**
 * Lets one line of a kind through each minute, and counts the others.
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
 * Writes lines to a file descriptor and never throws, ends or stops the program for it: a line that
 * a full disk or a reader that is gone does not take is lost. (Pino's own destination tries again
 * for ever where a disk is full.)
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

/** Without waiting for the reader: one that hangs must not hang the program. */
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
