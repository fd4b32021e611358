import { z } from 'zod'
import { answer, isoTime, listAnswer, paging } from './envelope.ts'
import { phoneInput } from './phone.ts'
import { referenceFields } from './reference.ts'
import { senderCodeInput } from './send.ts'

const parameterValue = z.union([z.string(), z.number(), z.boolean()], 'must be a string, number or boolean')

const componentParameter = z.looseObject({ type: z.string('must be a string') })

/** The provider's own format; only the shape is checked, so that what Meta adds later passes. */
export const templateComponent = z.looseObject({
  type: z.string('must be a string').min(1, 'must not be empty'),
  parameters: z.array(componentParameter, 'must be an array').optional(),
})
export type TemplateComponent = z.infer<typeof templateComponent>

export const templateParameters = z.union(
  [z.array(parameterValue), z.record(z.string(), parameterValue)],
  'must be an array of strings, numbers or booleans (or an object of named ones)',
)
export type TemplateParameters = z.infer<typeof templateParameters>

/** `{{1}}` or `{{name}}` in a template's text. */
export const TEMPLATE_VARIABLE = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** The variables of `{{1}}` or `{{name}}` in order of first use, each once. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(TEMPLATE_VARIABLE)].flatMap((match) => match[1] ?? [])),
]

/** The text with its variables filled; one without a value stays as it is. */
export const fillVariables = (text: string, values: Record<string, string>): string =>
  text.replaceAll(
    TEMPLATE_VARIABLE,
    (whole, name: string) => (Object.hasOwn(values, name) ? values[name] : '') || whole,
  )

/** POST /waba/send-template, section 2.3 of the interface. */
export const templateRequest = z
  .object({
    sender_code: senderCodeInput.optional(),
    phone: phoneInput,
    template_name: z
      .string('must be a string')
      .min(1, 'must not be empty')
      .max(512, 'must have at most 512 characters'),
    language: z
      .string('must be a string')
      .min(2, 'must be a language code')
      .max(15, 'must be a language code')
      .default('id'),
    parameters: templateParameters.optional(),
    components: z.array(templateComponent, 'must be an array').max(50, 'has too many members').optional(),
    ...referenceFields,
  })
  .refine(
    (body) =>
      body.parameters === undefined || !(body.components ?? []).some((part) => part.type.toLowerCase() === 'body'),
    { message: 'must hold no body when parameters are given', path: ['components'] },
  )
export type TemplateRequest = z.infer<typeof templateRequest>

/** Section 2.4 of the interface; `data.data` is Meta's answer, unchanged. `data.id` is ours. */
export const templateAnswer = answer(
  z.object({
    id: z.uuid(),
    success: z.literal(true),
    messageId: z.string(),
    data: z.looseObject({
      messaging_product: z.string().optional(),
      contacts: z.array(z.looseObject({ input: z.string().optional(), wa_id: z.string().optional() })).optional(),
      messages: z.array(z.looseObject({ id: z.string(), message_status: z.string().optional() })),
    }),
  }),
)
export type TemplateAnswer = z.infer<typeof templateAnswer>

/** The answer (202) to a call with `Prefer: respond-async`: the message is on disk, what becomes of it comes by callback. */
export const queuedTemplateAnswer = answer(
  z.object({
    id: z.uuid(),
    message_id: z.uuid(),
    sender_code: z.string(),
    recipient: z.string(),
    status: z.literal('queued'),
    metadata: z.record(z.string(), z.unknown()),
  }),
)
export type QueuedTemplateAnswer = z.infer<typeof queuedTemplateAnswer>

/** A template as Meta listed it last. */
export const templateView = z.object({
  name: z.string(),
  language: z.string(),
  status: z.string().describe('Only an APPROVED one can be sent.'),
  category: z.string().nullable(),
  parameter_format: z.string().nullable().describe('`POSITIONAL` or `NAMED`.'),
  components: z.array(z.unknown()),
  rejected_reason: z.string().nullable(),
  trouble: z.string().nullable().describe('Why Meta took it away since it was read.'),
  quality: z.string().nullable().describe('How customers take it: `GREEN`, `YELLOW`, `RED`, `UNKNOWN`.'),
  coming_category: z
    .object({ category: z.string(), at: isoTime.nullable() })
    .nullable()
    .describe('The category that Meta will change it to, and when.'),
  synced_at: isoTime,
})
export type TemplateView = z.infer<typeof templateView>

export const templateQuery = z.object({ sender_code: senderCodeInput.optional(), ...paging })
export const templatesAnswer = listAnswer(templateView)
export const syncedAnswer = answer(z.object({ templates: z.number().int(), approved: z.number().int() }))
