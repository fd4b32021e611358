import { describe, expect, test } from 'vitest'
import { concernLines } from '../../server/cli/operation.ts'
import { nodeConcern } from '../../server/cluster/nodes.ts'
import { CONCERN_CODES, type ConcernCode, concern, createConcern, isAlarm } from '../../server/contract/concerns.ts'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { UNSEEN } from '../../server/contract/shown.ts'
import { attentionItem } from '../../server/health/attention.ts'
import type { ConcernFacts, SenderFacts } from '../../server/health/concerns/facts.ts'
import { findConcerns } from '../../server/health/concerns/index.ts'
import { countConcerns } from '../../server/health/reports.ts'
import type { OfficialConcernFacts } from '../../server/senders/ports.ts'
import { ageConcerns, type BackupPlanFacts, planConcerns } from '../../server/slices/backup/index.ts'
import { dropFolderConcerns } from '../../server/slices/drop-folder/drop-folder.ts'
import { printerConcerns } from '../../server/slices/printer/printer.ts'
import { programConcern, refusalConcern } from '../../server/slices/refused-calls/groups.ts'
import { describeConcern } from '../../server/words/concern-text.ts'
import { en } from '../../server/words/en/index.ts'
import { id as indonesian } from '../../server/words/id/index.ts'
import { WORDS } from '../../server/words/index.ts'
import { concernFacts, endpointFacts, linkedFacts, NOW, officialFacts, outcome } from '../support/concern-facts.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const ofLinked = (more: Partial<SenderFacts>) => ({ senders: [linkedFacts({ waiting: 3, ...more })] })
const ofOfficial = (official: Partial<OfficialConcernFacts>, sender: Partial<SenderFacts> = {}) => ({
  senders: [officialFacts(official, sender)],
})
const refusedBecause = (reason: string) => ofOfficial({ failedChecks: ['token'] }, { state: 'offline', reason })
type AccountCode = NonNullable<OfficialConcernFacts['account']>[number]['code']
const reported = (code: AccountCode) =>
  ofOfficial({ account: [{ code, detail: 'SPAM', since: NOW - HOUR, until: NOW + DAY }] })

const planFacts = (more: Partial<BackupPlanFacts>): BackupPlanFacts => ({
  folder: '/media/usb/kurir',
  since: NOW - 4 * DAY,
  failed: null,
  isLate: true,
  ...more,
})

