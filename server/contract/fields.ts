import { z } from 'zod'
import { problem } from './field-problems.ts'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A list whose length is checked before its members. The schema library checks every member
 * first, and a million wrong members would block all other calls.
 */
export const boundedList = <T extends z.ZodType>(member: T, max: number) =>
  z
    .preprocess((value: z.input<T>[], context) => {
      if (Array.isArray(value) && value.length > max)
        context.issues.push({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
      return value
    }, z.array(member))
    .meta({ maxItems: max })

/** An object of named values whose size is checked before its values, as in boundedList. */
export const boundedRecord = <T extends z.ZodType>(value: T, max: number) =>
  z
    .preprocess(
      (given: Record<string, z.input<T>>, context) => {
        if (isObject(given) && Object.keys(given).length > max)
          context.issues.push({ code: 'too_big', origin: 'record', maximum: max, inclusive: true, input: given })
        return given
      },
      z.record(z.string(), value),
    )
    .meta({ maxProperties: max })

/** Text that matches a pattern. The error of any other text shows the example. */
export const shaped = (pattern: RegExp, example: string) =>
  z
    .string()
    .refine((text) => pattern.test(text), problem('wrong_form', { example }))
    .meta({ pattern: pattern.source, examples: [example] })

export const givenName = (example: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(80)
    .meta({ examples: [example] })

/** A month of this PC's calendar. */
export const month = shaped(/^\d{4}-(0[1-9]|1[0-2])$/, '2026-11')

export const idParams = z.object({
  id: z.string().describe('Value of `id` from the list or from the response that created it.'),
})
export const codeParams = z.object({ code: z.string().describe('Value of `sender_code`, such as `SND-7K3QXM`.') })

/**
 * Text as programs of other gateways send it; some send a JSON number. Optional members need no
 * example.
 */
export const looseText = (description: string, example?: string) => {
  const text = z.string().max(100_000)
  return z
    .union([example === undefined ? text : text.meta({ examples: [example] }), z.number()])
    .transform(String)
    .describe(description)
}

/** Envelope of every successful answer. */
export const answer = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), message: z.string(), data })

/** Envelope of every list. Newest first; `next_cursor` is null on the last page. */
export const listAnswer = <T extends z.ZodType>(row: T) =>
  z.object({ success: z.literal(true), message: z.string(), data: z.array(row), next_cursor: z.string().nullable() })

export const emptyAnswer = answer(z.object({}))

export const isoTime = z.iso.datetime().meta({ examples: ['2026-11-21T08:00:00.000Z'] })

export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Number of rows per page.'),
  cursor: z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text), problem('not_a_cursor'))
    .meta({
      pattern: '^\\d{1,15}$',
      description: 'Value of `next_cursor` from the previous page. Omitted: the first page.',
    })
    .optional(),
}
