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
        description:
          'The whole text of the message, with `{{name}}` in place of each part that changes. Any run of spaces and line breaks counts as one space.',
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
        "Values for the template's variables, as names from `pattern`: an array in the order of the template's variables, or an object from template variable to pattern name. Omitted: the names in `pattern`, in order of first use.",
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
  sender_code: z.string().min(1).max(64).describe('Code of the official sender that sends the templates.'),
  after_minutes: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .default(30)
    .describe('Minutes that a message waits for its own sender before it may take the second road.'),
  monthly_cap: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Most messages per calendar month (time zone of this PC) that may take the second road.'),
  rules: boundedList(secondRoadRule, MOST_RULES).describe(
    'Rules that turn texts into templates. The first rule whose pattern matches is used.',
  ),
})
export type SecondRoad = z.infer<typeof secondRoad>

export const secondRoadView = secondRoad.extend({
  used: z.number().int().describe('Number of messages that have taken the second road this month.'),
})

export const secondRoadTryRequest = z.object({
  road: secondRoad.optional().describe('Settings to try out, which need not be saved. Omitted: the saved settings.'),
  limit: z.number().int().min(1).max(200).default(50).describe('Number of recent texts to try the rules on.'),
})
export type SecondRoadTryRequest = z.infer<typeof secondRoadTryRequest>

/** Result of trying the rules on one past message. */
export const secondRoadTrial = z.object({
  id: z.string(),
  created_at: isoTime,
  message: z.string().describe('Text of the message, shortened to 280 characters.'),
  rule: z.number().int().nullable().describe('Index of the first rule that matches, from 0. Null: no rule matches.'),
  template_name: z.string().nullable(),
  language: z.string().nullable(),
  preview: z
    .string()
    .nullable()
    .describe('Body of the template with the values filled in. Null: the template is not known, or no rule matches.'),
  problems: z
    .array(z.string())
    .describe('Reasons why the message could not be sent as this template. Empty: it could be sent.'),
})
export type SecondRoadTrial = z.infer<typeof secondRoadTrial>

export const secondRoadTryAnswer = answer(
  z.object({
    messages: z.array(secondRoadTrial).describe('The texts that were tried, newest first.'),
    fitting: z.number().int().describe('Number of texts that could be sent as a template.'),
  }),
)
