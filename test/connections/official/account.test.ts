import { expect, it } from 'vitest'
import type { Diagnostics, Overview } from '../../../server/contract/operation.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import type { TemplateView } from '../../../server/contract/templates.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import { unregister } from '../../support/graph-peer/registration.ts'
import { textTemplate } from '../../support/graph-peer/templates.ts'
import { applied, inState, type OfficialTest, sendTemplate, startOfficial, WABA_ID } from '../../support/official.ts'
import { startReceiver } from '../../support/receiver.ts'

const view = async ({ app, code }: Pick<OfficialTest, 'app' | 'code'>): Promise<SenderView> =>
  (await app.owner<SenderView>(`/api/senders/${code}`)).body.data

it('a restriction of the account is the state of the sender, with its end, and callers hear of it', async () => {
  const world = await startOfficial()
  const { app, code, meta } = world
  const receiver = await startReceiver()
  await app.owner('/api/webhooks', { body: { url: receiver.url } })
  const expiration = Math.floor(Date.now() / 1000) + 7200
  await meta.change('account_update', {
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration }],
  })
  await inState(app, code, 'restricted', 'account_restricted')
  expect(await view(world)).toMatchObject({
    state: 'restricted',
    reason: 'account_restricted',
    reason_detail: 'RESTRICTED_BIZ_INITIATED_MESSAGING',
    until: new Date(expiration * 1000).toISOString(),
    official: { account: { standing: 'restricted' } },
  })
  const { event } = await receiver.event('sender.disconnected')
  const until = new Date(expiration * 1000).toISOString()
  expect(event.data).toMatchObject({ sender_code: code, state: 'restricted', reason: 'account_restricted', until })
  // Whatever Meta takes proves that it is over.
  expect((await sendTemplate(app)).status).toBe(200)
  await inState(app, code, 'connected')
})

it('a restriction ends at its time, also over a restart', async () => {
  const clock = createTestClock()
  const { app, code, meta } = await startOfficial({ clock })
  const expiration = clock.now() / 1000 + 1800
  await meta.change('account_update', {
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration }],
  })
  await inState(app, code, 'restricted')
  await clock.scheduled(1_800_000)
  await app.restart()
  expect(app.app.store.senders.byCode(code)?.state).toBe('restricted')
  await clock.advance(1_790_000)
  await inState(app, code, 'connected')
})

it.each([
  [133010, 'offline', 'not_registered'],
  [10, 'offline', 'missing_permissions'],
  [33, 'offline', 'wrong_ids'],
])('a send refused with %i makes the sender %s (%s) until a send is accepted', async (metaCode, state, reason) => {
  const { app, code, peer } = await startOfficial()
  peer.answerNext(metaError(metaCode))
  await sendTemplate(app)
  await inState(app, code, state as 'offline', reason)
  await sendTemplate(app)
  await inState(app, code, 'connected')
})

it('news of the number and the account keep Meta’s words, and an alert that is over is removed', async () => {
  const world = await startOfficial()
  const { app, meta } = world
  const alert = { alert_severity: 'CRITICAL', alert_type: 'OBA_APPROVED', alert_description: 'Something for the owner' }
  await meta.change('account_alerts', { alert_info: { ...alert, alert_status: 'ACTIVE' } })
  await meta.change('security', { display_phone_number: '622155501234', event: 'PIN_CHANGED' })
  await meta.change('security', { display_phone_number: '629999999999', event: 'PIN_RESET_REQUEST' })
  await meta.change('business_capability_update', { max_daily_conversations_per_business: 'TIER_2K' })
  await applied(app)
  const { official } = await view(world)
  expect(official?.number?.limit).toBe(2000)
  expect(official?.news).toMatchObject([
    { kind: 'alert', code: 'OBA_APPROVED', severity: 'critical', detail: 'Something for the owner' },
    { kind: 'security', code: 'PIN_CHANGED', severity: 'warning' },
  ])
  await meta.change('account_alerts', { alert_info: { ...alert, alert_status: 'NONE' } })
  await applied(app)
  expect((await view(world)).official?.news.map(({ code }) => code)).toEqual(['PIN_CHANGED'])
})

