import { expect, it } from 'vitest'
import type { SenderCheck } from '../../../server/contract/official-senders.ts'
import type { Overview } from '../../../server/contract/operation.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import type { TemplateView } from '../../../server/contract/templates.ts'
import { MINUTE } from '../../../server/lib/clock.ts'
import { en } from '../../../server/words/en/index.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import type { GraphPeer } from '../../support/graph-peer/graph-peer.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import {
  APP_SECRET,
  addOfficial,
  applied,
  inState,
  sendTemplate,
  startOfficial,
  VERIFY_TOKEN,
} from '../../support/official.ts'

const template = (name: string, language: string, status = 'APPROVED', text = 'Halo {{1}}') =>
  textTemplate(name, language, text, { status })

const withTemplates = (peer: GraphPeer) => {
  peer.state.templates = [template('invoice', 'id'), template('invoice', 'en'), template('promo', 'id', 'PAUSED')]
}

const view = async (app: TestApp, code: string) => (await app.owner<SenderView>(`/api/senders/${code}`)).body.data
const check = async (app: TestApp, code: string): Promise<Map<string, SenderCheck>> => {
  const answer = await app.owner<SenderView>(`/api/senders/${code}/check`, { method: 'POST' })
  expect(answer.status, answer.text).toBe(200)
  return new Map(answer.body.data.official?.checks.map((each) => [each.name, each]))
}

it('no answer, file or log line contains secrets', async () => {
  const { app, code, peer } = await startOfficial()
  await sendTemplate(app)
  const texts = [
    (await app.owner(`/api/senders/${code}`)).text,
    (await app.owner('/api/senders')).text,
    (await app.owner('/senders')).text,
    (await app.fetch('/health')).text,
    (await app.owner('/metrics')).text,
    app.logs(),
    JSON.stringify(app.app.store.senders.list(), (_key, value: unknown) =>
      Buffer.isBuffer(value) ? String(value) : value,
    ),
  ].join('')
  for (const secret of [peer.token, APP_SECRET, VERIFY_TOKEN]) expect(texts).not.toContain(secret)
  expect(await view(app, code)).toMatchObject({
    official: { phone_number_id: '106540352242922', waba_id: '102290129340398' },
    phone: '622155501234',
    account_name: 'Toko Maju',
    state: 'connected',
  })
})

it('changes one secret and keeps the others', async () => {
  const { app, code, meta } = await startOfficial()
  const changed = await app.owner(`/api/senders/${code}`, { method: 'PATCH', body: { verify_token: 'another one' } })
  expect(changed.status).toBe(200)
  expect((await meta.handshake({ verifyToken: VERIFY_TOKEN })).status).toBe(403)
  expect((await meta.handshake({ verifyToken: 'another one' })).status).toBe(200)
  expect((await sendTemplate(app)).status).toBe(200)
})

it('asks for the secrets again when they were sealed with the key of another PC', async () => {
  const { app, code } = await startOfficial()
  const { store } = app.app
  const id = store.senders.byCode(code)?.id ?? 0
  await store.senders.change(id, () => ({ secrets: Buffer.alloc(60) }))
  const refused = await sendTemplate(app)
  expect(refused.status).toBe(409)
  expect(refused.body.message).toContain('Enter its access token')
  expect((await app.fetch('/health')).text).toContain('secrets_unreadable')
  const body = { access_token: 'EAAPeerToken0123456789abcdefghij', app_secret: APP_SECRET, verify_token: VERIFY_TOKEN }
  await app.owner(`/api/senders/${code}`, { method: 'PATCH', body })
  expect((await sendTemplate(app)).status).toBe(200)
})

it('checks everything, and says what to do about each', async () => {
  const { app, code, peer } = await startOfficial({ prepare: withTemplates })
  const good = await check(app, code)
  expect([...good].filter(([, { ok }]) => !ok).map(([name]) => name)).toEqual(['public_address', 'statuses'])
  expect(peer.state.subscribedApps).toHaveLength(1)
  expect((await app.owner(`/api/senders/SND-SANDBOX/check`, { method: 'POST' })).status).toBe(422)

  peer.state.tokenInfo = { ...peer.state.tokenInfo, scopes: [] }
  expect((await check(app, code)).get('permissions')?.message).toContain('whatsapp_business_messaging')
  await inState(app, code, 'offline', 'missing_permissions')

  peer.state.tokenInfo = { ...peer.state.tokenInfo, is_valid: false, error: { message: 'It expired' } }
  const bad = await check(app, code)
  for (const { name, ok, message, hint, hint_code } of bad.values()) {
    expect([name, ok]).toEqual([name, false])
    expect(message).toMatch(/\w/)
    expect(hint).toMatch(/\w/)
    expect(en.hints).toHaveProperty(hint_code ?? '')
  }
  expect(bad.get('token')?.message).toContain('It expired')
  await inState(app, code, 'offline', 'token_refused')
  expect((await view(app, code)).official?.checked_at).not.toBeNull()
  expect(JSON.stringify([...bad])).not.toContain(peer.token)
})

