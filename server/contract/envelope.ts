import { z } from 'zod'
import { problem } from './field-problems.ts'

/** The frame of every successful answer. */
export const answer = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), message: z.string(), data })

/** The frame of every list: newest first, `next_cursor` is null at the end. */
export const listAnswer = <T extends z.ZodType>(row: T) =>
  z.object({ success: z.literal(true), message: z.string(), data: z.array(row), next_cursor: z.string().nullable() })

/** The answer of what returns nothing. */
export const emptyAnswer = answer(z.object({}))

export const isoTime = z.iso.datetime().meta({ examples: ['2026-11-21T08:00:00.000Z'] })

export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Rows of a page.'),
  cursor: z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text), problem('not_a_cursor'))
    .meta({ pattern: '^\\d{1,15}$', description: '`next_cursor` of the page before.' })
    .optional(),
}