it('a template with more than 100 KB keeps only its name and state, with a reason', async () => {
  const { app, code, peer } = await startOfficial()
  peer.state.templates.push(textTemplate('panjang', 'id', 'a'.repeat(100 * 1024)))
  expect((await app.owner(`/api/senders/${code}/templates/sync`, { body: {} })).status).toBe(200)
  const { data } = (await app.owner<TemplateView[]>(`/waba/templates?sender_code=${code}`)).body
  expect(data.find(({ name }) => name === 'panjang')).toMatchObject({
    ...{ status: 'APPROVED', category: 'UTILITY', components: [] },
    rejected_reason: expect.stringMatching(/^It has more than 100 KB/),
  })
  expect(data.find(({ name }) => name === 'invoice')?.components).toHaveLength(1)
})

it('an unreadable template does not hide others, and is reported', async () => {
  const { app, code, peer } = await startOfficial()
  const approved = async () =>
    (await app.owner<TemplateView[]>(`/waba/templates?sender_code=${code}`)).body.data.map(({ name }) => name)
  const sync = () => app.owner(`/api/senders/${code}/templates/sync`, { body: {} })
  peer.state.templates.push(textTemplate('later'))
  const odd = textTemplate('odd')
  peer.state.templates.push(odd)
  await sync()
  Object.assign(odd, { status: null })
  peer.state.templates.push(textTemplate('last'))
  const answer = await sync()
  expect([answer.status, answer.body.message]).toEqual([200, '4 templates read. 1 more could not be read.'])
  // The template that could not be read stays as it was.
  expect(await approved()).toEqual(['hello_world', 'invoice', 'last', 'later', 'odd'])
  const checked = await app.owner<SenderView>(`/api/senders/${code}/check`, { method: 'POST' })
  const { message } = checked.body.data.official?.checks.find(({ name }) => name === 'templates') ?? {}
  expect(message).toBe('4 of 4 templates can be sent. Kurir cannot read 1 more of Meta’s list.')
})

it('quality and category of a template follow what Meta reports', async () => {
  const { app, code, meta } = await startOfficial()
  const about = { message_template_id: 1, message_template_name: 'invoice', message_template_language: 'id' }
  await meta.change('message_template_quality_update', {
    ...{ ...about, previous_quality_score: 'GREEN', new_quality_score: 'RED' },
  })
  const category_update_timestamp = 1_796_000_000
  await meta.change('template_category_update', {
    ...{ ...about, new_category: 'UTILITY', correct_category: 'MARKETING', category_update_timestamp },
  })
  await applied(app)
  const templates = async () =>
    (await app.owner<TemplateView[]>(`/waba/templates?sender_code=${code}`)).body.data.filter(
      ({ name }) => name === 'invoice',
    )
  expect(await templates()).toMatchObject([
    {
      ...{ quality: 'RED', category: 'UTILITY' },
      coming_category: { category: 'MARKETING', at: new Date(category_update_timestamp * 1000).toISOString() },
    },
  ])
  await meta.change('template_category_update', { ...about, previous_category: 'UTILITY', new_category: 'MARKETING' })
  await applied(app)
  expect(await templates()).toMatchObject([{ category: 'MARKETING', coming_category: null }])
})

it('counts the people written to in 24 hours, and callbacks whose signature fits nobody', async () => {
  const world = await startOfficial()
  const { app, meta } = world
  for (const phone of ['6281234567890', '6281234567890', '6281234567891']) await sendTemplate(app, { phone })
  await meta.raw('{}', 'wrong')
  await meta.raw('{}', 'missing')
  expect((await view(world)).official).toMatchObject({
    people_24h: 2,
    refused_callbacks: { count: 1, last_at: expect.any(String) },
    graph_version: { version: expect.stringMatching(/^v\d+/) },
  })
})

