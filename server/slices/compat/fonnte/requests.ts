import { setImmediate } from 'node:timers/promises'
import type { ApiError } from '../../../contract/errors.ts'
import { isGroupId, lacksZero, normalisePhone } from '../../../contract/phone.ts'
import { MESSAGE_MAX, type SendRequest } from '../../../contract/send.ts'
import { refuseMuchJson } from '../../../http/body.ts'
import { createCallReader } from '../../../http/read-call.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'
import { AT_A_STRETCH, inWordsOf, MOST_NUMBERS, type Names, readSend, splitNumbers, withoutSuffix } from '../sending.ts'
import { type FonnteMessage, type FonnteSendRequest, fonnteMessage } from './contract.ts'

const COUNTRY = '62'

export const FONNTE_NAMES: Names = {
  phone: 'target',
  group: 'target',
  file: 'url',
  file_id: 'file',
  send_at: 'schedule',
}

/** Fonnte's reasons for a wrong field (docs.fonnte.com, "API Send Message"). */
const REASONS: Readonly<Record<string, string>> = {
  target: 'target invalid',
  url: 'url invalid',
  file: 'url invalid',
  data: 'JSON format invalid',
}

/** Returns Fonnte's words for an error, or undefined if it has none. Pure. */
export function fonnteReason({ code, extras }: ApiError): string | undefined {
  if (code === 'missing_api_key' || code === 'invalid_api_key') return 'token invalid'
  if (code === 'invalid_json') return 'JSON format invalid'
  if (code !== 'invalid_request') return undefined
  // Fields of an entry of `data` begin with its index: `3.target`.
  const field = extras.details?.[0]?.field.replace(/^\d+\./, '')
  return REASONS[field ?? ''] ?? 'input invalid'
}

interface Target {
  /** The recipient as fields of /send. An international number begins with +. */
  to: { phone: string } | { group: string }
  /** Values for `{name}`, `{var1}`, `{var2}`, … */
  variables: string[]
}

export interface Targets {
  good: Target[]
  /** Refused targets as the caller wrote them, each with the end of a sentence that says why. */
  bad: { written: string; why: string }[]
}

/** Puts the country, as Fonnte does, before a number that begins with neither it nor 0. Pure. */
function withCountry(number: string, country: string): string {
  const digits = number.replace(/[\s.()-]/g, '')
  return /^[1-9]/.test(digits) && !digits.startsWith(country) ? country + digits : number
}

/**
 * True if the leading + of a number has become a blank, as in a form whose values were not escaped.
 * A blank may also precede an Indonesian number that lost its 0, which had no +. Pure.
 */
const hasLostPlus = (text: string, number: string, country: string | null): boolean =>
  country === COUNTRY && /^ [1-9]/.test(text) && /^[1-9]/.test(number) && !lacksZero(number, country)

/** Reads the targets of a message. @throws ApiError `invalid_request` */
export function targetsOf(text: string, countryCode: string | undefined): Targets {
  const written = splitNumbers(text, ',', 'target')
  const code = (countryCode || COUNTRY).replace(/\D/g, '')
  const country = code === '' || code === '0' ? null : code
  const targets: Targets = { good: [], bad: [] }
  for (const each of written) {
    const [number = '', ...variables] = each.split('|').map((part) => part.trim())
    const plain = `${hasLostPlus(text, number, country) ? '+' : ''}${withoutSuffix(number)}`
    const isInternational = country !== null || plain.startsWith('+')
    const read = normalisePhone(country === null ? plain : withCountry(plain, country), country)
    if (isGroupId(number)) targets.good.push({ to: { group: number }, variables })
    else if (read.ok) targets.good.push({ to: { phone: `${isInternational ? '+' : ''}${read.phone}` }, variables })
    else {
      const none = read.problem === 'no_country_code' ? ': begin it with its country, or leave countryCode out' : ''
      targets.bad.push({ written: number, why: `target invalid${none}` })
    }
  }
  return targets
}

/**
 * Returns the text for one target: replaces `{name}`, `{var1}`, … with the values after its number.
 * Placeholders without a value stay.
 * @throws ApiError `invalid_request` if the values are too long, before the text is built
 */
export function fillIn(message: string, variables: readonly string[]): string {
  let filled = 0
  return message.replace(/\{(name|var(\d{1,3}))\}/g, (whole, _name, n: string | undefined) => {
    const value = variables[n === undefined ? 0 : Number(n)] ?? whole
    filled += value.length
    if (filled > MESSAGE_MAX) throw invalidRequest([fieldProblem('message', 'too_long', { max: MESSAGE_MAX })])
    return value
  })
}

/** Returns the seconds between two targets: 0 if `delay` is missing or malformed. Pure. */
export function gapOf(delay: string | undefined, random: () => number): number {
  const [, from, to] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(delay ?? '') ?? []
  if (from === undefined) return 0
  const [min, max] = [Number(from), Number(to ?? from)]
  return min + Math.max(0, max - min) * random()
}

/**
 * Converts a time of Fonnte, in seconds since 1970, to milliseconds. Missing or `0` means now.
 * @throws ApiError `invalid_request`
 */
