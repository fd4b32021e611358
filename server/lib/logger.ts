import pino, { type DestinationStream, type Logger } from 'pino'

export type { Logger }

/** The log of the whole program; it also remembers its newest lines, for the diagnostics file. */
export type RootLogger = Logger & { newestLines(): string[] }

const REMEMBERED = 500

/**
 * Structured log. Numbers and texts of customers are not logged above debug level by rule; names that could carry a
 * secret are cut out here in case one slips through.
 */
export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): RootLogger {
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
  const newest: string[] = []
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    },
    {
      write(line) {
        newest.push(line)
        if (newest.length > REMEMBERED) newest.shift()
        destination.write(line)
      },
    },
  )
  return Object.assign(logger, { newestLines: () => [...newest] })
}
