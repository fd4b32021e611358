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
      .meta({ description: 'Name of the template. It must be approved by Meta.', examples: ['invoice_ready'] }),
    language: z
      .string()
      .refine((code) => code.length >= 2 && code.length <= 15, problem('wrong_form', { example: 'id or en_US' }))
      .meta({ minLength: 2, maxLength: 15, description: 'Language code of the template, such as `id` or `en_US`.' })
      .default('id'),
    parameters: templateParameters
      .describe(
        "Values for the variables of the template's body: an array in the order of the variables, or an object by name.",
      )
      .optional(),
    components: boundedList(templateComponent, MOST_COMPONENTS)
      .describe(
        "Components of the template in Meta's own format: header, body, buttons. Use it for anything beyond the body's variables.",
      )
      .optional(),
    purpose: purpose
      .describe(
        "Purpose of the message; `marketing` is not sent to recipients who opted out. Omitted: follows from the template's category.",
      )
      .optional(),
    context: z
      .object({
        message_id: z
          .string()
          .min(1)
          .max(512)
          .meta({ examples: ['wamid.HBgMNjI4MTIzNDU2Nzg5MBUCABEYEjlB'] }),
      })
      .describe("Shows the template as a reply to an earlier message, identified by Meta's message id.")
      .optional(),
    product_policy: z
      .enum(['CLOUD_API_FALLBACK', 'STRICT'])
      .describe(
        "Sends a marketing template through Meta's Marketing Messages API. `STRICT`: only through that API. `CLOUD_API_FALLBACK`: through the Cloud API if that API cannot send it.",
      )
      .optional(),
    message_activity_sharing: z
      .boolean()
      .describe(
        "Whether Meta may use how customers interact with the message. Like `product_policy`, it sends a marketing template through Meta's Marketing Messages API.",
      )
      .optional(),
    expires_at: time
      .describe(
        'Only with `Prefer: respond-async`. Deadline: a message that has not been sent by then fails with `expired`.',
      )
      .optional(),
    ttl: ttl
      .describe(
        'Only with `Prefer: respond-async`. Seconds from now until the message expires. Cannot be combined with `expires_at`.',
      )
      .optional(),
    priority: priority
      .describe(
        'Only with `Prefer: respond-async`. `high`: sent before other waiting messages of the sender. `low`: sent when no other message is due. Default: `normal`.',
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
  status: z.string().describe("Meta's status of the template. Only templates with `APPROVED` can be sent."),
  category: z.string().nullable(),
  parameter_format: z
    .string()
    .nullable()
    .describe('How the variables are named: `POSITIONAL` (`{{1}}`) or `NAMED` (`{{name}}`). Null: Meta did not say.'),
  components: z.array(z.unknown()),
  rejected_reason: z.string().nullable(),
  trouble: z
    .string()
    .nullable()
    .describe('Why Meta has withdrawn the template since the list was read. Null: it has not.'),
  quality: z
    .string()
    .nullable()
    .describe(
      "Meta's rating of how customers react to the template: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. Null: not reported.",
    ),
  coming_category: z
    .object({ category: z.string(), at: isoTime.nullable() })
    .nullable()
    .describe('Category that Meta will change the template to, and when. Null: no change is announced.'),
  synced_at: isoTime,
})
export type TemplateView = z.infer<typeof templateView>

export const templateQuery = z.object({
  sender_code: senderCodeInput.optional(),
  ...paging,
  cursor: z
    .string()
    .max(600)
    .describe('Value of `next_cursor` from the previous page. Omitted: the first page.')
    .optional(),
})
export const templatesAnswer = listAnswer(templateView)
export const syncedAnswer = answer(z.object({ templates: z.number().int(), approved: z.number().int() }))
