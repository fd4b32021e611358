import { z } from 'zod'
import { readMessagingLimit, seconds } from './members.ts'

// Shapes of Meta's answers. Tolerant, because members come and go with the versions of the API.

const text = z.string().nullable().catch(null)
const list = <T extends z.ZodType>(item: T) => z.array(item).catch([])

// Our own limit: we ask for 200 at most.
const MOST_ROWS = 1000

/**
 * Page of a list, with the cursor of the next page. Meta's `next` address is not used, because it
 * contains the token.
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

/** Fields to ask Meta for. Without one of `needed` the answer is useless. */
export interface Fields {
  needed: readonly string[]
  more: readonly string[]
}

/** Without `display_phone_number` the object is not a number. */
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
    /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN`, `NA`. */
    quality: number.quality_rating,
    /** `CONNECTED`, `PENDING`, `FLAGGED`, `RESTRICTED`, …. */
    status: number.status,
    /**
     * State of the display name: `APPROVED`, `AVAILABLE_WITHOUT_REVIEW`, `PENDING_REVIEW`,
     * `DECLINED`, `EXPIRED`, `NONE`
     */
    nameStatus: number.name_status,
  }))

/** Asked for in a separate call, so that its failure does not hide the fields above. */
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
    /** For all numbers of the business together. */
    messagingLimit: readMessagingLimit(number.whatsapp_business_manager_messaging_limit),
    /** `AVAILABLE`, `LIMITED`, `BLOCKED`. */
    canSend: number.health_status.can_send_message,
    /** Reasons why the number, its account, business or app cannot send. */
    problems: number.health_status.entities.flatMap(({ entity_type, errors, additional_info }) => [
      ...errors.map((error) => ({
        part: entity_type,
        code: error.error_code,
        description: error.error_description,
        solution: error.possible_solution,
      })),
      ...additional_info.map((description) => ({ part: entity_type, code: null, description, solution: null })),
    ]),
    /** Address of Meta's callbacks for this number; empty if none is set, null if unknown. */
    callbackUrl: number.webhook_configuration && callbackOf(number.webhook_configuration),
  }))
export type NumberExtras = z.infer<typeof numberExtras>
export type NumberHealth = z.infer<typeof numberCore> & NumberExtras

/** Returns the address that Meta uses: the number's, else the account's, else the app's. */
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

/** A send is checked against the `needed` fields. */
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
      // 0: never.
      expires_at: seconds,
      // Only tokens of people have this end. After it the app cannot access the person's data,
      // although the token is valid.
      data_access_expires_at: seconds,
      scopes: z.array(z.string()).catch([]),
      error: z.object({ message: text }).nullable().catch(null),
    }),
  })
  .transform(({ data }) => ({
    valid: data.is_valid,
    appId: data.app_id,
    /** Milliseconds since 1970; null: never. */
    expiresAt: endOf(data.expires_at, data.type === 'SYSTEM_USER' ? null : data.data_access_expires_at),
    scopes: data.scopes,
    reason: data.error?.message ?? null,
  }))

/** Returns the earliest end; null means never. */
function endOf(...ends: (number | null)[]): number | null {
  const known = ends.filter((end) => end !== null)
  return known.length === 0 ? null : Math.min(...known)
}

export type TokenInfo = z.infer<typeof tokenAnswer>

export const subscribedApps = z
  .object({ data: z.array(z.object({ whatsapp_business_api_data: z.object({ id: z.string() }) })) })
  .transform(({ data }) => data.map((app) => app.whatsapp_business_api_data.id))

export const success = z.object({ success: z.literal(true) }).transform(() => true as const)

/** Fields of `message_history`. Meta returns events only if `fields` names them. */
export const HISTORY_FIELDS: Fields = {
  needed: ['events{delivery_status,timestamp}'],
  more: ['id', 'message_id'],
}

const historyEvent = z
  .object({
    delivery_status: z.string(),
    timestamp: seconds,
    // Name of `timestamp` on the edge `/{history id}/events`.
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
       * `sent`, `delivered`, `read` or `failed`, as in webhooks, or another word of Meta, such as
       * `accepted`, in lower case.
       */
      status: status === 'error' ? 'failed' : status,
      occurredAt,
    }
  })
export type HistoryEvent = z.infer<typeof historyEvent>

/**
 * Known only from Meta's OpenAPI description and never seen in use, so events of another form are
 * skipped. `error_description` is not read, because it is about the webhook and not the message.
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
