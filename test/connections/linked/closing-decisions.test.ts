import { describe, expect, test } from 'vitest'
import { type Closing, decideAfter, readClosing } from '../../../server/connections/linked/session/closing.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const never = { now: NOW, endTime: NOW, limitedAt: undefined }

// As rc14 makes them: `new Boom(message, { statusCode, data })`.
const boom = (statusCode: number, data?: unknown) => ({ output: { statusCode }, data })
const failure = (reason: number, more: Record<string, string> = {}) => boom(reason, { reason: `${reason}`, ...more })
const streamError = (code: number, child?: string, attrs: Record<string, string> = {}) =>
  boom(code, { tag: child ?? 'stream:error', attrs: child === undefined ? { code: `${code}` } : attrs })

describe('the error of the library is read', () => {
  test.each<[string, unknown, Closing]>([
    [
      'a failure with its attributes',
      failure(402, { code: '101', expire: '3600', location: 'rva' }),
      {
        by: 'failure',
        code: 402,
        attributes: { reason: '402', code: '101', expire: '3600', location: 'rva' },
        child: undefined,
      },
    ],
    [
      'a stream error with a child',
      streamError(440, 'conflict', { type: 'replaced' }),
      { by: 'stream-error', code: 440, attributes: { type: 'replaced' }, child: 'conflict' },
    ],
    [
      'a stream error without one',
      streamError(503),
      { by: 'stream-error', code: 503, attributes: {}, child: undefined },
    ],
    ['an error of the library', boom(408), { by: 'library', code: 408, attributes: {}, child: undefined }],
    [
      'an error of the line, whose data is another error',
      boom(428, new Error('socket hang up')),
      { by: 'library', code: 428, attributes: {}, child: undefined },
    ],
    ['a bare number', 1006, { by: 'library', code: 1006, attributes: {}, child: undefined }],
    ['nothing at all', undefined, { by: 'library', code: undefined, attributes: {}, child: undefined }],
  ])('%s', (_, error, closing) => {
    expect(readClosing(error)).toEqual(closing)
  })
})

const stop = (state: string, reason: string, more: object = {}) => ({
  ...{ next: 'stop', state, reason, detail: null, until: null, forget: false },
  ...more,
})
const backOff = (reason: string, detail: string | null = null) => ({ next: 'back-off', reason, detail })
const hourly = (detail: string | null) => ({ next: 'wait', waitMs: HOUR, reason: 'refused_by_whatsapp', detail })
const banned = (more: object) => stop('restricted', 'temporarily_banned', more)

