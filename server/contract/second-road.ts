import { z } from 'zod'
import { problem } from './field-problems.ts'
import { answer, boundedList, boundedRecord, isoTime } from './fields.ts'
import { variablesOf } from './templates.ts'

const LONGEST_PATTERN = 4096
const MOST_RULES = 50
const MOST_VARIABLES = 30

const variable = z.string().min(1).max(64)

/** True if text separates the variables. Otherwise a text could match in several ways. */
const isClear = (pattern: string): boolean => !/\}\}\s*\{\{/.test(pattern)

/** A rule that sends the texts of one pattern as a template. */
export const secondRoadRule = z
  .object({
    pattern: z
      .string()
      .trim()
      .min(1)
      .max(LONGEST_PATTERN)
      .refine((text) => variablesOf(text).length <= MOST_VARIABLES, problem('too_many', { max: MOST_VARIABLES }))
      .refine(isClear, problem('variables_touch'))
      .meta({
        description: 'The whole text, with `{{name}}` for what changes. Spaces and line breaks count as one space.',
        examples: ['Halo {{nama}}, tagihan {{nomor}} jatuh tempo {{tanggal}}.'],
      }),
    template_name: z
      .string()
      .min(1)
      .max(512)
      .meta({ examples: ['tagihan_jatuh_tempo'] }),
    language: z
      .string()
      .refine((code) => code.length >= 2 && code.length <= 15, problem('wrong_form', { example: 'id or en_US' }))
      .meta({ minLength: 2, maxLength: 15 })
      .default('id'),
    parameters: z
      .union([boundedList(variable, MOST_VARIABLES), boundedRecord(variable, MOST_VARIABLES)])
      .optional()
      .describe(
        'Names of the pattern for the variables of the template: in their order, or by the names of the template. Default: those of the pattern in order of first use.',
      ),
  })
  .superRefine(({ pattern, parameters }, context) => {
    const known = variablesOf(pattern)
    const names = Object.values(parameters ?? []).filter((name) => !known.includes(name))
    if (names.length > 0) {
      context.addIssue({
        code: 'custom',
        path: ['parameters'],
        ...problem('unknown_variables', { names: names.map((name) => `{{${name}}}`).join(', ') }),
      })
    }
  })
export type SecondRoadRule = z.infer<typeof secondRoadRule>

/**
 * A linked sender's way out: texts that cannot leave go through an official sender as a template.
 * Only messages that certainly did not leave take it.
 */
export const secondRoad = z.object({
  enabled: z.boolean().default(true),
  sender_code: z.string().min(1).max(64).describe('Of the official sender.'),
  after_minutes: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .default(30)
    .describe('How long a message waits for its own sender first.'),
  monthly_cap: z.number().int().min(1).max(1_000_000).describe('Messages in a month, by the calendar of this PC.'),
  rules: boundedList(secondRoadRule, MOST_RULES).describe('The first that fits counts.'),
})
export type SecondRoad = z.infer<typeof secondRoad>

export const secondRoadView = secondRoad.extend({ used: z.number().int().describe('Messages in this month.') })

export const secondRoadTryRequest = z.object({
  road: secondRoad.optional().describe('One that is not saved yet; default: the saved one.'),
  limit: z.number().int().min(1).max(200).default(50).describe('How many of the last texts.'),
})
export type SecondRoadTryRequest = z.infer<typeof secondRoadTryRequest>

/** Result of trying the rules on one past message. */
export const secondRoadTrial = z.object({
  id: z.string(),
  created_at: isoTime,
  message: z.string().describe('The text, shortened to 280 characters.'),
  rule: z.number().int().nullable().describe('Place of the rule that fits, from 0; null: none does.'),
  template_name: z.string().nullable(),
  language: z.string().nullable(),
  preview: z
    .string()
    .nullable()
    .describe('The body of the template with the values; null where the template is not known.'),
  problems: z.array(z.string()).describe('Why it could not be sent like this; empty: it could.'),
})
export type SecondRoadTrial = z.infer<typeof secondRoadTrial>

export const secondRoadTryAnswer = answer(
  z.object({
    messages: z.array(secondRoadTrial).describe('Newest first.'),
    fitting: z.number().int().describe('Those that could be sent.'),
  }),
)
