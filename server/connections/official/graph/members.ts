import { z } from 'zod'
import type { MessagingLimit } from '../../../store/index.ts'

/** Members of what Meta sends, each with a bound; a member of another form counts as absent. */

// 253402300799 is the last second of the year 9999.
const LAST_SECOND = 253_402_300_799

/** Seconds since 1970 as a number or a string, read as milliseconds. */
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
/** A sentence or two that Meta wrote for people. */
export const explanation = optional(bounded(1000))
export const id = optional(z.union([name, z.number().transform(String)]))
export const digits = optional(
  z
    .string()
    .max(64)
    .transform((value) => value.replace(/\D/g, '')),
)
/** Seconds, or a written date such as `April 17, 2025`. */
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
 * Meta writes it as a tier (`TIER_250`, `TIER_2K`, `TIER_UNLIMITED`) or as a number, where -1 is no
 * limit. `null`: Meta named none, or in a form that is not known.
 */
export function readMessagingLimit(value: unknown): MessagingLimit | null {
  if (value === 'TIER_UNLIMITED' || Number(value) === -1) return 'unlimited'
  const [, digits, thousands] = /^(?:TIER_)?(\d{1,9})(K?)$/.exec(String(value)) ?? []
  const people = Number(digits) * (thousands === 'K' ? THOUSAND : 1)
  return people > 0 ? people : null
}
