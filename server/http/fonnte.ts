import type { FonnteSendRequest } from '../contract/compat.ts'
import { invalidRequest } from '../contract/errors.ts'
import { normalisePhone } from '../contract/phone.ts'
import { type SendRequest, sendRequest } from '../contract/send.ts'
import { detailsOf } from './response.ts'

/** The most numbers of one call. */
const MOST_TARGETS = 500
const COUNTRY = '62'

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
  const written = text.split(',').filter((each) => each.trim() !== '')
  if (written.length > MOST_TARGETS) {
    throw invalidRequest([{ field: 'target', message: `must have at most ${MOST_TARGETS} numbers` }])
  }
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

/** The text for one target: `{name}` and `{var1}`, … become what stands behind its number; what is missing stays. Pure. */
export function fillIn(message: string, variables: readonly string[]): string {
  return message.replace(/\{(name|var(\d{1,3}))\}/g, (whole, _name, n: string | undefined) => {
    return variables[n === undefined ? 0 : Number(n)] ?? whole
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
  if (schedule === undefined || /^\s*0*\s*$/.test(schedule)) return now
  if (!/^\s*\d{9,11}\s*$/.test(schedule)) {
    throw invalidRequest([{ field: 'schedule', message: 'must be a time in seconds since 1970' }])
  }
  return Number(schedule) * 1000
}

/** A call as the requests of /send that it stands for. @throws ApiError `invalid_request` */
export function requestsOf(
  body: FonnteSendRequest,
  targets: readonly Target[],
  { now, random }: { now: number; random: () => number },
): SendRequest[] {
  const start = startOf(body.schedule, now)
  let wait = 0
  return targets.map(({ phone, variables }, at) => {
    if (at > 0) wait += gapOf(body.delay, random) * 1000
    const due = start + wait
    const parsed = sendRequest.safeParse({
      phone,
      message: fillIn(body.message, variables),
      ...(body.url === undefined || body.url === '' ? {} : { file: body.url }),
      ...(body.file_id === undefined ? {} : { file_id: body.file_id }),
      ...(body.filename === undefined || body.filename === '' ? {} : { filename: body.filename }),
      ...(due <= now ? {} : { send_at: new Date(due).toISOString() }),
    })
    if (!parsed.success) throw invalidRequest(detailsOf(parsed.error))
    return parsed.data
  })
}
