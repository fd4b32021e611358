import { z } from 'zod'

export const METADATA_MAX_BYTES = 16 * 1024
export const METADATA_MAX_DEPTH = 20

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((member) => deeperThan(member, levels - 1))
}

/** A free JSON object. A custom check, because a copying schema would lose members such as `__proto__`. */
export const metadataInput = z
  .custom<Json>(isObject, 'must be a JSON object')
  .refine(
    (value) => !deeperThan(value, METADATA_MAX_DEPTH),
    `must not be nested deeper than ${METADATA_MAX_DEPTH} levels`,
  )
  .meta({ type: 'object', description: 'Free JSON object, returned on every callback. At most 16 KiB and 20 levels.' })

const referenceInput = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  .nullish()

/** The members that carry the caller's own identifier; mixed into every send request. */
export const referenceFields = {
  reference_id: referenceInput.describe("The caller's transaction or invoice number, returned as `data.reference_id`."),
  referenceId: referenceInput.describe('Alias of `reference_id`.'),
  ref_id: referenceInput.describe('Alias of `reference_id`.'),
  metadata: metadataInput
    .refine((value) => referenceInput.safeParse(ownMember(value, 'reference_id')).success, {
      message: 'must be a string of 1 to 256 characters',
      path: ['reference_id'],
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

/** Precedence as the interface orders it: top level first, its recommended name before its aliases, `metadata` last. */
export function pickReference(body: References): string | null {
  const inMetadata = body.metadata === undefined ? undefined : ownMember(body.metadata, 'reference_id')
  return body.reference_id ?? body.referenceId ?? body.ref_id ?? (inMetadata as string | null | undefined) ?? null
}
