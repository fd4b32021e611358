import { z } from 'zod'
import { answer, isoTime, shaped } from '../../contract/fields.ts'
import { phoneInput } from '../../contract/phone.ts'
import { CALLBACK_ERRORS } from '../../contract/webhooks.ts'

export const ALARM_KINDS = ['email', 'telegram', 'ntfy', 'whatsapp'] as const
export const alarmKind = z.enum(ALARM_KINDS)
export type AlarmKind = z.infer<typeof alarmKind>

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max)
    .regex(/^[^\r\n\0]*$/, 'must be one line')
const secret = line(512)
const httpUrl = z.url({ protocol: /^https?$/ }).max(512)

/**
 * SMTP. `tls`: encrypted from the start (port 465). `starttls`: encrypted before the password
 * (587). `none`: only inside a network that is trusted.
 */
export const emailAlarm = z.object({
  host: line(255),
  port: z.number().int().min(1).max(65535),
  security: z.enum(['tls', 'starttls', 'none']),
  user: line(255).nullable(),
  password: secret.nullable(),
  from: z.email().max(255),
  to: z.email().max(255),
})
/** Telegram's Bot API, sendMessage. */
export const telegramAlarm = z.object({
  token: secret,
  chat_id: line(64),
  api_url: httpUrl
    .default('https://api.telegram.org')
    .describe('Base URL of the Telegram Bot API, if you use your own server.'),
})
/** ntfy: the text is posted to a topic's URL. */
export const ntfyAlarm = z.object({ url: httpUrl, token: secret.nullable() })
/** A WhatsApp message that Kurir queues itself, through a connected sender. */
export const whatsappAlarm = z.object({ sender_code: z.string().max(64), phone: phoneInput })

const clockTime = shaped(/^([01]\d|2[0-3]):[0-5]\d$/, '20:00')

/** Stored encrypted (sealed) in the database. */
export const alarmSettings = z.object({
  email: emailAlarm.nullable().default(null),
  telegram: telegramAlarm.nullable().default(null),
  ntfy: ntfyAlarm.nullable().default(null),
  whatsapp: whatsappAlarm.nullable().default(null),
  daily_at: clockTime
    .nullable()
    .default(null)
    .describe(
      'Time of day, in the time zone of this PC, for a daily message with the figures of the day, such as `20:00`. Null: no daily message.',
    ),
})
export type AlarmSettings = z.infer<typeof alarmSettings>

/**
 * PATCH /api/alarms: absent fields stay, null switches a channel off. An absent secret stays only
 * while the address of its server does.
 */
export const updateAlarmsRequest = z
  .object({
    email: emailAlarm.extend({ password: secret.nullish() }).nullable(),
    telegram: telegramAlarm.extend({ token: secret.optional() }).nullable(),
    ntfy: ntfyAlarm.extend({ token: secret.nullish() }).nullable(),
    whatsapp: whatsappAlarm.nullable(),
    daily_at: clockTime.nullable(),
  })
  .partial()
export type UpdateAlarms = z.infer<typeof updateAlarmsRequest>

export const alarmFailure = z.object({
  error: z.string().describe('Why the channel did not accept the alarm, in English.'),
  error_code: z
    .enum([...CALLBACK_ERRORS, 'login_refused', 'sender_not_connected'])
    .nullable()
    .describe('The reason as a code, for translation. Null: only `error` says it.'),
  status: z
    .number()
    .int()
    .nullable()
    .describe("HTTP status of the response of the channel's server, for `answered`; otherwise null."),
  said: z
    .string()
    .nullable()
    .describe("Words of the channel's server, for `answered` and `login_refused`; otherwise null."),
})
export type AlarmFailure = z.infer<typeof alarmFailure>

/** Secrets can be written but not read back. */
export const alarmsView = z.object({
  email: emailAlarm.omit({ password: true }).extend({ password_set: z.boolean() }).nullable(),
  telegram: telegramAlarm.omit({ token: true }).nullable(),
  ntfy: ntfyAlarm.omit({ token: true }).extend({ token_set: z.boolean() }).nullable(),
  whatsapp: whatsappAlarm.nullable(),
  daily_at: clockTime.nullable(),
  last: z
    .object({ at: isoTime, failed: z.array(alarmFailure.extend({ kind: alarmKind })) })
    .nullable()
    .describe(
      'Result of the newest attempt to send an alarm or the daily message since Kurir started; `failed` lists the channels that did not work. Null: no attempt yet.',
    ),
})
export type AlarmsView = z.infer<typeof alarmsView>
export const alarmsAnswer = answer(alarmsView)

/** POST /api/alarms/test */
export const testAlarmRequest = z.object({ kind: alarmKind })
export const testAlarmAnswer = answer(
  alarmFailure.extend({
    error: alarmFailure.shape.error
      .nullable()
      .describe("Why the test alarm could not be sent, in English. Null: the channel's server accepted it."),
  }),
)
