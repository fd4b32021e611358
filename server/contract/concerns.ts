import { z } from 'zod'
import { failureCode } from './failures.ts'
import { isoTime } from './fields.ts'

/**
 * Weights of concerns. `urgent`: messages wait, fail or are refused. `warning`: most messages
 * leave, but something is wrong. `choice`: the owner chose to hold messages back, or has not taken
 * a step yet. `note`: worth knowing, nothing is wrong.
 */
export const WEIGHTS = ['urgent', 'warning', 'choice', 'note'] as const
export const weight = z.enum(WEIGHTS)
export type Weight = z.infer<typeof weight>

/**
 * Actions of a concern's only button. `resume`, `use_here`, `try_again` and `resume_all` act at
 * once, the others open a page.
 */
export const CONCERN_ACTIONS = [
  'link',
  'link_again',
  'add_number',
  'resume',
  'use_here',
  'try_again',
  'resume_all',
  'what_to_do',
  'decide',
  'enter_token',
  'enter_secret',
  'correct_ids',
  'register',
  'see_why',
  'see_messages',
  'see_callbacks',
  'see_refused',
  'see_prints',
  'let_in',
  'change_limit',
  'change_hours',
  'change_pace',
  'open_settings',
  'back_up',
  'update',
] as const
export const concernAction = z.enum(CONCERN_ACTIONS)
export type ConcernAction = z.infer<typeof concernAction>

interface Kind {
  weight: Weight
  action?: ConcernAction
}

/**
 * Every kind of concern, by a stable name, with its weight and the action of its button. Concerns
 * of equal weight are listed in this order. Concerns are computed, not stored.
 */
