import { z } from 'zod'
import { answer } from './envelope.ts'

/** The languages that the owner may choose. */
export const LANGUAGES = ['en', 'id'] as const
export const language = z.enum(LANGUAGES)
export type Language = z.infer<typeof language>

const host = z.string().trim().min(1).max(255)
/** A customer's whole message is compared with them, without regard to case. */
const keywords = z.array(z.string().trim().min(1).max(40)).max(50)

/** What the owner sets in the window, kept in the database. `host`, `port` and `webhook_port` count from the next start. */
export const settings = z.object({
  language: language.default('en'),
  host: z.enum(['127.0.0.1', '0.0.0.0']).default('127.0.0.1').describe('0.0.0.0 lets programs on the LAN send.'),
  port: z.number().int().min(1).max(65535).default(7420),
  webhook_port: z.number().int().min(1).max(65535).default(7421),
  remote_administration: z.boolean().default(false),
  allowed_hosts: z.array(host).max(50).default([]).describe('Public names that the Host header may have.'),
  cors_origins: z.array(z.url()).max(50).default([]),
  media_allowed_hosts: z.array(host).max(200).default([]),
  retention_days: z.number().int().min(1).max(3650).nullable().default(365),
  public_webhook_url: z
    .url({ protocol: /^https$/ })
    .nullable()
    .default(null),
  onboarded: z.boolean().default(false),
  files_quota_mb: z
    .number()
    .int()
    .min(100)
    .max(1_000_000)
    .default(2048)
    .describe('Room for files that programs send along, in MiB.'),
  file_folders: z
    .array(z.string().trim().min(1).max(1024))
    .max(20)
    .default([])
    .describe('Folders of this PC below which programs may name files as file:///… .'),
  opt_out_keywords: keywords.default(['STOP', 'BERHENTI', 'UNREG', 'UNSUBSCRIBE']),
  opt_in_keywords: keywords.default(['START', 'MULAI']),
  compat_fonnte: z.boolean().default(false).describe('Whether /compat/fonnte/… answers.'),
})
export type Settings = z.infer<typeof settings>

// Defaults must not fill what a change leaves out.
const unwrapped = Object.fromEntries(Object.entries(settings.shape).map(([name, field]) => [name, field.unwrap()]))
export const updateSettingsRequest = z
  .object(unwrapped as { [K in keyof typeof settings.shape]: ReturnType<(typeof settings.shape)[K]['unwrap']> })
  .partial()
export type UpdateSettings = z.infer<typeof updateSettingsRequest>

export const settingsView = settings.extend({
  version: z.string(),
  home: z.string(),
  api_url: z.string(),
  lan_urls: z.array(z.string()).describe('Addresses for other programs on the LAN, when it is open to them.'),
  webhook_url: z.string(),
  files_bytes: z.number().int().describe('Room that files take which programs sent along. Bytes.'),
  restart_needed: z.boolean(),
})
export type SettingsView = z.infer<typeof settingsView>
export const settingsAnswer = answer(settingsView)