it('the first status ends the failed check for statuses without a new check', async () => {
  const world = await startOfficial()
  const { app, meta } = world
  const statuses = async () => (await view(world)).official?.checks.find(({ name }) => name === 'statuses')
  expect(await statuses()).toMatchObject({ ok: false, finding: { code: 'status_never' } })
  const { id, messageId } = (await sendTemplate(app)).body.data
  await meta.status({ wamid: messageId, status: 'delivered' })
  await app.reached(id, 'delivered')
  await applied(app)
  expect(await statuses()).toMatchObject({ ok: true, finding: { code: 'status_came' } })
})

it('a sender is checked every day', async () => {
  const clock = createTestClock()
  const { app, code, peer } = await startOfficial({ clock })
  peer.state.tokenInfo.is_valid = false
  await clock.advance(24 * 3_600_000)
  await inState(app, code, 'offline', 'token_refused')
})

it('registers its number with a PIN, and reports a wrong PIN', async () => {
  const world = await startOfficial({ prepare: ({ state }) => unregister(state) })
  const { app, code, peer } = world
  await inState(app, code, 'offline', 'not_registered')
  const register = (pin: string) => app.owner(`/api/senders/${code}/register`, { body: { pin } })
  expect((await register('12345')).body.error).toMatchObject({ code: 'invalid_request', details: [{ field: 'pin' }] })
  peer.state.pin = '111111'
  expect((await register('123456')).body.error).toMatchObject({ code: 'provider_rejected', hint_code: 'pin_wrong' })
  expect((await view(world)).state).toBe('offline')
  const done = await register('111111')
  expect([done.status, done.body.data.state], done.text).toEqual([200, expect.any(String)])
  await inState(app, code, 'connected')
  expect(app.logs()).not.toContain('111111')
  expect((await app.owner('/api/senders/SND-SANDBOX/register', { body: { pin: '111111' } })).status).toBe(422)
})

it('enters its public address at Meta with all fields, and removes other addresses', async () => {
  const { app, code, peer } = await startOfficial({
    // Stops calls to the public address.
    overrides: { resolve: () => Promise.reject(new Error('no names in tests')) },
  })
  const setUp = () => app.owner(`/api/senders/${code}/callback-setup`, { method: 'POST' })
  expect((await setUp()).body.error.code).toBe('conflict')
  await app.owner('/api/settings', { method: 'PATCH', body: { public_webhook_url: 'https://shop.example' } })
  expect((await setUp()).body.error).toMatchObject({ code: 'provider_rejected', hint_code: 'tunnel' })
  peer.state.tunnels.set('https://shop.example', new URL(app.app.webhookUrl()).origin)
  Object.assign(peer.state.overrides, { account: 'https://old.example/a', number: 'https://old.example/n' })
  const done = await setUp()
  expect(done.status, done.text).toBe(200)
  expect(peer.state.overrides).toEqual({ account: null, number: null })
  expect(peer.state.app.callback).toMatchObject({
    url: 'https://shop.example/waba/webhook',
    fields: expect.arrayContaining(['messages', 'account_update', 'user_preferences']),
  })
  expect(peer.state.subscribedApps).toHaveLength(1)
})

it('asks Meta again for a template after Meta could not be reached', async () => {
  const clock = createTestClock()
  const { app, code, meta, peer } = await startOfficial({ clock })
  peer.answerNext(metaError(2), 'templates')
  await meta.template({ event: 'UNARCHIVED', name: 'later', language: 'id' })
  await applied(app)
  peer.state.templates.push(textTemplate('later'))
  await clock.advance(10 * 60_000)
  const senderId = app.app.store.senders.byCode(code)?.id ?? 0
  await eventually(async () => (await app.app.store.templates.list(senderId)).some(({ name }) => name === 'later'))
})

