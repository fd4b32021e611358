import { setImmediate } from 'node:timers/promises'
import type { ApiError } from '../../contract/errors.ts'
import { normalisePhone } from '../../contract/phone.ts'
import { MESSAGE_MAX, type SendRequest } from '../../contract/send.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { readSend, splitNumbers } from '../sending.ts'
import type { FonnteSendRequest } from './contract.ts'

const COUNTRY = '62'

/** Fonnte's reasons for a wrong field (docs.fonnte.com, "API Send Message"). */
const REASONS: Readonly<Record<string, string>> = {
  target: 'target invalid',
  phone: 'target invalid',
  url: 'url invalid',
  file: 'url invalid',
}

/** Fonnte's words for an error; undefined: it has none. Pure. */
export function fonnteReason({ code, extras }: ApiError): string | undefined {
  if (code === 'missing_api_key' || code === 'invalid_api_key') return 'token invalid'
  if (code === 'invalid_json') return 'JSON format invalid'
  if (code !== 'invalid_request') return undefined
  return REASONS[extras.details?.[0]?.field ?? ''] ?? 'input invalid'
}

interface Target {
  phone: string
  /** The name, then var1, var2, … */
  variables: string[]
}

export interface Targets {
  good: Target[]
  /** As they were written. */
  bad: string[]
}

/** @throws ApiError `invalid_request` */
export function targetsOf(text: string, countryCode: string | undefined): Targets {
  const written = splitNumbers(text, ',', 'target')
  const country = (countryCode ?? COUNTRY).replace(/\D/g, '')
  const targets: Targets = { good: [], bad: [] }
  for (const each of written) {
    const [number = '', ...variables] = each.split('|').map((part) => part.trim())
    const read = normalisePhone(number, country === '' || country === '0' ? null : country)
    if (read.ok) targets.good.push({ phone: read.phone, variables })
    else targets.bad.push(number)
  }
  return targets
}

/**
 * The text for one target: `{name}` and `{var1}`, … become the values after its number; what is
 * missing stays.
 * @throws ApiError `invalid_request` before a text is made that is too long
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

/** Seconds between two targets. Pure. */
export function gapOf(delay: string | undefined, random: () => number): number {
  const [, from, to] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(delay ?? '') ?? []
  if (from === undefined) return 0
  const [min, max] = [Number(from), Number(to ?? from)]
  return min + Math.max(0, max - min) * random()
}

/** When the first one leaves (milliseconds since 1970). @throws ApiError `invalid_request` */
function startOf(schedule: string | undefined, now: number): number {
  if (schedule === undefined || /^0*$/.test(schedule.trim())) return now
  if (!/^\s*\d{9,11}\s*$/.test(schedule)) {
    throw invalidRequest([fieldProblem('schedule', 'wrong_form', { example: '1795248000' })])
  }
  return Number(schedule) * 1000
}

// The calls of others go on in between: five hundred long texts take a tenth of a second.
const AT_A_STRETCH = 16

/** Refuses what would be a text alone, without its meaning. @throws ApiError `invalid_request` */
export function refuseUnable({ choices = '', followup = '' }: FonnteSendRequest): void {
  if (choices.trim() !== '') throw invalidRequest([{ field: 'choices', message: 'polls are not possible yet' }])
  if (/[1-9]/.test(followup)) {
    throw invalidRequest([{ field: 'followup', message: 'is not possible: use `schedule` for a later time' }])
  }
}

/** The requests of /send that a call amounts to. @throws ApiError `invalid_request` */
export async function requestsOf(
  call: FonnteSendRequest,
  targets: readonly Target[],
  { now, random }: { now: number; random: () => number },
): Promise<SendRequest[]> {
  const start = startOf(call.schedule, now)
  const requests: SendRequest[] = []
  let wait = 0
  for (const [at, { phone, variables }] of targets.entries()) {
    if (at % AT_A_STRETCH === AT_A_STRETCH - 1) await setImmediate()
    if (at > 0) wait += gapOf(call.delay, random) * 1000
    const due = start + wait
    const body = {
      phone,
      message: fillIn(call.message, variables),
      ...(call.url === undefined || call.url === '' ? {} : { file: call.url }),
      ...(call.file_id === undefined ? {} : { file_id: call.file_id }),
      ...(call.filename === undefined || call.filename === '' ? {} : { filename: call.filename }),
      ...(due <= now ? {} : { send_at: new Date(due).toISOString() }),
    }
    requests.push(readSend(body))
  }
  return requests
}