const KINDS = {
  // No message can be accepted.
  storage_full: { weight: 'urgent' },
  storage_gone: { weight: 'urgent' },
  storage_read_only: { weight: 'urgent' },
  storage_unavailable: { weight: 'urgent' },
  storage_server_away: { weight: 'urgent' },
  storage_server_refuses: { weight: 'urgent' },
  storage_server_newer: { weight: 'urgent' },
  storage_server_full: { weight: 'urgent' },
  // No message with a file can be accepted or sent.
  files_unavailable: { weight: 'urgent' },
  // A linked number.
  banned: { weight: 'urgent', action: 'what_to_do' },
  locked: { weight: 'urgent', action: 'what_to_do' },
  temporarily_banned: { weight: 'urgent', action: 'what_to_do' },
  removed_by_whatsapp: { weight: 'urgent', action: 'what_to_do' },
  restricted: { weight: 'urgent', action: 'what_to_do' },
  logged_out: { weight: 'urgent', action: 'link_again' },
  session_unreadable: { weight: 'urgent', action: 'link_again' },
  other_phone: { weight: 'urgent', action: 'decide' },
  replaced: { weight: 'urgent', action: 'use_here' },
  passkey_required: { weight: 'urgent', action: 'link' },
  pairing_code_refused: { weight: 'urgent', action: 'link' },
  unlinked: { weight: 'urgent', action: 'link' },
  protocol_outdated: { weight: 'urgent', action: 'update' },
  refused_by_whatsapp: { weight: 'urgent' },
  untrusted_server: { weight: 'urgent' },
  offline: { weight: 'urgent', action: 'try_again' },
  offline_alone: { weight: 'urgent', action: 'what_to_do' },
  // An official number.
  token_refused: { weight: 'urgent', action: 'enter_token' },
  secrets_unreadable: { weight: 'urgent', action: 'enter_secret' },
  missing_permissions: { weight: 'urgent', action: 'enter_token' },
  wrong_ids: { weight: 'urgent', action: 'correct_ids' },
  not_registered: { weight: 'urgent', action: 'register' },
  account_deleted: { weight: 'urgent', action: 'what_to_do' },
  account_offboarded: { weight: 'urgent', action: 'what_to_do' },
  account_disabled: { weight: 'urgent', action: 'what_to_do' },
  account_locked: { weight: 'urgent', action: 'what_to_do' },
  account_unpaid: { weight: 'urgent', action: 'what_to_do' },
  account_reported: { weight: 'urgent', action: 'what_to_do' },
  category_violation: { weight: 'urgent', action: 'what_to_do' },
  name_unapproved: { weight: 'urgent', action: 'what_to_do' },
  account_restricted: { weight: 'urgent', action: 'what_to_do' },
  number_blocked: { weight: 'urgent', action: 'what_to_do' },
  wrong_app_secret: { weight: 'urgent', action: 'enter_secret' },
  callbacks_refused: { weight: 'warning', action: 'enter_secret' },
  not_moving: { weight: 'urgent', action: 'see_why' },
  messages_failing: { weight: 'urgent', action: 'see_messages' },
  wrong_numbers: { weight: 'warning', action: 'what_to_do' },
  new_chats_capped: { weight: 'warning', action: 'what_to_do' },
  reach_out_lock: { weight: 'warning', action: 'what_to_do' },
  // Something is wrong, but messages leave.
  sending_long: { weight: 'warning', action: 'see_messages' },
  disk_nearly_full: { weight: 'warning', action: 'open_settings' },
  statuses_cannot_arrive: { weight: 'warning', action: 'open_settings' },
  no_status_heard: { weight: 'warning', action: 'what_to_do' },
  account_disable_scheduled: { weight: 'warning', action: 'what_to_do' },
  token_expires: { weight: 'warning', action: 'enter_token' },
  account_violation: { weight: 'warning', action: 'what_to_do' },
  account_limited: { weight: 'warning', action: 'what_to_do' },
  account_alert: { weight: 'warning', action: 'what_to_do' },
  security_event: { weight: 'warning', action: 'what_to_do' },
  quality_red: { weight: 'warning', action: 'what_to_do' },
  template_paused: { weight: 'warning', action: 'see_why' },
  template_quality_low: { weight: 'warning', action: 'see_why' },
  checks_failing: { weight: 'warning', action: 'what_to_do' },
  endpoint_failing: { weight: 'warning', action: 'see_why' },
  endpoint_gone: { weight: 'warning', action: 'see_why' },
  callbacks_dead: { weight: 'warning', action: 'see_callbacks' },
  calls_refused: { weight: 'warning', action: 'see_refused' },
  printer_closed: { weight: 'warning', action: 'see_prints' },
  prints_full: { weight: 'warning', action: 'see_prints' },
  drop_folder_away: { weight: 'warning', action: 'open_settings' },
  drop_folder_stopped: { weight: 'warning', action: 'open_settings' },
  new_chats_nearly_used: { weight: 'warning', action: 'what_to_do' },
  messaging_limit_near: { weight: 'warning' },
  backup_folder_away: { weight: 'warning', action: 'back_up' },
  backup_failed: { weight: 'warning', action: 'back_up' },
  backup_late: { weight: 'warning', action: 'back_up' },
  node_gone: { weight: 'warning', action: 'what_to_do' },
  clock_off: { weight: 'warning' },
  graph_version_ends: { weight: 'warning', action: 'update' },
  // The owner's choice.
  all_paused: { weight: 'choice', action: 'resume_all' },
  paused: { weight: 'choice', action: 'resume' },
  paused_by_return: { weight: 'choice', action: 'resume' },
  daily_cap: { weight: 'choice', action: 'change_limit' },
  quiet_hours: { weight: 'choice', action: 'change_hours' },
  long_line: { weight: 'choice', action: 'change_pace' },
  nothing_linked: { weight: 'choice', action: 'add_number' },
  program_of_another_gateway: { weight: 'choice', action: 'let_in' },
  program_nearly_right: { weight: 'choice', action: 'see_why' },
  prints_wait: { weight: 'choice', action: 'see_prints' },
  drop_limit: { weight: 'choice', action: 'open_settings' },
  drop_files_failed: { weight: 'choice', action: 'open_settings' },
  // Worth knowing.
  some_failed: { weight: 'note', action: 'see_messages' },
  silent: { weight: 'note' },
  new_link: { weight: 'note' },
  owner_pages_open: { weight: 'note', action: 'open_settings' },
  lan_open: { weight: 'note', action: 'open_settings' },
  template_category_changed: { weight: 'note', action: 'see_why' },
  messaging_limit_changed: { weight: 'note' },
  name_approved: { weight: 'note', action: 'register' },
  update_available: { weight: 'note', action: 'update' },
  backup_never: { weight: 'note', action: 'back_up' },
  backup_old: { weight: 'note', action: 'back_up' },
  retention_never: { weight: 'note', action: 'open_settings' },
} as const satisfies Record<string, Kind>

