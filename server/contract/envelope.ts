import { z } from 'zod'

/** The frame of every successful answer. */
export const answer = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), message: z.string(), data })

/** The frame of every list: newest first, `next_cursor` is null at the end. */
export const listAnswer = <T extends z.ZodType>(row: T) =>
  z.object({ success: z.literal(true), message: z.string(), data: z.array(row), next_cursor: z.string().nullable() })

/** The answer of what returns nothing. */
export const emptyAnswer = answer(z.object({}))

export const isoTime = z.iso.datetime()

export const paging = {
  limit: z.coerce.number('must be a number').int('must be a whole number').min(1).max(200).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the next_cursor of a list')
    .optional(),
}