/** For each code what has to be so that it is the one concern. */
const CASES: Record<ConcernCode, Partial<ConcernFacts>> = {
  storage_full: { storage: 'storage_full' },
  storage_gone: { storage: 'storage_gone' },
  storage_read_only: { storage: 'storage_read_only' },
  storage_unavailable: { storage: 'storage_unavailable' },
  storage_server_away: { storage: 'storage_server_away', unread: true },
  storage_server_refuses: { storage: 'storage_server_refuses' },
  storage_server_newer: { storage: 'storage_server_newer' },
  storage_server_full: { storage: 'storage_server_full' },
  files_unavailable: { others: [createConcern('files_unavailable')] },
  banned: ofLinked({ state: 'restricted', reason: 'banned' }),
  locked: ofLinked({ state: 'restricted', reason: 'locked' }),
  temporarily_banned: ofLinked({ state: 'restricted', reason: 'temporarily_banned', until: NOW + HOUR }),
  removed_by_whatsapp: ofLinked({ state: 'logged_out', reason: 'removed_by_whatsapp' }),
  restricted: ofLinked({ state: 'restricted', reason: 'restricted_by_whatsapp' }),
  logged_out: ofLinked({ state: 'logged_out', reason: 'unlinked_on_phone' }),
  session_unreadable: ofLinked({ state: 'logged_out', reason: 'session_unreadable' }),
  other_phone: ofLinked({ otherPhone: '6289999999999' }),
  replaced: ofLinked({ state: 'replaced' }),
  passkey_required: ofLinked({ state: 'linking', linkingTrouble: { code: 'passkey_required', detail: null } }),
  pairing_code_refused: ofLinked({ state: 'linking', linkingTrouble: { code: 'pairing_code_refused', detail: '429' } }),
  unlinked: ofLinked({ state: 'unlinked', hasPhone: false }),
  protocol_outdated: ofLinked({ state: 'offline', reason: 'protocol_outdated' }),
  refused_by_whatsapp: ofLinked({ state: 'offline', reason: 'refused_by_whatsapp', detail: '409' }),
  untrusted_server: ofLinked({ state: 'offline', reason: 'untrusted_server' }),
  offline: ofLinked({ state: 'offline', reason: 'connection_lost', isDown: true }),
  offline_alone: {
    senders: [linkedFacts({}), linkedFacts({ id: 2, code: 'B', state: 'offline', isDown: true })],
  },
  token_refused: refusedBecause('token_refused'),
  secrets_unreadable: ofOfficial({ secretsUnreadable: true }),
  missing_permissions: refusedBecause('missing_permissions'),
  wrong_ids: refusedBecause('wrong_ids'),
  not_registered: refusedBecause('not_registered'),
  account_deleted: reported('account_deleted'),
  account_offboarded: reported('account_offboarded'),
  account_disabled: reported('account_disabled'),
  account_locked: reported('account_locked'),
  account_unpaid: reported('account_unpaid'),
  account_reported: reported('account_reported'),
  category_violation: reported('category_violation'),
  name_unapproved: reported('name_unapproved'),
  account_restricted: reported('account_restricted'),
  number_blocked: reported('number_blocked'),
  wrong_app_secret: refusedBecause('wrong_app_secret'),
  callbacks_refused: ofOfficial({ refusedCallbacks: 12 }),
  not_moving: ofLinked({ isStuck: true }),
  messages_failing: { outcomes: [outcome('sent', 8), outcome('failed', 35, 'recipient_not_on_whatsapp')] },
  wrong_numbers: ofLinked({ firstContacts: { why: 'wrong_numbers', until: NOW + HOUR } }),
  new_chats_capped: ofLinked({ firstContacts: { why: 'cap', until: NOW + HOUR } }),
  reach_out_lock: ofLinked({ firstContacts: { why: 'lock', until: NOW + HOUR } }),
  sending_long: ofLinked({ sendingLong: { count: 2, since: NOW - 16 * 60_000 } }),
  disk_nearly_full: { freeBytes: 499 * 1024 ** 2 },
  statuses_cannot_arrive: ofOfficial({ statuses: 'cannot_arrive' }),
  no_status_heard: ofOfficial({ statuses: { silentSince: NOW - HOUR } }),
  account_disable_scheduled: reported('account_disable_scheduled'),
  token_expires: ofOfficial({ tokenEndsAt: NOW + 13 * DAY }),
  account_violation: reported('account_violation'),
  account_limited: reported('account_limited'),
  account_alert: reported('account_alert'),
  security_event: reported('security_event'),
  quality_red: ofOfficial({ qualityIsRed: true, qualitySince: NOW - 8 * DAY }),
  template_paused: ofOfficial({ templatesLost: 1 }),
  template_quality_low: ofOfficial({ templatesOfLowQuality: ['promo (id)', 'promo (en)'] }),
  checks_failing: ofOfficial({ failedChecks: ['subscription'] }),
  endpoint_failing: { endpoints: [endpointFacts({ isFailing: true, failingSince: NOW - HOUR, pending: 4, dead: 2 })] },
  endpoint_gone: { endpoints: [endpointFacts({ isGone: true, enabled: false, pending: 4 })] },
  callbacks_dead: { endpoints: [endpointFacts({ dead: 3 })] },
  calls_refused: {
    others: [refusalConcern({ id: 'g1', key: 'Budi', code: 'invalid_request', times: 150, since: NOW - HOUR })],
  },
  printer_closed: { others: printerConcerns({ problem: 'port_taken', port: 9100, troubled: 0, since: null }) },
  drop_folder_away: { others: dropFolderConcerns({ folder: 'E:\\Kirim', problem: 'away', waiting: 0, failed: 0 }) },
  drop_folder_stopped: { others: dropFolderConcerns({ folder: 'E:\\Kirim', problem: 'stuck', waiting: 2, failed: 0 }) },
  prints_full: { others: printerConcerns({ problem: 'full', port: 9100, troubled: 0, since: null }) },
  new_chats_nearly_used: ofLinked({ newChatsNearlyUsed: { detail: '45 / 50', until: NOW + DAY } }),
  messaging_limit_near: ofOfficial({ messagingLimit: { used: 230, total: 250 } }),
  backup_folder_away: { others: planConcerns(planFacts({ failed: 'away' }), NOW) },
  backup_failed: { others: planConcerns(planFacts({ failed: 'full' }), NOW) },
  backup_late: { others: planConcerns(planFacts({}), NOW) },
  node_gone: { others: [nodeConcern({ name: 'third', seenAt: NOW - HOUR, silentFor: HOUR })] },
  clock_off: { clockWrongAt: NOW - HOUR },
  graph_version_ends: { graphVersionEndsAt: NOW + 30 * DAY },
  all_paused: { allPaused: true },
  paused: ofLinked({ paused: true }),
  paused_by_return: ofLinked({ paused: true, pausedByReturn: true }),
  daily_cap: ofLinked({ heldBy: 'daily_cap', heldUntil: NOW + HOUR }),
  quiet_hours: ofLinked({ heldBy: 'quiet_hours', heldUntil: NOW + HOUR }),
  long_line: ofLinked({ queueEndsAt: NOW + HOUR }),
  nothing_linked: { senders: [] },
  program_of_another_gateway: {
    others: [programConcern({ name: 'WAHA', way: 'mouth', times: 12, since: NOW - HOUR })],
  },
  program_nearly_right: { others: [programConcern({ name: 'Kurir', way: 'slip', times: 1, since: NOW - HOUR })] },
  drop_limit: { others: dropFolderConcerns({ folder: 'E:\\Kirim', problem: 'limit', waiting: 2, failed: 0 }) },
  drop_files_failed: { others: dropFolderConcerns({ folder: 'E:\\Kirim', problem: null, waiting: 0, failed: 2 }) },
  prints_wait: { others: printerConcerns({ problem: null, port: 9100, troubled: 2, since: NOW - HOUR }) },
  some_failed: { outcomes: [outcome('sent', 38), outcome('failed', 9, 'recipient_not_on_whatsapp')] },
  silent: { senders: [linkedFacts({ silentSince: NOW - 8 * DAY })] },
  new_link: ofLinked({ firstContacts: { why: 'new_link', until: NOW + HOUR } }),
  owner_pages_open: { lanOpen: true, ownerPagesOpen: true },
  lan_open: { lanOpen: true },
  template_category_changed: ofOfficial({ templatesRecategorized: 1 }),
  messaging_limit_changed: ofOfficial({ messagingLimitChanged: { at: NOW - HOUR, detail: '250 → 1000' } }),
  name_approved: ofOfficial({ nameApproved: { at: NOW - HOUR, name: 'Toko Maju' } }),
  update_available: { update: '1.2.0' },
  backup_never: { others: ageConcerns(null, NOW) },
  backup_old: { others: ageConcerns(NOW - 31 * DAY, NOW) },
  retention_never: { keptForEver: true },
}

