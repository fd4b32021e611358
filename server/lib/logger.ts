import pino, { type DestinationStream, type Logger } from 'pino'

export type { Logger }

/**
 * Structured log. Numbers and texts of customers are not logged above debug level by rule; names that could carry a
 * secret are cut out here in case one slips through.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
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
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    },
    destination ?? pino.destination(1),
  )
}