it('tests the public address by going the way that Meta goes', async () => {
  const connects: string[] = []
  const { app, code } = await startOfficial({
    prepare: withTemplates,
    overrides: {
      resolve: async () => ['203.0.113.9'],
      connect: (options, callback) => {
        connects.push(options.hostname)
        callback(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null)
      },
    },
  })
  await app.owner('/api/settings', { method: 'PATCH', body: { public_webhook_url: 'https://shop.example.com/' } })
  const address = (await check(app, code)).get('public_address')
  expect(address?.message).toContain('https://shop.example.com/waba/webhook does not lead to this PC')
  expect(connects).toEqual(['203.0.113.9'])
})

it('lists the templates page by page, and reads them again when asked', async () => {
  const { app, code, peer } = await startOfficial({ prepare: withTemplates })
  const key = await app.key({ sender: code })
  const first = await app.call<TemplateView[]>(key, '/waba/templates?limit=2')
  expect(first.body.data.map(({ name, language, status }) => [name, language, status])).toEqual([
    ['invoice', 'en', 'APPROVED'],
    ['invoice', 'id', 'APPROVED'],
  ])
  const behind = `/waba/templates?limit=2&cursor=${encodeURIComponent(first.body.next_cursor ?? '')}`
  const next = await app.call<TemplateView[]>(key, behind)
  expect(next.body.data.map(({ name, status }) => [name, status])).toEqual([['promo', 'PAUSED']])
  expect(next.body.next_cursor).toBeNull()
  // Read again between two pages: nothing is skipped or comes twice, though the first ones are gone and one is new.
  peer.state.templates = [
    template('aaa', 'id'),
    template('invoice', 'id'),
    template('news', 'id'),
    template('promo', 'id'),
  ]
  await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  expect((await app.call<TemplateView[]>(key, behind)).body.data.map(({ name }) => name)).toEqual(['news', 'promo'])
  peer.state.templates = [template('new', 'id')]
  const synced = await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  expect(synced.body.data).toEqual({ templates: 1, approved: 1 })
  expect((await app.call<TemplateView[]>(key, '/waba/templates')).body.data.map(({ name }) => name)).toEqual(['new'])
  peer.state.templates = Array.from({ length: 450 }, (_, index) => template(`many_${index}`, 'id'))
  peer.state.templates.push(template('many_0', 'id'))
  const many = await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  expect(many.body.data).toEqual({ templates: 451, approved: 451 })
  const kept = await app.app.store.templates.list(app.app.store.senders.byCode(code)?.id ?? 0)
  expect(kept.map(({ name }) => name)).toEqual(Array.from({ length: 450 }, (_, index) => `many_${index}`).toSorted())
  peer.answerNext(metaError(190), 'templates')
  const refused = await app.owner(`/api/senders/${code}/templates/sync`, { method: 'POST' })
  expect([refused.status, refused.body.error.code]).toEqual([502, 'provider_auth_failed'])
  expect((await app.owner('/waba/templates?sender_code=SND-SANDBOX')).body.data).toEqual([])
})

it('checks a known template before the call, and leaves an unknown one to Meta', async () => {
  const { app, peer } = await startOfficial({ prepare: withTemplates })
  const sends = () => peer.requests.filter(({ route }) => route === 'messages').length
  const refused = await sendTemplate(app, { parameters: ['a', 'b'] })
  expect([refused.status, refused.body.error.code]).toEqual([422, 'template_not_sendable'])
  const reason = 'the body of this template has 1 variable, 2 given'
  expect(refused.body.error.details).toEqual([
    { field: 'parameters', message: reason, code: 'other', values: { reason } },
  ])
  expect(await app.message(refused.body.error.message_id ?? '')).toMatchObject({
    status: 'failed',
    error: { code: 'template_not_sendable' },
  })
  expect((await sendTemplate(app, { template_name: 'promo', parameters: ['a'] })).body.message).toContain('PAUSED')
  expect((await sendTemplate(app, { language: 'fr', parameters: ['a'] })).body.message).toContain('en, id')
  expect(sends()).toBe(0)
  expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(200)
  peer.state.templates.push(textTemplate('unknown'))
  expect((await sendTemplate(app, { template_name: 'unknown' })).status).toBe(200)
  // A language that was added since the last reading.
  peer.state.templates.push(template('invoice', 'de'))
  expect((await sendTemplate(app, { language: 'de', parameters: ['a'] })).status).toBe(200)
  expect(sends()).toBe(3)
})

