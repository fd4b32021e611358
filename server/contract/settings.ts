import { z } from 'zod'
import { problem } from './field-problems.ts'
import { answer, boundedList } from './fields.ts'

export const LANGUAGES = ['en', 'id'] as const
export const language = z.enum(LANGUAGES)
export type Language = z.infer<typeof language>

/** BCP 47 tag with a region, by which a language writes numbers and times. */
export const LOCALES: Record<Language, string> = { en: 'en-GB', id: 'id-ID' }

const host = z.string().trim().min(1).max(255)
/** Words that a customer's whole message is compared with, without regard to case. */
const keywords = boundedList(z.string().trim().min(1).max(40), 50)

/** True for an origin as browsers send it: scheme, host and port, without a path. */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase()
}
const origin = z
  .string()
  .max(512)
  .refine(isOrigin, problem('wrong_form', { example: 'https://shop.example' }))
  .meta({ examples: ['https://shop.example'] })

const isHttps = (text: string): boolean => URL.parse(text)?.protocol === 'https:'

/** The owner's settings. `host`, `port` and `webhook_port` take effect at the next start. */
export const settings = z.object({
  language: language.default('en'),
  host: z
    .enum(['127.0.0.1', '0.0.0.0'])
    .default('127.0.0.1')
    .describe(
      'Network interface of the API. `127.0.0.1`: only programs on this PC can send. `0.0.0.0`: programs on the local network can, too.',
    ),
  port: z.number().int().min(1).max(65535).default(7420),
  webhook_port: z.number().int().min(1).max(65535).default(7421),
  remote_administration: z.boolean().default(false),
  allowed_hosts: boundedList(host, 50)
    .default([])
    .describe('Further host names that requests may use in the header `Host`, such as a public name.'),
  cors_origins: boundedList(origin, 50)
    .default([])
    .describe('Origins of web pages whose scripts may call the API from a browser (CORS).'),
  media_allowed_hosts: boundedList(host, 200)
    .default([])
    .describe('File servers on the local network from which Kurir may download files of messages.'),
  retention_days: z.number().int().min(1).max(3650).nullable().default(365),
  public_webhook_url: z
    .string()
    .max(2048)
    .refine(isHttps, problem('not_https'))
    .meta({ format: 'uri' })
    .nullable()
    .default(null),
  onboarded: z.boolean().default(false),
  files_quota_mb: z
    .number()
    .int()
    .min(100)
    .max(1_000_000)
    .default(2048)
    .describe('Most disk space for files that programs upload, in MiB.'),
  file_folders: boundedList(z.string().trim().min(1).max(1024), 20)
    .default([])
    .describe(
      'Folders of this PC whose files programs may send as `file:///…`. On Linux this includes their subfolders.',
    ),
  opt_out_keywords: keywords.default(['STOP', 'BERHENTI', 'UNREG', 'UNSUBSCRIBE']),
  opt_in_keywords: keywords.default(['START', 'MULAI']),
  compat_fonnte: z
    .boolean()
    .default(false)
    .describe('True: the Fonnte-compatible routes under /compat/fonnte are available.'),
  compat_wablas: z
    .boolean()
    .default(false)
    .describe('True: the Wablas-compatible routes under /compat/wablas are available.'),
  compat_panel: z
    .boolean()
    .default(false)
    .describe('True: the routes under /compat/panel, compatible with reseller panels (MPWA), are available.'),
  compat_waha: z
    .boolean()
    .default(false)
    .describe('True: the WAHA-compatible routes under /compat/waha are available.'),
  compat_cloud: z
    .boolean()
    .default(false)
    .describe("True: the routes under /compat/cloud, compatible with Meta's Cloud API, are available."),
  keys_in_addresses: z
    .boolean()
    .default(false)
    .describe(
      'True: programs on other PCs of the local network may also put their API key in the query string or body of requests under /compat. Programs on this PC always may.',
    ),
})
export type Settings = z.infer<typeof settings>

// Without defaults, which would overwrite the settings that a change leaves out.
const unwrapped = Object.fromEntries(Object.entries(settings.shape).map(([name, field]) => [name, field.unwrap()]))
export const updateSettingsRequest = z
  .object(unwrapped as { [K in keyof typeof settings.shape]: ReturnType<(typeof settings.shape)[K]['unwrap']> })
  .partial()
export type UpdateSettings = z.infer<typeof updateSettingsRequest>

export const settingsView = settings.extend({
  version: z.string(),
  home: z.string(),
  api_url: z.string(),
  lan_urls: z
    .array(z.string())
    .describe('Base URLs for programs on other PCs of the local network. Empty if the API is open to this PC only.'),
  webhook_url: z.string(),
  files_bytes: z.number().int().describe('Disk space that uploaded files use, in bytes.'),
  restart_needed: z.boolean(),
  node: z
    .string()
    .nullable()
    .describe('Name of the node that answers, if several nodes share a database. Null: there is only this Kurir.'),
})
export type SettingsView = z.infer<typeof settingsView>
export const settingsAnswer = answer(settingsView)

export const restartAnswer = answer(
  z.object({
    restarts: z
      .boolean()
      .describe('True: Kurir restarts by itself. False: changes take effect when somebody starts Kurir again.'),
  }),
)
