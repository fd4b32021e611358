import { z } from 'zod'
import { problem, readIssue } from './field-problems.ts'

export const METADATA_MAX_BYTES = 16 * 1024
export const METADATA_MAX_DEPTH = 20

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((member) => deeperThan(member, levels - 1))
}

/** True if it holds more values than a text of the greatest size can. Checked first. */
function isTooLarge(value: Json): boolean {
  const waiting: unknown[] = [value]
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen + waiting.length > METADATA_MAX_BYTES) return true
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const members: unknown[] = Object.values(next)
    if (members.length > METADATA_MAX_BYTES) return true
    for (const member of members) waiting.push(member)
  }
  return false
}

/**
 * A free JSON object. A custom check, because a copying schema would lose members such as
 * `__proto__`.
 */
export const metadataInput = z
  .custom<Json>(isObject, { abort: true, ...problem('wrong_type', { expected: 'object' }) })
  .refine((value) => !isTooLarge(value), { abort: true, ...problem('too_large', { max: METADATA_MAX_BYTES }) })
  .refine((value) => !deeperThan(value, METADATA_MAX_DEPTH), problem('too_deep', { max: METADATA_MAX_DEPTH }))
  .meta({ type: 'object', description: 'Free JSON object, returned on every callback. At most 16 KiB and 20 levels.' })

const referenceInput = z
  .string()
  .min(1)
  .max(256)
  .nullish()
  .meta({ examples: ['INV-1001'] })

/** The members that carry the caller's own identifier; mixed into every send request. */
export const referenceFields = {
  reference_id: referenceInput.describe(
    'Your own number, such as that of an invoice. Lists and callbacks have it as `reference_id`; the answer of POST /send has it in `metadata`.',
  ),
  referenceId: referenceInput.describe('Alias of `reference_id`.'),
  ref_id: referenceInput.describe('Alias of `reference_id`.'),
  metadata: metadataInput
    .check(({ value, issues }) => {
      const given = ownMember(value, 'reference_id')
      if (given === undefined) return
      const issue = referenceInput.safeParse(given, { reportInput: true }).error?.issues[0]
      if (issue === undefined) return
      const { code, values } = readIssue(issue)
      issues.push({ code: 'custom', input: given, path: ['reference_id'], ...problem(code, values) })
    })
    .optional(),
}

function ownMember(object: Json, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

interface References {
  reference_id?: string | null | undefined
  referenceId?: string | null | undefined
  ref_id?: string | null | undefined
  metadata?: Json | undefined
}

/**
 * Precedence as the interface orders it: top level first, its recommended name before its aliases,
 * `metadata` last.
 */
export function pickReference(body: References): string | null {
  const inMetadata = body.metadata === undefined ? undefined : ownMember(body.metadata, 'reference_id')
  return body.reference_id ?? body.referenceId ?? body.ref_id ?? (inMetadata as string | null | undefined) ?? null
}
