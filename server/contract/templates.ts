import { z } from 'zod'
import { problem } from './field-problems.ts'
import { answer, boundedList, boundedRecord, isoTime, listAnswer, paging } from './fields.ts'
import { priority, purpose } from './messages.ts'
import { phoneOrUserIdInput } from './phone.ts'
import { referenceFields, senderCodeInput, time, ttl } from './send.ts'

/** Our own limits. Meta's are far lower. */
const MOST_PARAMETERS = 100
const MOST_COMPONENTS = 50

/** False for an integer that JSON.parse has rounded: a wrong number would be sent. */
const isExact = (value: unknown): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)

const isParameter = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || isExact(value)

const parameterValue = z
  .custom<string | number | boolean>(isParameter, problem('not_a_parameter'))
  .meta({ type: ['string', 'number', 'boolean'], examples: ['Budi'] })

const componentParameter = z.looseObject({ type: z.string().meta({ examples: ['text'] }) })

/** A component in Meta's own format. Only its shape is checked: members Meta adds later pass. */
export const templateComponent = z.looseObject({
  type: z
    .string()
    .min(1)
    .meta({ examples: ['header'] }),
  parameters: boundedList(componentParameter, MOST_PARAMETERS).optional(),
})
export type TemplateComponent = z.infer<typeof templateComponent>

export const templateParameters = z.union([
  boundedList(parameterValue, MOST_PARAMETERS),
  boundedRecord(parameterValue, MOST_PARAMETERS),
])
export type TemplateParameters = z.infer<typeof templateParameters>

/** `{{1}}` or `{{name}}` in a template's text. */
export const TEMPLATE_VARIABLE = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** Returns the names of the variables in a text, each once, in order of first use. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(TEMPLATE_VARIABLE)].flatMap((match) => match[1] ?? [])),
]

/** Replaces variables with their values. A variable without a value stays as it is. */
export const fillVariables = (text: string, values: Record<string, string>): string =>
  text.replaceAll(
    TEMPLATE_VARIABLE,
    (whole, name: string) => (Object.hasOwn(values, name) ? values[name] : '') || whole,
  )

/** POST /waba/send-template, section 2.3 of the interface. */
export const templateRequest = z
  .object({
    sender_code: senderCodeInput.optional(),
    phone: phoneOrUserIdInput,
    template_name: z
      .string()
      .min(1)
      .max(512)
      .meta({ description: 'Name of an approved template.', examples: ['invoice_ready'] }),
    language: z
      .string()
      .refine((code) => code.length >= 2 && code.length <= 15, problem('wrong_form', { example: 'id or en_US' }))
      .meta({ minLength: 2, maxLength: 15, description: 'Language code of the template.' })
      .default('id'),
    parameters: templateParameters.describe('Values of the variables of the body: in order, or by name.').optional(),
    components: boundedList(templateComponent, MOST_COMPONENTS)
      .describe("Components in Meta's own format: header, body, buttons.")
      .optional(),
    purpose: purpose.describe('What it is for; by default what the category of the template says.').optional(),
    context: z
      .object({
        message_id: z
          .string()
          .min(1)
          .max(512)
          .meta({ examples: ['wamid.HBgMNjI4MTIzNDU2Nzg5MBUCABEYEjlB'] }),
      })
      .describe("Shows it as an answer to this message, by Meta's id of it.")
      .optional(),
    product_policy: z
      .enum(['CLOUD_API_FALLBACK', 'STRICT'])
      .describe(
        "Sends a template of the category MARKETING by Meta's Marketing Messages API: `STRICT` only so, `CLOUD_API_FALLBACK` as any other where that cannot be.",
      )
      .optional(),
    message_activity_sharing: z
      .boolean()
      .describe(
        "Whether Meta may use what customers do with it. Sends it by Meta's Marketing Messages API, as `product_policy` does.",
      )
      .optional(),
    expires_at: time
      .describe('With `Prefer: respond-async`: one that has not left by then is `failed` with `expired`.')
      .optional(),
    ttl: ttl.describe('Seconds from now, instead of `expires_at`.').optional(),
    priority: priority
      .describe(
        'With `Prefer: respond-async`: `high` passes what waits for this sender, `low` waits while others are due.',
      )
      .optional(),
    ...referenceFields,
  })
  .refine(
    ({ context, product_policy, message_activity_sharing }) =>
      context === undefined || (product_policy === undefined && message_activity_sharing === undefined),
    { ...problem('not_together', { other: 'product_policy or message_activity_sharing' }), path: ['context'] },
  )
  .refine((body) => body.expires_at === undefined || body.ttl === undefined, {
    ...problem('not_together', { other: 'expires_at' }),
    path: ['ttl'],
  })
  .refine(
    (body) =>
      body.parameters === undefined || !(body.components ?? []).some((part) => part.type.toLowerCase() === 'body'),
    { ...problem('body_given_twice'), path: ['components'] },
  )
export type TemplateRequest = z.infer<typeof templateRequest>

/** Section 2.4 of the interface. `data.id` is Kurir's id; `data.data` is Meta's own answer. */
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

/** A template as Meta last listed it. */
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

export const templateQuery = z.object({
  sender_code: senderCodeInput.optional(),
  ...paging,
  cursor: z.string().max(600).describe('`next_cursor` of the page before.').optional(),
})
export const templatesAnswer = listAnswer(templateView)
export const syncedAnswer = answer(z.object({ templates: z.number().int(), approved: z.number().int() }))
