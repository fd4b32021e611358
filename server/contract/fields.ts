import { z } from 'zod'
import { problem } from './field-problems.ts'

/** Building blocks of requests and answers. */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A list whose length is checked before its members: the schema library looks at every member
 * first, and a million wrong ones would hold everybody up.
 */
export const boundedList = <T extends z.ZodType>(member: T, max: number) =>
  z
    .preprocess((value: z.input<T>[], context) => {
      if (Array.isArray(value) && value.length > max)
        context.issues.push({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
      return value
    }, z.array(member))
    .meta({ maxItems: max })

/** The same for an object of named values. */
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

/** Text of a fixed form; the example is what a caller reads whose text has another one. */
export const shaped = (pattern: RegExp, example: string) =>
  z
    .string()
    .refine((text) => pattern.test(text), problem('wrong_form', { example }))
    .meta({ pattern: pattern.source, examples: [example] })

/** The name that the owner gives to something. */
export const givenName = (example: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(80)
    .meta({ examples: [example] })

/** A month of this PC's calendar. */
export const month = shaped(/^\d{4}-(0[1-9]|1[0-2])$/, '2026-11')

/** The parameters of a route's path. */
export const idParams = z.object({ id: z.string().describe('`id`, as the list has it.') })
export const codeParams = z.object({ code: z.string().describe('The `sender_code`.') })

/**
 * A text as programs of other gateways write it: some send a number of JSON. Without an example it
 * is one of those that a call can do without.
 */
export const looseText = (description: string, example?: string) => {
  const text = z.string().max(100_000)
  return z
    .union([example === undefined ? text : text.meta({ examples: [example] }), z.number()])
    .transform(String)
    .describe(description)
}

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
