import { z } from 'zod'
import type { MessagingLimit } from '../../../store/index.ts'

// Members of Meta's JSON, each with a bound. Optional members of another form count as absent.

// End of the year 9999, in seconds since 1970.
const LAST_SECOND = 253_402_300_799

/** Reads seconds since 1970, a number or a string, as milliseconds. */
export const seconds = z.coerce
  .number()
  .positive()
  .max(LAST_SECOND)
  .transform((value) => Math.round(value * 1000))
  .nullable()
  .catch(null)

const bounded = (longest: number) =>
  z
    .string()
    .min(1)
    .transform((value) => value.slice(0, longest))
export const name = bounded(512)
export const code = bounded(64)
export const optional = <T extends z.ZodType>(schema: T) => schema.nullable().catch(null)
export const optionalCode = optional(code)
/** A sentence or two of Meta for people. */
export const explanation = optional(bounded(1000))
export const id = optional(z.union([name, z.number().transform(String)]))
export const digits = optional(
  z
    .string()
    .max(64)
    .transform((value) => value.replace(/\D/g, '')),
)
/** Reads seconds, or a date such as `April 17, 2025`, as milliseconds since 1970. */
export const date = optional(
  z.union([
    seconds.refine((value) => value !== null),
    z
      .string()
      .max(64)
      .transform((value) => Date.parse(/\d:\d/.test(value) ? value : `${value} UTC`))
      .pipe(z.number()),
  ]),
)
export const items = z.array(z.unknown()).catch([])

const THOUSAND = 1000

/**
 * Reads a messaging limit, which Meta writes as a tier (`TIER_250`, `TIER_2K`, `TIER_UNLIMITED`) or
 * as a number, where -1 means no limit. Returns null if the limit is missing or has another form.
 */
export function readMessagingLimit(value: unknown): MessagingLimit | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return null
  if (text === 'TIER_UNLIMITED' || text === '-1') return 'unlimited'
  const [, digits, thousands] = /^(?:TIER_)?(\d{1,9})(K?)$/.exec(text) ?? []
  const people = Number(digits) * (thousands === 'K' ? THOUSAND : 1)
  return people > 0 ? people : null
}
