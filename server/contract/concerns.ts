import { z } from 'zod'
import { isoTime } from './envelope.ts'
import { failureCode } from './failures.ts'

/**
 * How a concern weighs. `urgent`: messages wait, fail or are refused. `warning`: most messages
 * leave, but something is wrong. `choice`: the owner's own choice, or what the owner has not done
 * yet, holds messages back. `note`: worth knowing, nothing is wrong.
 */
export const WEIGHTS = ['urgent', 'warning', 'choice', 'note'] as const
export const weight = z.enum(WEIGHTS)
export type Weight = z.infer<typeof weight>

/**
 * Everything that may need the owner, by a stable name; where two harm alike, the earlier one comes
 * first. Not stored.
 */
export const CONCERN_CODES = [
  // Nothing can be accepted.
  'storage_full',
  'storage_gone',
  'storage_read_only',
  'storage_unavailable',
  'storage_server_away',
  'storage_server_refuses',
  'storage_server_newer',
  'storage_server_full',
  // Nothing with a file can be accepted or sent.
  'files_unavailable',
  // A linked number.
  'banned',
  'locked',
  'temporarily_banned',
  'removed_by_whatsapp',
  'restricted',
  'logged_out',
  'session_unreadable',
  'other_phone',
  'replaced',
  'passkey_required',
  'pairing_code_refused',
  'unlinked',
  'protocol_outdated',
  'refused_by_whatsapp',
  'untrusted_server',
  'offline',
  'offline_alone',
  // An official number.
  'token_refused',
  'secrets_unreadable',
  'missing_permissions',
  'wrong_ids',
  'not_registered',
  'account_deleted',
  'account_offboarded',
  'account_disabled',
  'account_locked',
  'account_restricted',
  'number_blocked',
  'wrong_app_secret',
  'callbacks_refused',
  'not_moving',
  'messages_failing',
  'wrong_numbers',
  'new_chats_capped',
  'reach_out_lock',
  // Something is wrong, but messages leave.
  'sending_long',
  'disk_nearly_full',
  'statuses_cannot_arrive',
  'no_status_heard',
  'account_disable_scheduled',
  'token_expires',
  'account_violation',
  'account_limited',
  'account_alert',
  'security_event',
  'quality_red',
  'template_paused',
  'template_quality_low',
  'checks_failing',
  'endpoint_failing',
  'endpoint_gone',
  'callbacks_dead',
  'calls_refused',
  'printer_closed',
  'prints_full',
  'drop_folder_away',
  'drop_folder_stopped',
  'new_chats_nearly_used',
  'messaging_limit_near',
  'backup_folder_away',
  'backup_failed',
  'backup_late',
  'node_gone',
  'clock_off',
  'graph_version_ends',
  // The owner's choice.
  'all_paused',
  'paused',
  'paused_by_return',
  'daily_cap',
  'quiet_hours',
  'long_line',
  'nothing_linked',
  'program_of_another_gateway',
  'program_nearly_right',
  'prints_wait',
  'drop_limit',
  'drop_files_failed',
  // Worth knowing.
  'some_failed',
  'silent',
  'new_link',
  'owner_pages_open',
  'lan_open',
  'template_category_changed',
  'messaging_limit_changed',
  'name_approved',
  'update_available',
  'backup_never',
  'backup_old',
  'retention_never',
] as const
export const concernCode = z.enum(CONCERN_CODES)
export type ConcernCode = z.infer<typeof concernCode>

/**
 * The act of the one button. `resume`, `use_here`, `try_again` and `resume_all` act at once, the
 * others lead to a page.
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

const count = z.number().int()

/** Something that the owner needs or should know. Its words are in `server/words/`. */
export const concern = z.object({
  id: z.string().describe('Stays the same for as long as the concern lasts.'),
  code: concernCode,
  weight,
  sender_code: z.string().nullable(),
  sender_name: z.string().nullable(),
  webhook_id: z.string().nullable(),
  host: z.string().nullable().describe('Of the webhook.'),
  program: z.string().nullable().describe('Name of the API key of a program that is refused.'),
  waiting: count.describe('Messages that wait because of it.'),
  failed: count.describe('Messages that failed because of it: since `since` for `messages_failing`, otherwise today.'),
  count: count
    .nullable()
    .describe('What else its sentence counts: callbacks, calls, templates, bytes, numbers, of how many messages.'),
  reasons: z.array(z.object({ code: failureCode, count })).describe('Of failed messages, the most frequent one first.'),
  since: isoTime.nullable(),
  until: isoTime.nullable().describe('When it ends, or takes effect.'),
  detail: z.string().nullable().describe('The code or the words of WhatsApp, Meta or the receiver.'),
  action: concernAction.nullable().describe('What the one button does; null where the owner can only wait.'),
  page: z.string().nullable().describe('The page of the window where it is solved.'),
})
export type Concern = z.infer<typeof concern>

/** Concerns of one kind, as anybody may read them: no name, no number, no address. */
export const concernCount = z.object({
  code: concernCode,
  weight,
  message: z.string().describe('In English.'),
  count: count.describe('How many there are of this kind.'),
  messages: count.describe('Messages that wait or failed because of them.'),
})
export type ConcernCount = z.infer<typeof concernCount>

/** True if it is worth an alarm: a badge, the tray, a notification. */
export const isAlarm = ({ weight: its }: Concern): boolean => its === 'urgent' || its === 'warning'