it('what Meta reports is among the concerns of the owner, and of the health page', async () => {
  const { app, meta, code } = await startOfficial()
  const concerns = async () => {
    const answer = await app.owner<{ concerns: { code: string; detail: string | null; until: string | null }[] }>(
      '/api/overview',
    )
    return answer.body.data.concerns
  }
  await meta.change('message_template_quality_update', {
    ...{ message_template_id: 1, message_template_name: 'invoice', message_template_language: 'id' },
    ...{ previous_quality_score: 'GREEN', new_quality_score: 'RED' },
  })
  await meta.raw('{}', 'wrong')
  await applied(app)
  const codes = (await concerns()).map((concern) => concern.code)
  expect(codes).toEqual(expect.arrayContaining(['callbacks_refused', 'template_quality_low']))

  await meta.change('account_update', {
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 4_000_000_000 }],
  })
  await inState(app, code, 'restricted')
  expect(await concerns()).toMatchObject([
    {
      ...{ code: 'account_restricted', detail: 'RESTRICTED_BIZ_INITIATED_MESSAGING' },
      until: new Date(4_000_000_000_000).toISOString(),
    },
  ])
  expect((await app.fetch('/health')).text).toContain('account_restricted')
})

it('a warning of Meta does not hide another warning or a blocked number', async () => {
  const { app, code, meta } = await startOfficial()
  const codes = async () => (await concernsOf(app)).map((each) => each.code)
  await meta.change('account_update', { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'SPAM' } })
  const alert_info = { alert_severity: 'WARNING', alert_status: 'ACTIVE', alert_type: 'OBA', alert_description: 'x' }
  await meta.change('account_alerts', { alert_info })
  await meta.change('security', { display_phone_number: '622155501234', event: 'PIN_CHANGED' })
  await applied(app)
  expect(await codes()).toEqual(expect.arrayContaining(['account_violation', 'account_alert', 'security_event']))
  const { senders, officialFacts } = app.app.store
  await officialFacts.change(senders.byCode(code)?.id ?? 0, ({ number }) => ({
    number: number && { ...number, canSend: 'BLOCKED' },
  }))
  expect(await codes()).toEqual(['number_blocked'])
})

it('an account whose disabling was scheduled is in good standing again after a good check', async () => {
  const clock = createTestClock()
  const { app, code, meta } = await startOfficial({ clock })
  const told = async () => (await concernsOf(app)).filter((each) => each.code === 'account_disable_scheduled').length
  const check = () => app.owner(`/api/senders/${code}/check`, { method: 'POST' })
  const waba_ban_date = Math.floor(clock.now() / 1000) + 2 * 86_400
  await meta.change('account_update', {
    event: 'DISABLED_UPDATE',
    ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date },
  })
  await applied(app)
  clock.sleep(86_400_000)
  await check()
  expect(await told()).toBe(1)
  clock.sleep(2 * 86_400_000)
  await check()
  expect(await told()).toBe(0)
})

