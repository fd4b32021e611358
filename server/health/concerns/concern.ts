import type { Concern, ConcernAction, ConcernCode, Weight } from '../../contract/concerns.ts'
import { isoTime } from '../../lib/clock.ts'
import type { SenderFacts } from './facts.ts'

interface Kind {
  weight: Weight
  action?: ConcernAction
}

/** How each kind of concern weighs, and what its button does. */
export const CONCERN_KINDS: Record<ConcernCode, Kind> = {
  storage_full: { weight: 'urgent' },
  storage_gone: { weight: 'urgent' },
  storage_read_only: { weight: 'urgent' },
  storage_unavailable: { weight: 'urgent' },
  storage_server_away: { weight: 'urgent' },
  storage_server_refuses: { weight: 'urgent' },
  storage_server_newer: { weight: 'urgent' },
  storage_server_full: { weight: 'urgent' },
  files_unavailable: { weight: 'urgent' },
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
  token_refused: { weight: 'urgent', action: 'enter_token' },
  secrets_unreadable: { weight: 'urgent', action: 'enter_secret' },
  missing_permissions: { weight: 'urgent', action: 'enter_token' },
  wrong_ids: { weight: 'urgent', action: 'correct_ids' },
  not_registered: { weight: 'urgent', action: 'register' },
  account_deleted: { weight: 'urgent', action: 'what_to_do' },
  account_offboarded: { weight: 'urgent', action: 'what_to_do' },
  account_disabled: { weight: 'urgent', action: 'what_to_do' },
  account_locked: { weight: 'urgent', action: 'what_to_do' },
  account_restricted: { weight: 'urgent', action: 'what_to_do' },
  number_blocked: { weight: 'urgent', action: 'what_to_do' },
  wrong_app_secret: { weight: 'urgent', action: 'enter_secret' },
  callbacks_refused: { weight: 'warning', action: 'enter_secret' },
  not_moving: { weight: 'urgent', action: 'see_why' },
  messages_failing: { weight: 'urgent', action: 'see_messages' },
  wrong_numbers: { weight: 'warning', action: 'what_to_do' },
  new_chats_capped: { weight: 'warning', action: 'what_to_do' },
  reach_out_lock: { weight: 'warning', action: 'what_to_do' },
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
  calls_refused: { weight: 'warning', action: 'see_refused' },
  printer_closed: { weight: 'warning', action: 'see_prints' },
  prints_full: { weight: 'warning', action: 'see_prints' },
  drop_folder_away: { weight: 'warning', action: 'open_settings' },
  drop_folder_stopped: { weight: 'warning', action: 'open_settings' },
  callbacks_dead: { weight: 'warning', action: 'see_callbacks' },
  new_chats_nearly_used: { weight: 'warning', action: 'what_to_do' },
  messaging_limit_near: { weight: 'warning' },
  backup_folder_away: { weight: 'warning', action: 'back_up' },
  backup_failed: { weight: 'warning', action: 'back_up' },
  backup_late: { weight: 'warning', action: 'back_up' },
  node_gone: { weight: 'warning', action: 'what_to_do' },
  clock_off: { weight: 'warning' },
  graph_version_ends: { weight: 'warning', action: 'update' },
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
}

/** Members that differ between concerns; the rest follows from the code. */
export type ConcernParts = Partial<Omit<Concern, 'code' | 'since' | 'until'>> & {
  since?: number | null
  until?: number | null
}

export function concern(code: ConcernCode, { since = null, until = null, ...parts }: ConcernParts = {}): Concern {
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
    since: since === null ? null : isoTime(since),
    until: until === null ? null : isoTime(until),
  }
}

export const senderConcern = (
  code: ConcernCode,
  { code: sender_code, name }: SenderFacts,
  parts: ConcernParts = {},
): Concern =>
  concern(code, {
    id: `${code}/${sender_code}`,
    sender_code,
    sender_name: name,
    page: pageOf(CONCERN_KINDS[code].action, sender_code),
    ...parts,
  })

/** Acts on how a sender sends. */
const OF_PACE: ReadonlySet<ConcernAction | undefined> = new Set([
  'change_limit',
  'change_hours',
  'change_pace',
] as const)

function pageOf(action: ConcernAction | undefined, senderCode: string): string {
  if (action === 'link' || action === 'link_again') return `/senders/${senderCode}/link`
  const section = OF_PACE.has(action) ? '#pace' : ''
  return action === 'update' ? '/settings#about' : `/senders?open=${senderCode}${section}`
}