export function scheduleOf(schedule: string | undefined, now: number): number {
  if (schedule === undefined || /^0*$/.test(schedule.trim())) return now
  if (!/^\s*\d{9,11}\s*$/.test(schedule)) {
    throw invalidRequest([fieldProblem('schedule', 'wrong_form', { example: '1795248000' })])
  }
  return Number(schedule) * 1000
}

/** Members that turn a text into a poll, a place, buttons or a list, which Kurir cannot send. */
const UNABLE = {
  choices: 'polls',
  select: 'polls',
  pollname: 'polls',
  location: 'places',
  buttonJSON: 'buttons',
  templateJSON: 'buttons',
  listJSON: 'lists',
} as const

/**
 * Refuses members that Kurir cannot send, because the text alone would not mean the same.
 * @throws ApiError `invalid_request`
 */
function refuseUnable(message: FonnteMessage): void {
  for (const [field, what] of Object.entries(UNABLE)) {
    const given = message[field as keyof typeof UNABLE]?.trim() ?? ''
    if (given !== '') throw invalidRequest([{ field, message: `${what} are not possible: leave it out` }])
  }
  if (message.file) {
    throw invalidRequest([
      { field: 'file', message: 'must come as a part of a multipart form. Send an address in `url`' },
    ])
  }
  if (/[1-9]/.test(message.followup ?? '')) {
    throw invalidRequest([{ field: 'followup', message: 'is not possible: use `schedule` for a later time' }])
  }
}

const entries = createCallReader({ body: fonnteMessage })

/**
 * Reads an entry of `data`. Members that it lacks come from the call (`around`).
 * @throws ApiError `invalid_request`
 */
function readEntry(around: Record<string, unknown>, entry: unknown, at: number): FonnteMessage {
  if (typeof entry !== 'object' || entry === null) throw invalidRequest([fieldProblem('data', 'invalid')])
  try {
    return entries.read({ params: {}, query: {}, body: { ...around, ...entry } }).body as FonnteMessage
  } catch (error) {
    throw withPlace(error, at)
  }
}

/** Returns the error with the index of the entry before each field name. */
function withPlace(error: unknown, at: number): unknown {
  const details = (error as Partial<ApiError>).extras?.details
  return details === undefined
    ? error
    : invalidRequest(details.map((detail) => ({ ...detail, field: `${at}.${detail.field}` })))
}

/** Parses the list in `data`. @throws ApiError `invalid_request` */
function listOf(data: string | unknown[]): unknown[] {
  if (typeof data !== 'string') return data
  refuseMuchJson(data, 'data')
  let list: unknown
  try {
    list = JSON.parse(data)
  } catch {
    throw invalidRequest([{ field: 'data', message: 'is no JSON' }])
  }
  if (Array.isArray(list)) return list
  throw invalidRequest([{ field: 'data', message: 'must be a list' }])
}

/** Returns a call's messages: one, or the entries of `data`. @throws ApiError `invalid_request` */
export function messagesOf({ data, target, file_id, ...around }: FonnteSendRequest): FonnteMessage[] {
  if (data === undefined || data === '') {
    if (target === undefined) throw invalidRequest([fieldProblem('target', 'required')])
    const message = { ...around, target }
    refuseUnable(message)
    return [message]
  }
  if (file_id !== undefined) throw invalidRequest([fieldProblem('file', 'not_together', { other: 'data' })])
  const list = listOf(data)
  if (list.length === 0) throw invalidRequest([fieldProblem('data', 'empty')])
  if (list.length > MOST_NUMBERS) throw invalidRequest([fieldProblem('data', 'too_many', { max: MOST_NUMBERS })])
  const messages = list.map((entry, at) => readEntry(around, entry, at))
  for (const message of messages) refuseUnable(message)
  return messages
}

export interface Planned {
  requests: SendRequest[]
  /** Refused targets, each with the reason. */
  bad: string[]
}

/** Translates a call into requests of /send. @throws ApiError `invalid_request` */
export async function requestsOf(
  call: FonnteSendRequest,
  { now, random }: { now: number; random: () => number },
): Promise<Planned> {
  const planned: Planned = { requests: [], bad: [] }
  let wait = 0
  for (const message of messagesOf(call)) {
    const { good, bad } = targetsOf(message.target, message.countryCode)
    planned.bad.push(...bad.map(({ written, why }) => `${written}: ${why}`))
    // Refused targets count too: each takes as much work, and a sentence in the answer.
    if (planned.requests.length + good.length + planned.bad.length > MOST_NUMBERS) {
      throw invalidRequest([fieldProblem('target', 'too_many', { max: MOST_NUMBERS })])
    }
    const start = scheduleOf(message.schedule, now)
    for (const { to, variables } of good) {
      if (planned.requests.length % AT_A_STRETCH === AT_A_STRETCH - 1) await setImmediate()
      if (planned.requests.length > 0) wait += gapOf(message.delay, random) * 1000
      const { url = '', filename = '' } = message
      const members = {
        ...to,
        message: fillIn(message.message, variables),
        ...(url === '' ? {} : { file: url }),
        ...(call.file_id === undefined ? {} : { file_id: call.file_id }),
        ...(filename === '' ? {} : { filename }),
        ...(start > now ? { send_at: new Date(start + wait).toISOString() } : { delay: wait / 1000 }),
      }
      planned.requests.push(await inWordsOf(FONNTE_NAMES, () => readSend(members)))
    }
  }
  return planned
}