const found = (more: Partial<ConcernFacts>) => findConcerns(concernFacts(more))
const codesOf = (more: Partial<ConcernFacts>) => found(more).map(({ code }) => code)

test('nothing is a concern while everything is well', () => {
  expect(found({})).toEqual([])
  expect(
    found({ freeBytes: null, others: ageConcerns(NOW - DAY, NOW), senders: [linkedFacts(), officialFacts()] }),
  ).toEqual([])
})

describe.each(CONCERN_CODES)('%s', (code) => {
  const concerns = found(CASES[code])

  test('is one concern, the same in the window, /health, tray and command line', () => {
    // The answer of /api/overview is held to this schema.
    expect(concerns.map((each) => concern.strict().parse(each).code)).toEqual([code])
    const [only] = concerns
    if (only === undefined) return
    const { title, advice, button } = describeConcern(only, en, NOW)
    expect(countConcerns(concerns, NOW)).toEqual([expect.objectContaining({ code, weight: only.weight, count: 1 })])
    const item = attentionItem(only, 'en', NOW)
    expect(item).toEqual({ id: only.id, title, body: advice, page: only.page ?? '/' })
    expect(concernLines(concerns, NOW)).toEqual([expect.stringMatching(/^(Urgent|Warning|Your choice|Note): /)])
    expect(concernLines(concerns, NOW)[0]).toContain(`${title} ${advice}`)
    expect(button === null).toBe(only.action === null)
  })

  test('keeps names, numbers and addresses out of /health', () => {
    const [{ message } = { message: '' }] = countConcerns(concerns, NOW)
    expect(message).not.toMatch(/Budi|Resmi|SND-|pos\.local|6289/)
    expect(message).toMatch(/^[A-Z1-9].*[.?]$/)
  })

  test.each(LANGUAGES)('has words of its own in %s, with everything filled in', (language) => {
    const texts = WORDS[language].concerns
    const [only] = concerns
    if (only === undefined) return
    const { title, meaning, advice } = describeConcern(only, WORDS[language], NOW)
    for (const words of [title, meaning, advice]) {
      expect(words).toMatch(/[.?]$/)
      expect(words).not.toMatch(/[{}[\]|]|undefined|null|NaN| {2}|\s[.,]/)
    }
    expect(CONCERN_CODES.filter((other) => texts[other].title === texts[code].title)).toEqual([code])
    if (language === 'id') expect(texts[code].advice).not.toBe(en.concerns[code].advice)
  })

  test('shows no name that turns what stands beside it', () => {
    const [only] = concerns
    if (only === undefined) return
    const told = describeConcern({ ...only, sender_name: 'Toko\u202e', host: 'a\u2066b', detail: 'x\u0007' }, en, NOW)
    expect(Object.values(told).join('')).not.toMatch(UNSEEN)
  })

  test('keeps its id while the matter lasts', () => {
    const later = findConcerns({ ...concernFacts(CASES[code]), now: NOW + 60_000 })
    expect(later.map(({ id }) => id)).toEqual(concerns.map(({ id }) => id))
  })
})

