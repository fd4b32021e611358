import { z } from 'zod'
import { readMessagingLimit, seconds } from './members.ts'

/** Shapes of Meta's answers, read tolerantly: members come and go with its versions. */

const text = z.string().nullable().catch(null)
const list = <T extends z.ZodType>(item: T) => z.array(item).catch([])

// We ask for 200.
const MOST_ROWS = 1000

/**
 * A page of a list, with the cursor of the next one. Meta's `next` address is not followed: it
 * holds the token.
 */
export const pageOf = <T extends z.ZodType>(row: T) =>
  z
    .object({
      data: z.array(row).max(MOST_ROWS),
      paging: z
        .object({ next: z.string(), cursors: z.object({ after: z.string() }) })
        .nullable()
        .catch(null),
    })
    .transform(({ data, paging }) => ({ rows: data, after: paging?.cursors.after ?? null }))

/** The fields of a question: Meta's answer is of no use without those that are needed. */
export interface Fields {
  needed: readonly string[]
  more: readonly string[]
}

/** Without its digits an object is no number. */
export const NUMBER_FIELDS: Fields = {
  needed: ['display_phone_number'],
  more: ['verified_name', 'quality_rating', 'status', 'name_status'],
}

export const numberCore = z
  .object({
    display_phone_number: text,
    verified_name: text,
    quality_rating: text,
    status: text,
    name_status: text,
  })
  .transform((number) => ({
    displayPhoneNumber: number.display_phone_number,
    verifiedName: number.verified_name,
    /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN`, `NA` */
    quality: number.quality_rating,
    /** `CONNECTED`, `PENDING`, `FLAGGED`, `RESTRICTED`, … */
    status: number.status,
    /**
     * State of the display name: `APPROVED`, `AVAILABLE_WITHOUT_REVIEW`, `PENDING_REVIEW`,
     * `DECLINED`, `EXPIRED`, `NONE`
     */
    nameStatus: number.name_status,
  }))

/**
 * Asked for in a call of their own: what is wrong with one of them says nothing about the number.
 */
export const NUMBER_EXTRAS: Fields = {
  needed: ['id'],
  more: [
    'platform_type',
    'throughput',
    'whatsapp_business_manager_messaging_limit',
    'health_status',
    'webhook_configuration',
  ],
}

const healthEntity = z.object({
  entity_type: text,
  can_send_message: text,
  errors: list(
    z.object({ error_code: z.number().nullable().catch(null), error_description: text, possible_solution: text }),
  ),
  additional_info: list(z.string()),
})

export const numberExtras = z
  .object({
    platform_type: text,
    throughput: z.object({ level: text }).catch({ level: null }),
    whatsapp_business_manager_messaging_limit: z.unknown().optional(),
    health_status: z
      .object({ can_send_message: text, entities: list(healthEntity) })
      .catch({ can_send_message: null, entities: [] }),
    webhook_configuration: z
      .object({ phone_number: text, whatsapp_business_account: text, application: text })
      .nullable()
      .catch(null),
  })
  .transform((number) => ({
    /** `CLOUD_API`, `ON_PREMISE`, `NOT_APPLICABLE` (not registered). */
    platform: number.platform_type,
    throughput: number.throughput.level,
    /** Limit of the whole business. */
    messagingLimit: readMessagingLimit(number.whatsapp_business_manager_messaging_limit),
    /** `AVAILABLE`, `LIMITED`, `BLOCKED` */
    canSend: number.health_status.can_send_message,
    /** Meta's reasons that keep the number, its account, business or app from sending. */
    problems: number.health_status.entities.flatMap(({ entity_type, errors, additional_info }) => [
      ...errors.map((error) => ({
        part: entity_type,
        code: error.error_code,
        description: error.error_description,
        solution: error.possible_solution,
      })),
      ...additional_info.map((description) => ({ part: entity_type, code: null, description, solution: null })),
    ]),
    /** Address of Meta's callbacks for this number; `null`: Meta did not say. */
    callbackUrl: number.webhook_configuration && callbackOf(number.webhook_configuration),
  }))
export type NumberExtras = z.infer<typeof numberExtras>
export type NumberHealth = z.infer<typeof numberCore> & NumberExtras

/**
 * The number's own address comes before that of the account, and that before the app's. Empty: none
 * is set.
 */
function callbackOf(set: { [level in 'phone_number' | 'whatsapp_business_account' | 'application']: string | null }) {
  return set.phone_number ?? set.whatsapp_business_account ?? set.application ?? ''
}

export const NO_EXTRAS: NumberExtras = {
  platform: null,
  throughput: null,
  messagingLimit: null,
  canSend: null,
  problems: [],
  callbackUrl: null,
}

/** Fields of a template. Those that a send is checked against are needed. */
export const TEMPLATE_FIELDS: Fields = {
  needed: ['id', 'name', 'language', 'status', 'category', 'components'],
  more: ['parameter_format', 'quality_score', 'rejected_reason'],
}

export const tokenAnswer = z
  .object({
    data: z.object({
      is_valid: z.boolean(),
      app_id: text,
      type: text,
      // 0: never
      expires_at: seconds,
      // Tokens of people have it: after it the app is let at nothing of theirs, although the token
      // is valid.
      data_access_expires_at: seconds,
      scopes: z.array(z.string()).catch([]),
      error: z.object({ message: text }).nullable().catch(null),
    }),
  })
  .transform(({ data }) => ({
    valid: data.is_valid,
    appId: data.app_id,
    /** Milliseconds; `null`: never. */
    expiresAt: endOf(data.expires_at, data.type === 'SYSTEM_USER' ? null : data.data_access_expires_at),
    scopes: data.scopes,
    reason: data.error?.message ?? null,
  }))

/** The first of some ends, where null is never. */
function endOf(...ends: (number | null)[]): number | null {
  const known = ends.filter((end) => end !== null)
  return known.length === 0 ? null : Math.min(...known)
}

export type TokenInfo = z.infer<typeof tokenAnswer>

export const subscribedApps = z
  .object({ data: z.array(z.object({ whatsapp_business_api_data: z.object({ id: z.string() }) })) })
  .transform(({ data }) => data.map((app) => app.whatsapp_business_api_data.id))

export const success = z.object({ success: z.literal(true) }).transform(() => true as const)

/** Fields of `message_history`: without `fields` Meta leaves the events out. */
export const HISTORY_FIELDS: Fields = {
  needed: ['events{delivery_status,timestamp}'],
  more: ['id', 'message_id'],
}

const historyEvent = z
  .object({
    delivery_status: z.string(),
    timestamp: seconds,
    // The name of the same member on the edge `/{history id}/events`.
    occurrence_timestamp: seconds,
  })
  .transform((event, context) => {
    const occurredAt = event.timestamp ?? event.occurrence_timestamp
    if (occurredAt === null) {
      context.addIssue('no time')
      return z.NEVER
    }
    const status = event.delivery_status.toLowerCase()
    return {
      /**
       * As in webhooks: `sent`, `delivered`, `read`, `failed`; others, such as `accepted`, as Meta
       * writes them.
       */
      status: status === 'error' ? 'failed' : status,
      occurredAt,
    }
  })
export type HistoryEvent = z.infer<typeof historyEvent>

/**
 * From Meta's OpenAPI description only; never seen in use, so one event of another form does not
 * spoil the rest. Its `error_description` is about the webhook and not about the message, and is
 * not read.
 */
export const historyAnswer = z
  .object({ data: z.array(z.object({ events: z.object({ data: list(z.unknown()) }).catch({ data: [] }) })) })
  .transform(({ data }) =>
    data
      .flatMap((message) => message.events.data)
      .map((event) => historyEvent.safeParse(event))
      .flatMap((parsed) => (parsed.success ? [parsed.data] : []))
      .sort((a, b) => a.occurredAt - b.occurredAt),
  )