it('a restriction without an end stops nothing once Meta says that the number can send', async () => {
  const clock = createTestClock()
  const { app, code, meta, peer } = await startOfficial({ clock })
  const restrict = async (more: object) => {
    const restriction_info = [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', ...more }]
    await meta.change('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info })
    await inState(app, code, 'restricted')
  }
  const found = async (can_send_message: string) => {
    peer.state.number.health_status = { can_send_message, entities: [] }
    await app.owner(`/api/senders/${code}/check`, { method: 'POST' })
    return app.app.store.senders.byCode(code)?.state
  }
  await restrict({})
  const { id } = (await sendTemplate(app, {}, { prefer: 'respond-async' })).body.data
  // Meta's answer may be older than its callback.
  expect(await found('LIMITED')).toBe('restricted')
  clock.sleep(2 * 3_600_000)
  expect(await found('BLOCKED')).toBe('restricted')
  await found('LIMITED')
  await inState(app, code, 'connected')
  await app.reached(id, 'accepted')
  await restrict({ expiration: clock.now() / 1000 + 86_400 })
  clock.sleep(2 * 3_600_000)
  expect(await found('LIMITED')).toBe('restricted')
})

it('refused callbacks are a concern for a day, or until the owner enters a secret', async () => {
  const clock = createTestClock()
  const { app, code, meta } = await startOfficial({ clock })
  const told = async () => (await concernsOf(app)).some((each) => each.code === 'callbacks_refused')
  await meta.raw('{}', 'wrong')
  expect(await told()).toBe(true)
  clock.sleep(24 * 3_600_000)
  expect(await told()).toBe(false)
  await meta.raw('{}', 'wrong')
  await app.owner(`/api/senders/${code}`, { method: 'PATCH', body: { name: 'Another name' } })
  expect(await told()).toBe(true)
  await app.owner(`/api/senders/${code}`, { method: 'PATCH', body: { app_secret: 'a-new-secret' } })
  expect(await told()).toBe(false)
})

const concernsOf = async (app: OfficialTest['app']) =>
  (await app.owner<Overview>('/api/overview')).body.data.concerns.map(({ code, detail, until }) => ({
    ...{ code, detail, until },
  }))

it('a template of low quality is a concern until Meta rates it better', async () => {
  const { app, code, meta } = await startOfficial()
  const rate = async (previous_quality_score: string, new_quality_score: string) => {
    const about = { message_template_id: 1, message_template_name: 'invoice', message_template_language: 'id' }
    await meta.change('message_template_quality_update', { ...about, previous_quality_score, new_quality_score })
    await applied(app)
  }
  const low = async () => (await concernsOf(app)).filter((each) => each.code === 'template_quality_low')
  await rate('YELLOW', 'RED')
  expect(await low()).toMatchObject([{ detail: 'invoice (id)' }])
  // The list of this Meta says nothing of quality.
  await app.owner(`/api/senders/${code}/check`, { method: 'POST' })
  expect(await low()).toHaveLength(1)
  await rate('RED', 'GREEN')
  expect(await low()).toEqual([])
})

it.each([
  [{ expires_at: 10 }, 10],
  [{ type: 'USER', expires_at: 0, data_access_expires_at: 9 }, 9],
  [{ type: 'USER', expires_at: 10, data_access_expires_at: 9 }, 9],
  // A system user is not a person, so this end does not apply.
  [{ type: 'SYSTEM_USER', expires_at: 0, data_access_expires_at: 9 }, null],
])('the owner reads when a token ends (%j, in days)', async (info, days) => {
  const at = (day: number) => Math.floor(Date.now() / 1000) + day * 86_400
  const given = Object.fromEntries(
    Object.entries(info).map(([name, value]) => [name, typeof value === 'number' && value > 0 ? at(value) : value]),
  )
  const { app } = await startOfficial({
    prepare: ({ state }) => void Object.assign(state.tokenInfo, given),
  })
  const found = (await concernsOf(app)).filter(({ code }) => code === 'token_expires')
  expect(found).toEqual(
    days === null ? [] : [expect.objectContaining({ until: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) })],
  )
  const until = Date.parse(found[0]?.until ?? '')
  if (days !== null) expect(Math.abs(until / 1000 - at(days))).toBeLessThan(60)
})

it('a changed limit is shown for a week, also after a check, and the first known limit is no change', async () => {
  const { app, code, meta, peer } = await startOfficial()
  const changes = async () =>
    (await concernsOf(app)).flatMap((each) => (each.code === 'messaging_limit_changed' ? [each.detail] : []))
  expect(await changes()).toEqual([])
  await meta.change('business_capability_update', { max_daily_conversations_per_business: 'TIER_10K' })
  await applied(app)
  expect(await changes()).toEqual(['2000 → 10000'])
  peer.state.number.whatsapp_business_manager_messaging_limit = 'TIER_UNLIMITED'
  await app.owner(`/api/senders/${code}/check`, { method: 'POST' })
  expect(await changes()).toEqual(['10000 → ∞'])
  const { senders, officialFacts } = app.app.store
  await officialFacts.change(senders.byCode(code)?.id ?? 0, ({ limitChange }) => ({
    limitChange: limitChange && { ...limitChange, at: limitChange.at - 7 * 24 * 3_600_000 },
  }))
  expect(await changes()).toEqual([])
})

/** Reports a change as of a moment, in seconds. */
async function reportAt({ app, meta }: Pick<OfficialTest, 'app' | 'meta'>, time: number, field: string, value: object) {
  await meta.raw(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: WABA_ID, time, changes: [{ field, value }] }],
    }),
  )
  await applied(app)
}