test('no two concerns share an id', () => {
  const senders = ['A', 'B'].map((code, id) => linkedFacts({ id, code, state: 'logged_out' }))
  const endpoints = [1, 2].map((id) => endpointFacts({ id, isFailing: true, pending: 1 }))
  const ids = found({ senders, endpoints, keptForEver: true }).map(({ id }) => id)
  expect(new Set(ids).size).toBe(5)
})

describe('order', () => {
  test('what refuses everything first, then messages that wait or fail, then what is only wrong, then choices and notes', () => {
    const senders = [
      linkedFacts({ id: 1, code: 'A', paused: true, waiting: 900 }),
      linkedFacts({ id: 2, code: 'B', state: 'restricted', reason: 'banned', waiting: 2 }),
      linkedFacts({ id: 3, code: 'C', state: 'logged_out', waiting: 38 }),
      officialFacts({ qualityIsRed: true }, { id: 4 }),
    ]
    const outcomes = [outcome('sent', 8), outcome('failed', 35, 'recipient_not_on_whatsapp')]
    expect(codesOf({ senders, outcomes, storage: 'storage_full', keptForEver: true })).toEqual([
      'storage_full',
      'logged_out',
      'banned',
      'messages_failing',
      'quality_red',
      'paused',
      'retention_never',
    ])
  })

  test("an owner's choice is no alarm", () => {
    for (const code of ['all_paused', 'paused', 'daily_cap', 'quiet_hours', 'long_line', 'nothing_linked'] as const) {
      expect(found(CASES[code]).map(isAlarm), code).toEqual([false])
    }
    // Unlinked by its owner: it is named, but nothing is wrong before a message waits for it.
    const unlinked = (waiting: number) =>
      found({ senders: [linkedFacts(), linkedFacts({ state: 'unlinked', waiting })] })
    expect([...unlinked(0), ...unlinked(1)].map(({ code, weight }) => [code, weight])).toEqual([
      ['unlinked', 'choice'],
      ['unlinked', 'urgent'],
    ])
  })
})