describe('what a closing means', () => {
  test.each<[string, unknown, object]>([
    ['failure 400', failure(400), hourly('400')],
    ['failure 401', failure(401), stop('logged_out', 'unlinked_on_phone', { forget: true })],
    [
      'failure 402 with code and duration',
      failure(402, { code: '104', expire: '7200' }),
      banned({ detail: '104', until: NOW + 2 * HOUR }),
    ],
    ['failure 402 without either', failure(402), banned({ until: NOW + DAY })],
    ['failure 402 with no usable duration', failure(402, { expire: '-1' }), banned({ until: NOW + DAY })],
    ['failure 402 that is over at once', failure(402, { expire: '0' }), banned({ until: NOW + 60_000 })],
    [
      'failure 402 of a thousand years',
      failure(402, { code: '102', expire: '999999999' }),
      banned({ detail: '102', until: NOW + 365 * DAY }),
    ],
    [
      'failure 403 with words',
      failure(403, { logout_message_header: 'Akun dikunci', logout_message_subtext: 'Buka WhatsApp di ponsel' }),
      stop('restricted', 'locked', { detail: 'Akun dikunci\nBuka WhatsApp di ponsel' }),
    ],
    ['failure 403 without words', failure(403, { location: 'rva' }), stop('restricted', 'locked')],
    [
      'failure 403 with too many words',
      failure(403, { logout_message_header: 'x'.repeat(9_000) }),
      stop('restricted', 'locked', { detail: 'x'.repeat(500) }),
    ],
    ['failure 405', failure(405, { location: 'frc' }), { next: 'other-version', reason: 'protocol_outdated' }],
    ['failure 406', failure(406), stop('restricted', 'banned')],
    ...[409, 413, 414, 415, 418, 501, 599].map((code): [string, unknown, object] => [
      `failure ${code}`,
      failure(code),
      hourly(`${code}`),
    ]),
    ['failure 500', failure(500), backOff('whatsapp_unavailable', '500')],
    ['failure 503', failure(503), backOff('whatsapp_unavailable', '503')],
    [
      'stream error 401 with device_removed',
      streamError(401, 'conflict', { type: 'device_removed' }),
      stop('logged_out', 'unlinked_on_phone', { forget: true }),
    ],
    [
      'a conflict of type device_removed without a code',
      streamError(440, 'conflict', { type: 'device_removed' }),
      stop('logged_out', 'unlinked_on_phone', { forget: true }),
    ],
    ['stream error 516', streamError(516), stop('logged_out', 'unlinked_on_phone', { forget: true })],
    [
      'a conflict of type replaced',
      streamError(440, 'conflict', { type: 'replaced' }),
      stop('replaced', 'connected_elsewhere'),
    ],
    [
      'a conflict of another type',
      streamError(440, 'conflict', { type: 'new' }),
      backOff('connection_lost', 'conflict'),
    ],
    ['stream error 409', streamError(409), stop('replaced', 'connected_elsewhere')],
    ['stream error 405', streamError(405), { next: 'other-version', reason: 'protocol_outdated' }],
    [
      'stream error 429',
      streamError(429),
      { next: 'wait', waitMs: 5 * 60_000, reason: 'refused_by_whatsapp', detail: '429' },
    ],
    ['stream error 515', streamError(515), { next: 'at-once' }],
    ['stream error 500 for an ack', streamError(500, 'ack', { id: 'A' }), backOff('whatsapp_unavailable', 'ack')],
    ['stream error 503', streamError(503), backOff('whatsapp_unavailable', '503')],
    [
      'stream error of a broken frame',
      streamError(500, 'xml-not-well-formed'),
      backOff('whatsapp_unavailable', 'xml-not-well-formed'),
    ],
    ['stream error 403, whose reason the next login gives', streamError(403), backOff('connection_lost', '403')],
    ['a certificate of somebody else', boom(400), backOff('untrusted_server')],
    ['silence', boom(408), backOff('no_answer')],
    ['a line that broke', boom(428), backOff('connection_lost')],
    ['a 401 that is not WhatsApp’s', boom(401), backOff('connection_lost')],
    ['a 440 that is not WhatsApp’s', boom(440), backOff('connection_lost')],
    ['a number', 1006, backOff('connection_lost')],
    ['nothing', undefined, backOff('connection_lost')],
  ])('%s', (_, error, decision) => {
    expect(decideAfter(readClosing(error), never)).toEqual(decision)
  })

  test.each([
    [null, 'wait'],
    [1, 'stop'],
    [59_999, 'stop'],
    [60_000, 'wait'],
  ])('replaced, where nodes share the number, %s ms after the last time', (ago, what) => {
    const context = { ...never, replacedAt: ago === null ? null : NOW - ago }
    for (const error of [streamError(409), streamError(440, 'conflict', { type: 'replaced' })])
      expect(decideAfter(readClosing(error), context)).toMatchObject({ next: what, reason: 'connected_elsewhere' })
  })

  test.each([
    [1, 'removed_by_whatsapp'],
    [DAY - 1, 'removed_by_whatsapp'],
    [DAY, 'unlinked_on_phone'],
  ])('a device removed %i ms after a limit', (ago, reason) => {
    const context = { now: NOW, endTime: NOW, limitedAt: NOW - ago }
    for (const error of [failure(401), streamError(516), streamError(401, 'conflict', { type: 'device_removed' })]) {
      expect(decideAfter(readClosing(error), context)).toMatchObject({ state: 'logged_out', reason, forget: true })
    }
  })
})