it('a late report of an older limit changes nothing', async () => {
  const world = await startOfficial()
  const report = (limit: string, time: number) =>
    reportAt(world, time, 'business_capability_update', { max_daily_conversations_per_business: limit })
  const now = Math.floor(Date.now() / 1000)
  await report('TIER_10K', now)
  await report('TIER_250', now - 3_600)
  const changes = (await concernsOf(world.app)).filter(({ code }) => code === 'messaging_limit_changed')
  expect(changes.map(({ detail }) => detail)).toEqual(['2000 → 10000'])
})

it('a late report of an older name decision changes nothing', async () => {
  const world = await startOfficial()
  const report = (decision: string, time: number) =>
    reportAt(world, time, 'phone_number_name_update', { display_phone_number: '622155501234', decision })
  const now = Math.floor(Date.now() / 1000)
  await report('APPROVED', now)
  await report('DEFERRED', now - 3_600)
  expect((await view(world)).official?.number?.name_status).toBe('APPROVED')
  await report('REJECTED', now)
  expect((await view(world)).official?.number?.name_status).toBe('REJECTED')
})

it('a late report is sorted before newer ones and does not replace them', async () => {
  const world = await startOfficial()
  const now = Math.floor(Date.now() / 1000)
  const alert = (type: string, time: number, description: string) =>
    reportAt(world, time, 'account_alerts', {
      alert_info: {
        ...{ alert_severity: 'WARNING', alert_status: 'ACTIVE', alert_type: type, alert_description: description },
      },
    })
  await alert('INCREASED_CAPABILITIES_ELIGIBILITY', now, 'newer')
  await alert('OBA_APPROVED', now - 3_600, 'another one, older')
  await alert('INCREASED_CAPABILITIES_ELIGIBILITY', now - 7_200, 'older')
  const { official } = await view(world)
  expect(official?.news.map(({ detail }) => detail)).toEqual(['another one, older', 'newer'])
})

it('after a name was approved the owner is asked to register again, until that is done', async () => {
  const { app, code, meta } = await startOfficial()
  const asked = async () => (await concernsOf(app)).filter((each) => each.code === 'name_approved')
  await meta.change('phone_number_name_update', {
    ...{ display_phone_number: '622155501234', decision: 'APPROVED' },
    requested_verified_name: 'Toko Maju Jaya',
  })
  await applied(app)
  expect(await asked()).toMatchObject([{ detail: 'Toko Maju Jaya' }])
  const registered = await app.owner(`/api/senders/${code}/register`, { body: { pin: '123456' } })
  expect(registered.status, registered.text).toBe(200)
  expect(await asked()).toEqual([])
})

it('ignored fields are harmless and counted by name', async () => {
  const { app, meta } = await startOfficial()
  for (let n = 0; n < 2; n += 1) await meta.change('payment_configuration_update', { secret: `of the shop ${n}` })
  await meta.change('flows', { event: 'a private text' })
  const { body, text } = await app.owner<Diagnostics>('/api/diagnostics')
  const { meta_fields_ignored } = body.data ?? (JSON.parse(text) as Diagnostics)
  expect(meta_fields_ignored).toEqual([
    { field: 'payment_configuration_update', count: 2 },
    { field: 'flows', count: 1 },
  ])
  expect(text).not.toMatch(/of the shop|private/)
})
