import { z } from 'zod'

/** What is read of Meta's answers, tolerantly: members come and go with its versions. */

const text = z.string().nullable().catch(null)

/** A page of a list, with the cursor of the next one. Meta's `next` address is not followed: it holds the token. */
export const pageOf = <T extends z.ZodType>(row: T) =>
  z
    .object({
      data: z.array(row),
      paging: z
        .object({ next: z.string(), cursors: z.object({ after: z.string() }) })
        .nullable()
        .catch(null),
    })
    .transform(({ data, paging }) => ({ rows: data, after: paging?.cursors.after ?? null }))

export const numberHealth = z
  .object({
    display_phone_number: text,
    verified_name: text,
    quality_rating: text,
    status: text,
    name_status: text,
    messaging_limit_tier: text,
    throughput: z.object({ level: text }).catch({ level: null }),
    health_status: z.object({ can_send_message: text }).catch({ can_send_message: null }),
  })
  .transform((number) => ({
    displayPhoneNumber: number.display_phone_number,
    verifiedName: number.verified_name,
    /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN` */
    quality: number.quality_rating,
    /** `CONNECTED`, `PENDING`, `FLAGGED`, `RESTRICTED`, … */
    status: number.status,
    nameStatus: number.name_status,
    messagingLimit: number.messaging_limit_tier,
    throughput: number.throughput.level,
    /** `AVAILABLE`, `LIMITED`, `BLOCKED` */
    canSend: number.health_status.can_send_message,
  }))
export type NumberHealth = z.infer<typeof numberHealth>

export const tokenAnswer = z
  .object({
    data: z.object({
      is_valid: z.boolean(),
      app_id: text,
      // 0: never
      expires_at: z.number().catch(0),
      scopes: z.array(z.string()).catch([]),
      error: z.object({ message: text }).nullable().catch(null),
    }),
  })
  .transform(({ data }) => ({
    valid: data.is_valid,
    appId: data.app_id,
    /** Milliseconds; `null`: never. */
    expiresAt: data.expires_at === 0 ? null : data.expires_at * 1000,
    scopes: data.scopes,
    reason: data.error?.message ?? null,
  }))
export type TokenInfo = z.infer<typeof tokenAnswer>

export const subscribedApps = z
  .object({ data: z.array(z.object({ whatsapp_business_api_data: z.object({ id: z.string() }) })) })
  .transform(({ data }) => data.map((app) => app.whatsapp_business_api_data.id))

const historyEvent = z
  .object({ delivery_status: z.string(), occurrence_timestamp: z.coerce.number(), error_description: text })
  .transform((event) => ({
    /** Lower case, as in webhooks: `sent`, `delivered`, `read`, `failed`, … */
    status: event.delivery_status.toLowerCase(),
    occurredAt: event.occurrence_timestamp * 1000,
    reason: event.error_description,
  }))
export type HistoryEvent = z.infer<typeof historyEvent>

/** From Meta's OpenAPI description only; never seen in use, so one event of another form does not spoil the rest. */
export const historyAnswer = z
  .object({ data: z.array(z.object({ events: z.object({ data: z.array(z.unknown()) }) })) })
  .transform(({ data }) =>
    data
      .flatMap((message) => message.events.data)
      .map((event) => historyEvent.safeParse(event))
      .flatMap((parsed) => (parsed.success ? [parsed.data] : []))
      .sort((a, b) => a.occurredAt - b.occurredAt),
  )