export type ConcernCode = keyof typeof KINDS
export const CONCERN_KINDS: Readonly<Record<ConcernCode, Kind>> = KINDS
export const CONCERN_CODES = Object.keys(KINDS) as [ConcernCode, ...ConcernCode[]]
export const concernCode = z.enum(CONCERN_CODES)

const count = z.number().int()

/** Something that the owner must act on or should know. Its texts are in `server/words/`. */
export const concern = z.object({
  id: z.string().describe('Identifier of this concern. It stays the same for as long as the concern lasts.'),
  code: concernCode,
  weight,
  sender_code: z.string().nullable(),
  sender_name: z.string().nullable(),
  webhook_id: z.string().nullable(),
  host: z
    .string()
    .nullable()
    .describe("Host name in the webhook endpoint's URL. Null: the concern is not about a webhook endpoint."),
  program: z
    .string()
    .nullable()
    .describe(
      'Name of the API key whose requests are refused. Null: the concern is about something else, or no key was recognised.',
    ),
  waiting: count.describe('Number of messages that wait because of this concern.'),
  failed: count.describe(
    'Number of messages that failed because of this concern: since `since` for `messages_failing`, otherwise today.',
  ),
  count: count
    .nullable()
    .describe(
      'Further number that the concern is about. Its meaning depends on `code`: callbacks, refused requests, templates, senders, files, prints, days, free bytes (`disk_nearly_full`), or, for `messages_failing` and `some_failed`, all messages that ended, of which `failed` failed. Null: none.',
    ),
  reasons: z
    .array(z.object({ code: failureCode, count }))
    .describe('Reasons of the failed messages with their counts, the most frequent first.'),
  since: isoTime.nullable(),
  until: isoTime.nullable().describe('Time when the situation ends or takes effect. Null: unknown or not applicable.'),
  detail: z
    .string()
    .nullable()
    .describe(
      'Further detail; its meaning depends on `code`: an error code, the words of WhatsApp, Meta or the webhook endpoint, or the name of a folder, port, node or gateway. Null: none.',
    ),
  action: concernAction
    .nullable()
    .describe('Action of the button that the window shows for this concern. Null: the owner can only wait.'),
  page: z
    .string()
    .nullable()
    .describe("Path of the window's page on which the owner can solve the concern. Null: there is none."),
})
export type Concern = z.infer<typeof concern>

/** Members that a caller may set; createConcern fills in the rest. Times: ms since 1970. */
export type ConcernParts = Partial<Omit<Concern, 'code' | 'since' | 'until'>> & {
  since?: number | null
  until?: number | null
}

export function createConcern(code: ConcernCode, { since = null, until = null, ...parts }: ConcernParts = {}): Concern {
  const { weight, action = null } = CONCERN_KINDS[code]
  return {
    id: code,
    code,
    weight,
    sender_code: null,
    sender_name: null,
    webhook_id: null,
    host: null,
    program: null,
    waiting: 0,
    failed: 0,
    count: null,
    reasons: [],
    detail: null,
    action,
    page: null,
    ...parts,
    since: since === null ? null : new Date(since).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
  }
}

/** Concerns of one kind, counted. Needs no key to read: no name, no number, no address. */
export const concernCount = z.object({
  code: concernCode,
  weight,
  message: z.string().describe('What the concern is about, as a sentence in English. The wording may change.'),
  count: count.describe('Number of concerns of this kind.'),
  messages: count.describe('Number of messages that wait or failed because of concerns of this kind.'),
})
export type ConcernCount = z.infer<typeof concernCount>

/** True if the concern is worth an alarm: a badge, the tray icon, a notification. */
export const isAlarm = ({ weight: its }: Concern): boolean => its === 'urgent' || its === 'warning'