test('a line is long from half an hour on, and where it has no end within a year', () => {
  expect(codesOf(ofLinked({ queueEndsAt: NOW + 30 * MINUTE }))).toEqual([])
  expect(codesOf(ofLinked({ queueEndsAt: NOW + 30 * MINUTE + 1 }))).toEqual(['long_line'])
  const [endless] = found(ofLinked({ queueEndsAt: null, waiting: 9000 }))
  expect(describeConcern(endless ?? expect.unreachable(), en, NOW).title).toBe(
    'Toko Budi has much to send. 9,000 messages are waiting.',
  )
  const [long] = found(ofLinked({ queueEndsAt: NOW + HOUR, waiting: 2995 }))
  expect(describeConcern(long ?? expect.unreachable(), en, NOW).title).toBe(
    'Toko Budi has much to send: at its pace until about 16:00. 2,995 messages are waiting.',
  )
})

test('a drop folder that cannot be opened is told without a number', () => {
  const [closed] = found({
    others: dropFolderConcerns({ folder: 'E:\\Kirim', problem: 'not_writable', waiting: 0, failed: 0 }),
  })
  expect(describeConcern(closed ?? expect.unreachable(), en, NOW).title).toBe(
    'Kurir cannot take what is in the drop folder: writing to the folder is not allowed.',
  )
})