it('asks Meta for a missing language only now and then, not at every send', async () => {
  const clock = createTestClock()
  const { app, peer } = await startOfficial({ clock, prepare: withTemplates })
  const questions = () => peer.requests.filter(({ route }) => route === 'templates').length
  const before = questions()
  const send = () => sendTemplate(app, { language: 'fr', parameters: ['a'] })
  for (const { status } of await Promise.all([send(), send(), send()])) expect(status).toBe(422)
  expect(questions()).toBe(before + 1)
  peer.state.templates.push(template('invoice', 'fr'))
  await clock.advance(30_000)
  expect((await send()).status).toBe(200)
  expect(questions()).toBe(before + 2)
})

it('applies Meta’s report of a template at once, and shows it to the owner', async () => {
  const { app, code, peer, meta } = await startOfficial({ prepare: withTemplates })
  await meta.template({ event: 'DISABLED', name: 'invoice', language: 'id', reason: 'ABUSIVE' })
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).body.error.code).toBe('template_not_sendable')
  const listed = await app.owner<TemplateView[]>(`/waba/templates?sender_code=${code}`)
  expect(listed.body.data.find(({ language }) => language === 'id')).toMatchObject({
    status: 'DISABLED',
    trouble: 'DISABLED (ABUSIVE)',
  })
  expect((await app.fetch('/health')).text).toContain('template_paused')

  await meta.template({ event: 'REINSTATED', name: 'invoice', language: 'id' })
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(200)
  expect((await app.fetch('/health')).text).not.toContain('template_paused')

  peer.state.templates.push(template('fresh', 'id', 'APPROVED', 'No variable'))
  await meta.template({ event: 'APPROVED', name: 'fresh', language: 'id' })
  await applied(app)
  expect((await sendTemplate(app, { template_name: 'fresh', parameters: ['a'] })).body.error.code).toBe(
    'template_not_sendable',
  )
})

it('prefers the list over a late report that is older than the list', async () => {
  const { app, peer, meta } = await startOfficial({ prepare: withTemplates })
  const report = (event: string, at: number) => {
    const value = { event, message_template_name: 'invoice', message_template_language: 'id', reason: 'NONE' }
    const changes = [{ field: 'message_template_status_update', value }]
    const entry = [{ id: '102290129340398', time: Math.floor(at / 1000), changes }]
    return meta.raw(JSON.stringify({ object: 'whatsapp_business_account', entry }))
  }
  await report('PAUSED', Date.now() - MINUTE)
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(200)
  expect((await app.fetch('/health')).text).not.toContain('template_paused')

  await report('PAUSED', Date.now() + MINUTE)
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(422)
  peer.state.templates = peer.state.templates.map((row) => ({ ...row, status: 'DISABLED' }))
  await report('DISABLED', Date.now() - MINUTE)
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).body.message).toContain('is DISABLED at Meta')
  expect((await app.fetch('/health')).text).toContain('template_paused')
})

it('uses Meta’s list for a template that was paused and approved within a second', async () => {
  const clock = createTestClock()
  const { app, code, peer, meta } = await startOfficial({ clock, prepare: withTemplates })
  for (const event of ['APPROVED', 'PAUSED']) await meta.template({ event, name: 'invoice', language: 'id' })
  const about = { message_template_id: 1, message_template_name: 'invoice', message_template_language: 'id' }
  // The later one of the two arrived first.
  await meta.change('template_category_update', { ...about, new_category: 'MARKETING' })
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(422)
  const arrived = peer.requests.length
  await clock.advance(10 * MINUTE)
  await peer.arrivals(arrived + 1)
  await eventually(async () => (await sendTemplate(app, { parameters: ['a'] })).status === 200)
  const { data } = (await app.owner<TemplateView[]>(`/waba/templates?sender_code=${code}`)).body
  expect(data.find(({ language }) => language === 'id')).toMatchObject({ category: 'UTILITY', status: 'APPROVED' })
  expect((await app.fetch('/health')).text).not.toContain('template_paused')
})

