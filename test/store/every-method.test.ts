import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countSecondRoads, isReplyWanted, LAST_PLACE, quarterOf, type Store } from '../../server/store/index.ts'
import { nodesOf, openTestStore } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FAST } from '../support/lane.ts'
import { newRow } from '../support/new-message.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 21, 8)
const PHONE = '6281234567890'
const bytes = (text: string) => Buffer.from(text)

/** Nouns of one engine alone, which have tests of their own. */
const OF_ONE_ENGINE = ['NodeStore', 'SealedStore', 'FileBytesStore']

type Method = (...args: unknown[]) => unknown

/** The store, and the names of its methods that are called. */
function watch(store: Store) {
  const called = new Set<string>()
  const watched = (of: object): object =>
    new Proxy(of, {
      get(target, name: string) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === 'function')
          return (...args: unknown[]) => {
            called.add(name)
            return (member as Method).apply(target, args)
          }
        return typeof member === 'object' && member !== null ? watched(member) : member
      },
    })
  return { store: watched(store) as Store, called }
}

/** Names of the methods that the port has. */
function methodsOfPort(): string[] {
  const folder = join(import.meta.dirname, '../../server/store')
  const code = globSync('*.ts', { cwd: folder }).map((name) => readFileSync(join(folder, name), 'utf8'))
  const interfaces = code.flatMap((text) => [
    ...text.matchAll(/export interface (\w+Store|Store)\b[^{]*\{([\s\S]*?)\n\}/g),
  ])
  return interfaces
    .filter(([, name = '']) => !OF_ONE_ENGINE.includes(name))
    .flatMap(([, , body = '']) => [...body.matchAll(/^ {2}(\w+)(?:<.*>)?\(/gm)].map(([, name = '']) => name))
}

async function open() {
  const opened = await openTestStore({ home: temporaryFolder(), now: () => NOW, soon: 0 })
  onTestFinished(opened.close)
  return watch(opened)
}

const sender = (kind: 'linked' | 'official', code: string) =>
  ({ kind, code, settings: FAST, state: 'connected', official: null, createdAt: NOW }) as const

async function moved({ messages, queues, figures }: Store, senderId: number, to: number) {
  await messages.accept(newRow({ id: 'move', senderId, createdAt: NOW }), { unique: false })
  const counted = async () => {
    const rows = await figures.of([{ since: quarterOf(NOW), until: quarterOf(NOW) + DAY }])
    const queued = (id: number) => rows.filter((row) => row.senderId === id).reduce((sum, row) => sum + row.queued, 0)
    return [senderId, to].flatMap((id) => [queues.waiting(id), queued(id)])
  }
  const before = await counted()
  const road = { channel: 'standard', laneId: to, template: null, providerMessageId: null } as const
  const changed = await messages.change({ id: 'move' }, () => ({ at: NOW, senderId: to, road }))
  expect(changed?.after).toMatchObject({ senderId: to, laneId: to, movedFrom: senderId, status: 'queued' })
  expect(await messages.find({ id: 'move' })).toEqual(changed?.after)
  expect((await counted()).map((count, n) => count - (before[n] ?? 0))).toEqual([-1, -1, 1, 1])
  // The first one is remembered.
  await messages.change({ id: 'move' }, () => ({ at: NOW, senderId, road: { ...road, laneId: senderId } }))
  expect(await messages.find({ id: 'move' })).toMatchObject({ senderId, movedFrom: senderId })
}

async function nounsOfOwner({ keys, ownerSessions, settings, meta, search }: Store, senderId: number) {
  const key = await keys.add({
    ...{ id: 'k1', kind: 'device', name: 'till', senderId, hash: bytes('h'), hint: 'abcd', createdAt: NOW },
    ...{ refuseDuplicateReference: true, refuseDuplicateContentSeconds: 60, rateLimit: null, expiresAt: null },
    scopes: 'read' as const,
  })
  await keys.markUsed(new Map([[key.number, NOW + 1]]))
  expect(await keys.revoke('k1', NOW + 2)).toBe(true)
  expect(await keys.revoke('k1', NOW + 3)).toBe(false)
  expect(keys.list()).toMatchObject([{ number: 1, refuseDuplicateReference: true, lastUsedAt: NOW + 1 }])
  expect(keys.byHash(bytes('h'))).toMatchObject({ id: 'k1', revokedAt: NOW + 2 })

  const cookieHash = bytes('c')
  await ownerSessions.add({
    ...{ id: 's1', cookieHash, pageHash: bytes('p'), address: '::1', browser: null, createdAt: NOW, lastUsedAt: NOW },
  })
  await ownerSessions.markUsed('s1', NOW + 5)
  const used = { id: 's1', cookieHash, address: '::1', browser: null, lastUsedAt: NOW + 5 }
  expect(ownerSessions.list()).toMatchObject([used])
  expect([await ownerSessions.remove('s1'), await ownerSessions.remove('s1')]).toEqual([true, false])

  await settings.save({ language: 'id', port: 1 })
  await settings.save({ port: 2 })
  expect(settings.all()).toEqual({ language: 'id', port: 2 })
  expect([await meta.keep('data_key', 'one'), await meta.keep('data_key', 'two')]).toEqual(['one', 'one'])
  await meta.save('backup_at', '7')
  expect([meta.get('data_key'), meta.get('backup_at')]).toEqual(['one', '7'])

  expect(await search.step()).toBe(false)
}

async function nounsOfConnections(store: Store, linked: number, official: number) {
  const { contacts, groups, linkedFacts, officialFacts, templates, inbox, sessions, sendingState, retention } = store
  await contacts.change(linked, PHONE, { jid: 'jid', checkedAt: 5 })
  await contacts.learn(linked, [{ phone: PHONE, lastMessageAt: NOW, timer: null }])
  await contacts.learn(linked, [
    { phone: PHONE, lastMessageAt: 9, timer: { seconds: 60, setAt: 2 } },
    { phone: '62899', lastMessageAt: null, timer: null },
  ])
  await contacts.change(linked, PHONE, { form: 'pn', formWhile: 'lid' })
  await contacts.change(linked, PHONE, { timer: 90, setAt: 1 })
  const known = { jid: 'jid', checkedAt: 5, known: true, form: 'pn', formWhile: 'lid', timer: 60, lastMessageAt: NOW }
  expect(await contacts.get(linked, PHONE)).toEqual(known)
  expect(await contacts.get(linked, '62899')).toMatchObject({ known: true, timer: null, lastMessageAt: null })
  await contacts.forget(linked)
  expect(await contacts.get(linked, PHONE)).toBeUndefined()

  await linkedFacts.save(linked, { a: 1 })
  await linkedFacts.save(linked, { a: 2 })
  expect(await linkedFacts.get(linked)).toEqual({ a: 2 })
  const group = { jid: '1@g.us', name: 'Dapur', members: 3, canSend: true }
  await groups.replace(linked, [{ ...group, jid: '2@g.us', name: 'Bar', canSend: false }])
  await groups.replace(linked, [group, { ...group, jid: '3@g.us', name: 'Bar' }])
  expect(await groups.list(linked)).toEqual([{ ...group, jid: '3@g.us', name: 'Bar' }, group])
  await groups.replace(linked, [])
  expect(await groups.list(linked)).toEqual([])
  await officialFacts.change(official, () => ({ checkedAt: 3 }))
  expect(await officialFacts.change(official, ({ checkedAt }) => ({ tokenEndsAt: checkedAt }))).toMatchObject({
    tokenEndsAt: 3,
  })
  expect(await officialFacts.get(official)).toMatchObject({ checks: [], checkedAt: 3, tokenEndsAt: 3, news: [] })

  const template = { language: 'id', body: { a: 1 }, category: 'UTILITY', sendable: false }
  const names = ['one', 'two'].map((name) => ({ ...template, name }))
  await templates.replace(official, null, names, NOW, true)
  const coming = { category: 'UTILITY', at: NOW }
  await templates.change(official, { name: 'one', language: 'id', body: { a: 2 }, trouble: 'PAUSED', coming })
  expect(await templates.list(official)).toMatchObject([
    { name: 'one', body: { a: 2 }, trouble: 'PAUSED', coming },
    { name: 'two', trouble: null },
  ])
  await templates.replace(
    official,
    'one',
    [{ ...template, name: 'one', category: 'MARKETING', sendable: true }],
    NOW,
    true,
  )
  await templates.replace(official, 'two', [], NOW, false)
  expect(await templates.list(official)).toHaveLength(2)
  await templates.replace(official, 'two', [], NOW, true)
  expect(await templates.list(official)).toMatchObject([{ name: 'one', body: { a: 1 }, trouble: null, coming }])
  const after = NOW + 86_400_001
  await templates.replace(official, null, [{ ...template, name: 'one', category: 'MARKETING' }], after, true)
  expect(await templates.list(official)).toMatchObject([{ name: 'one', coming: null }])
  expect(templates.revision()).toBeTypeOf('number')

  expect(await inbox.add(bytes('d1'), [official], bytes('12345'), 1)).toBe(true)
  expect(await inbox.add(bytes('d1'), [official], bytes('other'), 2)).toBe(false)
  await inbox.add(bytes('d2'), [], bytes('678'), 2)
  await inbox.add(bytes('d3'), [], null, 3)
  expect(await inbox.has(bytes('d3'))).toBe(true)
  expect((await inbox.waiting(5)).map(({ body }) => body.toString())).toEqual(['12345'])
  expect((await inbox.waiting(6)).map(({ body }) => body.toString())).toEqual(['12345', '678'])
  await inbox.applied(
    (await inbox.waiting(6)).map(({ seq }) => seq),
    4,
  )
  expect(await inbox.waiting(6)).toEqual([])
  const of = (now: number) => ({ now: now + 8 * DAY, ended: 0 })
  expect([await retention.expire(of(3), 9), await retention.expire(of(4), 9)]).toEqual([2, 1])
  const early = { senderId: official, providerMessageId: 'wamid.e', status: 'sent', update: { x: 1 }, receivedAt: 5 }
  expect(await inbox.keepEarly(early)).toBe(true)
  expect(await inbox.early(official, 'wamid.e')).toEqual([early])
  expect(await inbox.ripe()).toEqual([])
  await inbox.dropEarly({ senderId: official, providerMessageId: 'wamid.e', status: early.status })
  await inbox.keepEarly(early)
  expect(await retention.expire({ now: 6 + 7 * DAY, ended: 0 }, 9)).toBe(1)
  expect(await inbox.early(official, 'wamid.e')).toEqual([])

  await sessions.change(linked, { credentials: { generation: 'current', value: bytes('c'), at: 1 } })
  const session = (id: string, value: Buffer | null) => ({ type: 'session', id, value })
  await sessions.setKeys(linked, [session('b', bytes('1')), session('a', bytes('2')), session('b', bytes('3'))])
  expect(await sessions.keysOf(linked, 'session')).toEqual([
    { id: 'a', value: bytes('2') },
    { id: 'b', value: bytes('3') },
  ])
  await sessions.setKeys(linked, [session('a', null)])
  const keys = [{ type: 'device-list', id: 'x', value: bytes('9') }]
  const credentials = { generation: 'current', value: bytes('new'), at: 2 } as const
  await sessions.change(linked, { keep: ['session'], credentials, keys })
  expect(await sessions.credentials(linked, 'current')).toEqual(bytes('new'))
  expect(await sessions.getKey(linked, 'session', 'b')).toEqual(bytes('3'))
  await sessions.change(linked, { keep: ['device-list'] })
  expect(await sessions.getKey(linked, 'session', 'b')).toBeUndefined()
  expect(await sessions.getKey(linked, 'device-list', 'x')).toEqual(bytes('9'))

  await Promise.all([1, 2, 3].map(() => sendingState.change(linked, (s) => ({ ...s, sentOnDay: s.sentOnDay + 1 }))))
  expect(await sendingState.get(linked)).toMatchObject({ sentOnDay: 3, day: '', lastSentAt: null })
  expect([...(await sendingState.all()).keys()]).toEqual([linked])
}

async function nounsOfCustomers({ endpoints, suppressions, replies, contacts, uploads }: Store, senderId: number) {
  const all = { phone: PHONE, senderId: null, scope: 'all', source: 'owner', at: 1 } as const
  expect(await suppressions.put({ ...all, senderId, scope: 'marketing' }, 'SND-1')).toEqual([1])
  expect(await suppressions.put(all, null)).toEqual([1])
  expect(await suppressions.put({ ...all, scope: 'marketing' }, null)).toBeUndefined()
  expect(await suppressions.put({ ...all, scope: 'marketing' }, null, true)).toBeDefined()
  expect(await suppressions.scopeOf(senderId, PHONE)).toBe('marketing')
  expect(await suppressions.list({ phone: PHONE, senderId, before: 99, limit: 1 })).toMatchObject([{ senderId: null }])
  expect(await suppressions.list({ limit: 9 })).toHaveLength(2)
  const by = { source: 'keyword', at: 2 } as const
  expect(await suppressions.remove({ phone: PHONE, senderId }, by, null)).toBeDefined()
  expect(await suppressions.remove({ phone: PHONE, senderId }, by, null)).toBeUndefined()
  await suppressions.remove({ phone: PHONE, senderId: null }, by, null)
  expect(await suppressions.scopeOf(senderId, PHONE)).toBeNull()

  expect(['SND-1', 'SND-9'].map((code) => isReplyWanted(endpoints.list(), code))).toEqual([true, true])
  const reply = { senderId, senderCode: 'SND-1', at: 1, author: 7, body: bytes('sealed'), expiresAt: NOW + 2 * DAY }
  expect(await replies.add({ ...reply, providerMessageId: 'in.1' })).toEqual([1])
  expect(await replies.add({ ...reply, providerMessageId: 'in.1' })).toEqual([])
  await replies.hear(senderId, 'obeyed', 'in.2', 1)
  const heard = ['in.2', 'in.1'].map((id) => replies.heardAt(senderId, 'obeyed', id))
  expect(await Promise.all(heard)).toEqual([1, null])
  for (const at of [5, 3]) await replies.hear(senderId, 'opted_in', PHONE, at)
  expect(await replies.heardAt(senderId, 'opted_in', PHONE)).toBe(5)

  expect(await contacts.heldUntil(senderId, PHONE, 1)).toBeNull()
  const file = { name: 'a.pdf', mimetype: 'application/pdf', kind: 'document', size: 5, sha256: 'x' } as const
  for (const id of ['f1', 'f2']) await uploads.add({ ...file, id, keyNumber: 1, createdAt: 1, expiresAt: NOW })
  expect(await uploads.unusedBytes(1, 0)).toBe(10)
  await uploads.remove('f1')
  expect(await uploads.get('f1')).toBeUndefined()
  expect(await uploads.list()).toMatchObject([{ id: 'f2', keyNumber: 1 }])
}

async function lifeOfMessages(store: Store, linked: number, official: number) {
  const { messages, queues, officialMessages, idempotency, uploads, figures, contacts, retention } = store
  const record = { scope: 's', key: 'k', hash: bytes('h'), since: 0, answer: null }
  const first = newRow({
    id: 'm1',
    senderId: linked,
    createdAt: NOW,
    referenceId: 'R',
    file: 'upload:f2',
    keyNumber: 1,
  })
  expect(await messages.accept(first, { unique: true, idempotency: record })).toEqual({ kind: 'accepted', seq: 1 })
  expect(await messages.accept({ ...first, id: 'm1b' }, { unique: true })).toEqual({
    ...{ kind: 'duplicate_reference', id: 'm1' },
  })
  expect(await messages.accept({ ...first, id: 'm1c' }, { unique: false, sameContentSince: 1 })).toEqual({
    ...{ kind: 'duplicate_content', id: 'm1' },
  })
  const asTemplate = { name: 't', language: 'id', components: [] }
  const of = { channel: 'template' as const, template: asTemplate }
  const template = newRow({ ...of, id: 'm2', senderId: official, createdAt: NOW + 1, attemptBegins: true })
  const asked = { providerMessageId: 'wamid.1', status: 'sending' } as const
  expect(await messages.accept({ ...template, ...asked }, { unique: false })).toEqual({ kind: 'accepted', seq: 2 })
  expect(await queues.interrupted()).toMatchObject([{ id: 'm2', attempts: 1 }])
  expect([queues.waiting(linked), await messages.newest()]).toEqual([1, { id: 'm2', seq: 2 }])
  expect(await idempotency.find(record, 0)).toEqual({ hash: bytes('h'), messageId: 'm1', answer: null })
  expect(await uploads.unusedBytes(1, 0)).toBe(0)

  const call = { request: { a: 1 }, httpStatus: 200, answer: null }
  const changed = await messages.change({ providerMessageId: 'wamid.1', senderId: official }, () => ({
    ...{ status: 'accepted', at: NOW, nextAt: null, attemptEnds: { outcome: 'acknowledged', reason: null } },
    content: bytes('content'),
    members: [['1@lid', '62@s.whatsapp.net']],
    receipts: { members: 1, delivered: '', read: '' },
    also: [
      { kind: 'provider_call', call },
      { kind: 'sending_state', update: (s) => ({ ...s, sentOnDay: 1 }) },
      { kind: 'known_contact' },
      { kind: 'marketing_hold', until: NOW + DAY },
      { kind: 'second_road', month: '2026-11', by: 1 },
      { kind: 'idempotency_answer', key: record, answer: { status: 200, body: '{}' } },
    ],
  }))
  expect(changed).toMatchObject({ before: { status: 'sending' }, after: { status: 'accepted' }, endpoints: [] })
  expect(await messages.change({ id: 'm2' }, () => null)).toBeUndefined()
  expect(await messages.attempts(2)).toMatchObject([{ number: 1, endedAt: NOW, outcome: 'acknowledged' }])
  expect(Buffer.from((await messages.content(2)) ?? '')).toEqual(bytes('content'))
  expect([await messages.members(2), await messages.members(1)]).toEqual([[['1@lid', '62@s.whatsapp.net']], undefined])
  expect((await messages.find({ seq: 2 }))?.receipts).toEqual({ members: 1, delivered: '', read: '' })
  expect(await messages.providerCall(2)).toEqual(call)
  expect(await countSecondRoads(figures, official, '2026-11')).toBe(1)
  expect(await contacts.heldUntil(official, PHONE, NOW)).toBe(NOW + DAY)
  expect(await idempotency.find(record, 0)).toMatchObject({ answer: { status: 200 } })
  await retention.expire({ now: NOW, ended: NOW + DAY + 1 }, 9)
  expect(await idempotency.find(record, 0)).toBeUndefined()
  expect(await officialMessages.templatesIn('accepted', NOW + 2, 5)).toEqual(['m2'])
  expect(await officialMessages.silentSince(official, 1, NOW + 2)).toBe(NOW)
  expect(await officialMessages.unsettled(official, 0, 1, NOW + 2, 5)).toMatchObject([
    { seq: 2, providerMessageId: 'wamid.1' },
  ])
  expect(await messages.peopleWrittenTo([official], 1)).toBe(1)
  await messages.change({ id: 'm2' }, () => ({ at: NOW, recipientUserId: 'ID.1' }))
  const numberOf = (id: string, lane = official) => officialMessages.numberOf(lane, id)
  expect(await Promise.all([numberOf('ID.1'), numberOf('ID.2'), numberOf('ID.1', linked)])).toEqual([PHONE, null, null])

  expect(await messages.find({ seq: 1 })).toMatchObject({ id: 'm1', endNamed: 'no', priority: 'normal' })
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
  await messages.accept(newRow({ id: 'high', senderId: linked, createdAt: NOW, priority: 'high' }), { unique: false })
  expect(ids(await queues.due(linked, NOW, 5))).toEqual(['high', 'm1'])
  expect(await queues.withDue(NOW)).toEqual(new Set([linked]))
  expect(await queues.dueBefore(linked, LAST_PLACE, NOW)).toBe(2)
  expect(await queues.nextExpiry(linked)).toBe(NOW + 3_600_000)
  expect(ids(await queues.waitingAfter(linked, { nextAt: NOW, seq: 1 }, 5))).toEqual(['high'])
  await messages.change({ id: 'm1' }, () => ({ at: NOW, nextAt: NOW + DAY }))
  expect(ids(await queues.waitingAfter(linked, { nextAt: NOW, seq: 9 }, 5))).toEqual(['m1'])
  expect(await queues.release(linked, NOW, 5)).toBe(1)
  expect(ids(await queues.due(linked, NOW, 1))).toEqual(['high'])
  expect(ids(await queues.overdue(linked, { now: NOW + DAY, ended: NOW + DAY }, 5)).toSorted()).toEqual(['high', 'm1'])
  await messages.change({ id: 'm1' }, () => ({ status: 'sending', at: NOW, attemptBegins: true }))
  expect(ids(await queues.repeats(linked, NOW, 5))).toEqual(['m1'])
  expect(await queues.sendingSince(NOW)).toEqual(new Map([[linked, { count: 1, since: NOW }]]))
  expect(ids(await messages.unfinished(official, 5))).toEqual(['m2'])
  const road = { ...of, laneId: official, providerMessageId: null }
  await messages.change({ id: 'high' }, () => ({ at: NOW, road }))
  expect(ids(await queues.onOtherRoads(linked, 5))).toEqual(['high'])
  expect(ids(await messages.list({ limit: 9, short: true }))).toEqual(['high', 'm2', 'm1'])
  expect(ids(await messages.list({ limit: 9, recipients: [PHONE], text: 'hal' }))).toEqual(['high', 'm2', 'm1'])
  expect(ids(await messages.after(1, 9))).toEqual(['m2', 'high'])
}

async function callbacks({ contacts, endpoints, events, deliveries, messages, retention }: Store) {
  const sent = await messages.change({ id: 'm1' }, () => ({ status: 'sent', at: NOW, nextAt: null }))
  expect(sent?.endpoints).toEqual([1])
  await messages.change({ id: 'm1' }, () => ({ status: 'delivered', at: NOW + 1 }))
  const [earlier = expect.unreachable(), later = expect.unreachable()] = await deliveries.ofMessage(1)
  expect([earlier, later]).toMatchObject([{ event: 'message.sent' }, { event: 'message.delivered', nextAt: null }])
  expect(await events.ofMessage(1)).toMatchObject([{ type: 'message.sent' }, { type: 'message.delivered' }])
  expect(await events.newest()).toBe((await events.get(later.eventSeq))?.seq)
  expect((await events.messagesSince(0, 9)).map(({ messageSeq }) => messageSeq)).toContain(1)
  expect((await deliveries.due(1, NOW, 99)).map(({ id }) => id)).toContain(earlier.id)

  const attempt = { at: NOW, status: 200, error: null, errorCode: null, body: 'ok', tookMs: 3 }
  await deliveries.record({ ...earlier, tries: 0 }, attempt, { state: 'delivered' })
  expect(await deliveries.attempts(earlier.id)).toEqual([attempt])
  expect(await deliveries.lastDelivered(1)).toBe(NOW)
  expect(await deliveries.get(later.id)).toMatchObject({ state: 'pending', nextAt: NOW + 3 })
  expect(await deliveries.nextAfter(1, NOW + 2)).toBe(NOW + 3)
  expect(await deliveries.hasten(1, NOW + 1, 9)).toBe(1)
  await deliveries.record({ ...later, tries: 0 }, attempt, { state: 'dead' })
  expect(await deliveries.replay(earlier.id, NOW + 5)).toBe(true)
  await deliveries.record({ ...earlier, tries: 0 }, attempt, { state: 'dead' })
  expect(await deliveries.counts()).toContainEqual({ endpointId: 1, state: 'dead', count: 2 })
  // In the order of the message, as before.
  const dead = [earlier, later].map(({ id }) => ({ id, endpointId: 1 })).toSorted((a, b) => a.id - b.id)
  expect(await deliveries.replayDead(1, 0, NOW + 9, 1)).toEqual(dead.slice(0, 1))
  expect(await deliveries.replayDead(1, dead[0]?.id ?? 0, NOW + 9, 9)).toEqual(dead.slice(1))
  expect(await deliveries.list({ messageId: 'm1', state: 'pending', endpointId: 1, limit: 9 })).toMatchObject([
    { id: later.id, nextAt: null },
    { id: earlier.id, nextAt: NOW + 9 },
  ])
  const reply = (await deliveries.list({ limit: 99 })).find(({ event }) => event === 'message.received')
  expect(await events.get(reply?.eventSeq ?? 0)).toMatchObject({ reply: bytes('sealed') })
  expect(await retention.expire({ now: NOW, ended: NOW + 2 * DAY }, 9)).toBe(1)
  await endpoints.change(1, () => ({ enabled: false, disabledReason: 'it is gone' }))
  expect(await deliveries.abandon(NOW + 1, 99)).toBeGreaterThan(2)
  expect(await deliveries.discardDead(null, 1)).toBe(1)
  expect(await deliveries.discardDead(null, 99)).toBeGreaterThan(1)
  expect(
    await events.addFor(1, { type: 'webhook.test', messageSeq: null, senderCode: null, at: 1, data: {} }),
  ).toBeGreaterThan(1)
  expect(endpoints.list()).toMatchObject([{ enabled: false, disabledReason: 'it is gone' }])
  expect(endpoints.get(1)?.secret).toEqual(bytes('secret 1'))
  expect([await deliveries.forget(1, 1), await deliveries.forget(2, 1)]).toEqual([1, 0])
  expect(await endpoints.remove(1)).toBe(true)
  expect(await retention.removeBefore({ ms: NOW + DAY, silent: NOW + DAY }, 50)).toBeGreaterThan(1)
  expect(await messages.find({ id: 'm1' })).toBeUndefined()
  await contacts.learn(1, [{ phone: '62877', lastMessageAt: NOW, timer: null }])
  expect(await retention.forgetPeople({ ms: NOW, now: NOW }, 50)).toBe(0)
  expect(await retention.forgetPeople({ ms: NOW + DAY, now: NOW }, 50)).toBe(1)
  await retention.scrub()
}

test('every method of the store does on both engines what it promises', async () => {
  const { store, called } = await open()
  const { senders, endpoints, uploads, figures, messages } = store
  const { id: linked } = await senders.add(sender('linked', 'SND-1'))
  const { id: official } = await senders.add(sender('official', 'SND-2'), (id) => bytes(`secret ${id}`))
  const { id: gone } = await senders.add({ ...sender('linked', 'SND-3'), kind: 'sandbox' })
  const names = [
    'message.sent',
    'message.delivered',
    'message.received',
    'contact.opted_out',
    'contact.opted_in',
  ] as const
  const endpoint = {
    url: 'http://127.0.0.1',
    events: [...names],
    format: 'kurir',
    senderCodes: null,
    enabled: true,
    createdAt: NOW,
  }
  await endpoints.add(endpoint, (id) => bytes(`secret ${id}`))
  expect(await senders.remove(gone, NOW)).toEqual([])
  expect(await senders.change(linked, () => ({ phone: '62811', phoneSince: NOW, paused: true }))).toEqual([])
  expect(await senders.change(gone, () => ({ paused: true }))).toBeUndefined()
  expect(senders.list().map(({ code }) => code)).toEqual(['SND-1', 'SND-2'])
  expect(senders.get(official)?.secrets).toEqual(bytes(`secret ${official}`))
  expect(senders.byCode('SND-1')).toMatchObject({
    ...{ phone: '62811', phoneSince: NOW, paused: true, announced: 'sender.linked' },
  })
  expect([senders.codeOf(gone), await senders.deleted(), [...senders.sandboxes()]]).toEqual(['SND-3', [gone], [gone]])

  await nodesOf(store)?.renew({ url: null, version: '1', startedAt: NOW })
  await nounsOfOwner(store, linked)
  await nounsOfConnections(store, linked, official)
  await nounsOfCustomers(store, linked)
  await lifeOfMessages(store, linked, official)
  expect(await messages.tallyOfRecipient(PHONE)).toHaveLength(3)
  const span = { since: quarterOf(NOW), until: quarterOf(NOW) + DAY }
  const counted = (await figures.of([span])).filter(({ senderId }) => senderId === linked)
  expect(counted.map(({ channel, sending, queued }) => [channel, sending, queued]).toSorted()).toEqual([
    ['standard', 1, 0],
    ['template', 0, 1],
  ])
  await callbacks(store)
  expect(await uploads.removeUnused(NOW + 1, 1)).toEqual(['f2'])
  expect([await figures.billed(span), await figures.nextBilled(0)]).toEqual([[], null])
  expect(await figures.forget(NOW + DAY)).toBeGreaterThan(0)
  await moved(store, linked, official)

  expect([store.problem(), await store.probe(), store.time.lastSet(), await store.removeCopies(1)]).toEqual([
    ...[null, true, null, []],
  ])
  const { bytes: size, versions } = await store.about()
  expect(size).toBeGreaterThan(1_000)
  expect(versions).toHaveProperty('kurir')
  await store.copyTo(temporaryFolder())
  await store.time.move({ by: 0, before: NOW, back: 0 }, () => undefined)
  const port = methodsOfPort()
  expect(port.length).toBeGreaterThan(100)
  expect(port.filter((name) => !called.has(name) && name !== 'close')).toEqual([])
})