describe('one cause is one sentence', () => {
  test('an official number that Meta refuses has failing checks, refused messages and no statuses as well', () => {
    const senders = [
      officialFacts(
        { failedChecks: ['token', 'number'], statuses: { silentSince: NOW - HOUR } },
        { state: 'offline', reason: 'token_refused' },
      ),
    ]
    const outcomes = [outcome('failed', 9, 'provider_auth_failed', { senderId: 2 })]
    expect(found({ senders, outcomes })).toMatchObject([{ code: 'token_refused', failed: 9, action: 'enter_token' }])
  })

  test('a PC without a network', () => {
    const senders = [1, 2, 3].map((id) =>
      linkedFacts({ id, code: `S${id}`, state: 'offline', isDown: true, waiting: id, since: NOW - id * HOUR }),
    )
    const [only, ...others] = found({ senders })
    expect(others).toEqual([])
    expect(only).toMatchObject({ code: 'offline', waiting: 6, count: 3, since: new Date(NOW - 3 * HOUR).toISOString() })
    expect(only && describeConcern(only, en, NOW).title).toBe(
      '3 numbers cannot reach WhatsApp since 12:00. Is this PC online? 6 messages are waiting.',
    )
  })

  test('one number without a connection beside one that has it is not the network', () => {
    const away = linkedFacts({ id: 2, code: 'B', name: 'Gudang', state: 'offline', isDown: true, since: NOW - HOUR })
    const [only, ...others] = found({ senders: [linkedFacts({}), away] })
    expect(others).toEqual([])
    expect(only).toMatchObject({ code: 'offline_alone', sender_code: 'B' })
    const { title, meaning, advice } = describeConcern(only ?? expect.unreachable(), en, NOW)
    expect(title).toMatch(/^WhatsApp does not let Gudang in since .+\. Other numbers of this PC are connected\./)
    expect([title, advice].join()).not.toMatch(/online|internet/)
    expect(meaning).toContain('not the internet connection')
  })

  test('a closed shop: several numbers for which nothing comes any more, and no others', () => {
    const silent = { silentSince: NOW - 8 * DAY }
    const senders = [
      linkedFacts({ id: 1, code: 'A', silentSince: NOW - 10 * DAY }),
      linkedFacts({ id: 2, code: 'B', ...silent }),
      linkedFacts({ id: 3, code: 'C', ...silent, paused: true }),
      linkedFacts({ id: 4, code: 'D', ...silent, waiting: 1 }),
      linkedFacts({ id: 5, code: 'E', ...silent, state: 'logged_out' }),
    ]
    const its = found({ senders }).filter(({ code }) => code === 'silent')
    expect(its).toMatchObject([{ weight: 'note', count: 2, since: new Date(NOW - 8 * DAY).toISOString() }])
    expect(describeConcern(its[0] ?? expect.unreachable(), en, NOW).title).toMatch(
      /^Nothing was sent from 2 numbers since Fri 13 Nov/,
    )
    expect(found({ senders, allPaused: true }).filter(({ code }) => code === 'silent')).toEqual([])
  })

  test('a number of low quality and a token that ends soon are not failing checks as well', () => {
    const until = NOW + DAY
    expect(codesOf(ofOfficial({ qualityIsRed: true, failedChecks: ['number'] }))).toEqual(['quality_red'])
    expect(codesOf(ofOfficial({ tokenEndsAt: until, failedChecks: ['token'] }))).toEqual(['token_expires'])
    const both = ofOfficial({
      qualityIsRed: true,
      tokenEndsAt: until,
      failedChecks: ['number', 'token', 'subscription'],
    })
    expect(codesOf(both).toSorted()).toEqual(['checks_failing', 'quality_red', 'token_expires'])
  })

  test('a low quality and a program that takes no reports are told with their beginning', () => {
    const titleOf = (facts: Partial<ConcernFacts>) =>
      describeConcern(found(facts)[0] ?? expect.unreachable(), en, NOW).title
    expect(titleOf(CASES.quality_red)).toBe('The quality of Toko Resmi is low at Meta (since Fri 13 Nov 15:00).')
    expect(titleOf(CASES.endpoint_failing)).toBe(
      'Your program at pos.local:8080 does not answer Kurir as it should (since 14:00). 4 are waiting.',
    )
    const endpoints = [endpointFacts({ isFailing: true, pending: 1 })]
    expect(titleOf({ endpoints }), 'not known').toMatch(/answer Kurir as it should\. 1 is waiting\.$/)
  })

  test('an old backup is told with its age', () => {
    const [old] = found({ others: ageConcerns(NOW - 64 * DAY, NOW) })
    expect(describeConcern(old ?? expect.unreachable(), en, NOW).title).toMatch(/^The last backup is 64 days old \(/)
  })

  test('automatic backups are one concern, with their age, and take the place of the reminder', () => {
    const [away] = found({ others: planConcerns(planFacts({ failed: 'away' }), NOW) })
    const { title, advice } = describeConcern(away ?? expect.unreachable(), en, NOW)
    expect(title).toBe('The folder for backups is not there: there was no backup for 4 days.')
    expect(advice).toContain('/media/usb/kurir')
    const since = NOW - 3 * HOUR
    const [unplugged] = found({ others: planConcerns(planFacts({ failed: 'away', since, isLate: false }), NOW) })
    expect(unplugged?.weight, 'a stick that is put in once a day is no alarm').toBe('note')
    expect(describeConcern(unplugged ?? expect.unreachable(), en, NOW).title).toBe(
      'The folder for backups is not there.',
    )
    expect(codesOf({ others: planConcerns(planFacts({ isLate: false }), NOW) })).toEqual([])
  })

  test('messages that waited too long for several numbers without a network', () => {
    const senders = [1, 2].map((id) => linkedFacts({ id, code: `S${id}`, state: 'offline', isDown: true }))
    const outcomes = [1, 2].map((senderId) => outcome('failed', 30, 'expired', { senderId }))
    expect(found({ senders, outcomes })).toMatchObject([{ code: 'offline', count: 2, failed: 60 }])
  })

  test('messages that wait are counted at what holds them, not at the pause as well', () => {
    const senders = [linkedFacts({ state: 'logged_out', waiting: 5 }), linkedFacts({ id: 3, code: 'C', waiting: 2 })]
    expect(found({ senders, allPaused: true }).map(({ code, waiting }) => [code, waiting])).toEqual([
      ['logged_out', 5],
      ['all_paused', 2],
    ])
  })

  test('linking that was begun and left silences nothing', () => {
    expect(codesOf(ofLinked({ state: 'linking' }))).toEqual(['logged_out'])
    expect(codesOf(ofLinked({ state: 'linking', hasPhone: false }))).toEqual(['unlinked'])
    expect(codesOf(ofLinked({ state: 'linking', hasPhone: false, waiting: 0 }))).toEqual(['nothing_linked'])
  })
})

test('a break that callers did not hear of is no concern', () => {
  for (const state of ['connecting', 'offline'] as const) expect(codesOf(ofLinked({ state }))).toEqual([])
  expect(codesOf(ofOfficial({}, { state: 'offline' }))).toEqual([])
})

describe('failed messages', () => {
  const failing = (failed: number, sent: number, at = NOW - 2 * HOUR) =>
    codesOf({ outcomes: [outcome('sent', sent, null, { at }), outcome('failed', failed, 'expired', { at })] })

  test.each([
    ['none', 0, 0, null],
    ['the only one', 1, 0, 'some_failed'],
    ['one of two', 1, 1, 'some_failed'],
    ['two of three', 2, 1, 'messages_failing'],
    ['a few of many', 4, 15, 'some_failed'],
    ['very few of many', 4, 17, null],
    ['9 of 47', 9, 38, 'some_failed'],
    ['a fifth', 5, 20, 'messages_failing'],
    ['less than a fifth', 30, 200, 'some_failed'],
  ])('%s', (_, failed, sent, expected) => {
    expect(failing(failed, sent)).toEqual(expected === null ? [] : [expected])
  })

  test('that the owner has seen are no alarm, until as many fail again', () => {
    const failed = (count: number, more: Partial<ConcernFacts> = {}) =>
      codesOf({ outcomes: [outcome('sent', 38), outcome('failed', count, 'expired')], ...more })
    const seen = { failuresSeen: { at: NOW, failed: 28, ended: 66 } }
    expect(failed(28)).toEqual(['messages_failing'])
    expect(failed(28, seen)).toEqual(['some_failed'])
    expect(failed(29, seen)).toEqual(['some_failed'])
    expect(failed(30, seen)).toEqual(['messages_failing'])
  })

  test('that are new are an alarm also while the last hour is the whole day', () => {
    const now = new Date(2026, 10, 22, 0, 50).getTime()
    const at = now - HOUR / 2
    const outcomes = [outcome('sent', 38, null, { at }), outcome('failed', 30, 'expired', { at })]
    expect(codesOf({ now, outcomes, failuresSeen: { at: now, failed: 28, ended: 66 } })).toEqual(['messages_failing'])
  })

  test('are an alarm for an hour, whatever day begins in it', () => {
    const at = new Date(2026, 10, 21, 23, 45).getTime()
    const outcomes = [outcome('sent', 200, null, { at }), outcome('failed', 30, 'expired', { at })]
    const codes = (minutes: number, more: Partial<ConcernFacts> = {}) =>
      codesOf({ now: at + minutes * MINUTE, outcomes, ...more })
    expect([10, 20, 55].map((minutes) => codes(minutes))).toEqual(Array(3).fill(['messages_failing']))
    expect(codes(80)).toEqual([])
    expect(codes(20, { failuresSeen: { at: at + 12 * MINUTE, failed: 0, ended: 0 } })).toEqual([])
  })

  test('that are over come after what waits', () => {
    const outcomes = [outcome('sent', 38), outcome('failed', 28, 'recipient_not_on_whatsapp')]
    const senders = [linkedFacts({ state: 'offline', isDown: true, waiting: 14 })]
    expect(codesOf({ outcomes, senders })).toEqual(['offline', 'messages_failing'])
  })

  test('of yesterday are over', () => expect(failing(9, 0, NOW - DAY)).toEqual([]))

  test('without a last status after thirty days are no failures of this day', () =>
    expect(found({ outcomes: [outcome('sent', 8), outcome('failed', 106, 'no_final_status')] })).toEqual([]))

  test('ten of the last hour are seen however many were sent, nine are not', () => {
    const at = NOW - HOUR / 2
    const lately = (failed: number) => [
      outcome('sent', 500, null, { at }),
      outcome('failed', failed, 'expired', { at }),
    ]
    expect(codesOf({ outcomes: lately(9) })).toEqual(['some_failed'])
    expect(found({ outcomes: lately(10) })).toMatchObject([{ code: 'messages_failing', failed: 10, count: 510 }])
  })

  test('of the last hour are seen in a good day', () => {
    const at = NOW - HOUR / 2
    const outcomes = [outcome('sent', 500), outcome('failed', 5, 'media_unreachable', { at })]
    const [only] = found({ outcomes })
    expect(only).toMatchObject({ code: 'messages_failing', failed: 5, count: 5 })
    expect(only?.page).toBe(`/messages?status=failed&failed_from=${only?.since}`)
    expect(only && describeConcern(only, en, NOW).title).toBe(
      '5 of 5 messages failed since 14:00: file could not be downloaded.',
    )
  })

  test('are grouped by their reason', () => {
    const outcomes = [
      outcome('sent', 8),
      outcome('failed', 5, 'media_too_large'),
      outcome('failed', 20, 'recipient_not_on_whatsapp'),
      outcome('failed', 10, 'recipient_not_on_whatsapp', { senderId: 3, at: NOW - 3 * HOUR }),
    ]
    const [only] = found({ outcomes })
    expect(only?.reasons).toEqual([
      { code: 'recipient_not_on_whatsapp', count: 30 },
      { code: 'media_too_large', count: 5 },
    ])
    expect(only && describeConcern(only, en, NOW).title).toBe(
      '35 of 43 messages failed today: 30 not on WhatsApp, 5 file too large.',
    )
    expect(only && describeConcern(only, indonesian, NOW).title).toMatch(/^35 dari 43 pesan gagal hari ini: 30 /)
  })
})

test.each([
  ['banned', 'what_to_do', '/senders?open=SND-BUDI'],
  ['temporarily_banned', 'what_to_do', '/senders?open=SND-BUDI'],
  ['removed_by_whatsapp', 'what_to_do', '/senders?open=SND-BUDI'],
  ['logged_out', 'link_again', '/senders/SND-BUDI/link'],
  ['replaced', 'use_here', '/senders?open=SND-BUDI'],
  ['refused_by_whatsapp', null, '/senders?open=SND-BUDI'],
  ['protocol_outdated', 'update', '/settings#about'],
  ['wrong_app_secret', 'enter_secret', '/senders?open=SND-META'],
  [
    'messages_failing',
    'see_messages',
    `/messages?status=failed&failed_from=${new Date(new Date(NOW).setHours(0, 0, 0, 0)).toISOString()}`,
  ],
  ['endpoint_failing', 'see_why', '/webhooks?open=7'],
  ['printer_closed', 'see_prints', '/prints'],
  ['prints_wait', 'see_prints', '/prints'],
  ['callbacks_dead', 'see_callbacks', '/webhooks?state=dead'],
] as const)('the button of %s helps: %s', (code, action, page) => {
  expect(found(CASES[code])).toMatchObject([{ action, page }])
})