it('reads a template again after an event without a status, and does not block it', async () => {
  const { app, code, peer, meta } = await startOfficial({ prepare: withTemplates })
  const read = () => peer.requests.filter(({ route }) => route === 'templates').length
  for (const event of ['UNARCHIVED', 'LOCKED', 'LIMIT_EXCEEDED', 'SOMETHING_NEW']) {
    const before = read()
    await meta.template({ event, name: 'invoice', language: 'id' })
    await applied(app)
    expect([event, read()]).toEqual([event, before + 1])
    expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(200)
  }
  peer.state.templates = peer.state.templates.map((row) => ({ ...row, status: 'ARCHIVED' }))
  await meta.template({ event: 'ARCHIVED', name: 'invoice', language: 'id' })
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).body.message).toContain('is ARCHIVED at Meta')
  withTemplates(peer)
  // Another body than the one above: the very same bytes would be a repeat.
  await meta.template({ event: 'UNARCHIVED', name: 'invoice', language: 'id', id: 7 })
  await applied(app)
  expect((await sendTemplate(app, { parameters: ['a'] })).status).toBe(200)
  expect((await app.fetch('/health')).text).not.toContain('template_paused')

  await meta.change('message_template_status_update', {
    ...{ event: 'PAUSED', message_template_id: 1, message_template_name: 'invoice', message_template_language: 'id' },
    ...{ reason: 'NONE', other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours.' } },
  })
  await applied(app)
  const listed = await app.owner<TemplateView[]>(`/waba/templates?sender_code=${code}`)
  expect(listed.body.data.find(({ language }) => language === 'id')?.trouble).toBe('PAUSED: Paused for 3 hours.')
})

it('reads the templates every six hours', async () => {
  const clock = createTestClock()
  const { peer } = await startOfficial({ clock })
  const read = () => peer.requests.filter(({ route }) => route === 'templates').length
  const before = read()
  const arrived = peer.requests.length
  await clock.advance(6 * 3_600_000)
  await peer.arrivals(arrived + 1)
  expect(read()).toBe(before + 1)
})

it('says that statuses cannot arrive, and since when none arrived', async () => {
  const clock = createTestClock()
  const { app, meta, code } = await startOfficial({ clock, prepare: withTemplates })
  const concerns = async () => (await app.owner<Overview>('/api/overview')).body.data.concerns
  expect(await concerns()).toMatchObject([{ code: 'statuses_cannot_arrive', sender_code: code }])
  const { id, messageId } = (await sendTemplate(app, { parameters: ['a'] })).body.data
  await meta.status({ wamid: messageId, status: 'delivered' })
  await app.reached(id, 'delivered')
  expect(await concerns()).toEqual([])
  await clock.advance(1000)
  const since = new Date(clock.now()).toISOString()
  const silent = (await sendTemplate(app, { parameters: ['a'] })).body.data
  await clock.advance(9 * 60_000)
  expect(await concerns()).toEqual([])
  await clock.advance(3 * 60_000)
  expect(await concerns()).toMatchObject([{ code: 'no_status_heard', sender_code: code, since }])
  await meta.status({ wamid: silent.messageId, status: 'sent' })
  await app.reached(silent.id, 'sent')
  expect(await concerns()).toEqual([])
})

it('does not complain about missing statuses in the first hour after the start', async () => {
  const clock = createTestClock()
  const { app, meta, code } = await startOfficial({ clock, prepare: withTemplates })
  const concerns = async () => (await app.owner<Overview>('/api/overview')).body.data.concerns
  const send = async () => (await sendTemplate(app, { parameters: ['a'] })).body.data
  const { id, messageId } = await send()
  await meta.status({ wamid: messageId, status: 'delivered' })
  await app.reached(id, 'delivered')
  await clock.advance(1000)
  const since = new Date(clock.now()).toISOString()
  await send()
  await app.restart(() => clock.sleep(15 * 3_600_000))
  await clock.advance(55 * 60_000)
  expect(await concerns()).toEqual([])
  await clock.advance(5 * 60_000)
  expect(await concerns()).toMatchObject([{ code: 'no_status_heard', sender_code: code, since }])
})

it('forgets a sender that was deleted', async () => {
  const { app, meta, code } = await startOfficial()
  await addOfficial(app, { phone_number_id: '1', app_secret: 'x', verify_token: 'y' })
  await app.owner(`/api/senders/${code}`, { method: 'DELETE' })
  expect((await meta.handshake({ verifyToken: VERIFY_TOKEN })).status).toBe(403)
  expect((await meta.status({ wamid: 'w', status: 'read' })).status).toBe(401)
})
