import { rm } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { runChecks } from '../../../server/connections/official/account/checks.ts'
import { type SetupAnswers, setupState } from '../../../server/connections/official/account/setup.ts'
import { meaningOf } from '../../../server/connections/official/graph/errors.ts'
import { createGraphClient } from '../../../server/connections/official/graph/graph-client.ts'
import { createGraphHttp } from '../../../server/connections/official/graph/graph-http.ts'
import { createCatalogue } from '../../../server/connections/official/templates/catalogue.ts'
import type { SenderCheck } from '../../../server/contract/official-senders.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import type { OfficialFacts } from '../../../server/store/index.ts'
import type { TestApp } from '../../support/app.ts'
import { openTestStore } from '../../support/engine.ts'
import { metaError } from '../../support/graph-peer/faults.ts'
import { startGraphPeer } from '../../support/graph-peer/graph-peer.ts'
import { register, unregister } from '../../support/graph-peer/registration.ts'
import type { PeerState } from '../../support/graph-peer/state.ts'
import { newHome } from '../../support/new-home.ts'
import { inState, NUMBER_ID, sendTemplate, startOfficial, WABA_ID } from '../../support/official.ts'
import { officialContext } from '../../support/official-context.ts'

const check = async (app: TestApp, code: string): Promise<Map<string, SenderCheck>> => {
  const answer = await app.owner<SenderView>(`/api/senders/${code}/check`, { method: 'POST' })
  expect(answer.status, answer.text).toBe(200)
  return new Map(answer.body.data.official?.checks.map((each) => [each.name, each]))
}

const change = (app: TestApp, code: string, body: object) =>
  app.owner(`/api/senders/${code}`, { method: 'PATCH', body })

it.each([
  ['the digits of the number as its ID', { phone_number_id: '622155501234' }, 'wrong_ids', 'number', 'wrong_ids'],
  ['the ID of the account as that of the number', { phone_number_id: WABA_ID }, 'wrong_ids', 'number', 'wrong_ids'],
  ['an account ID that does not exist', { waba_id: '1' }, 'wrong_ids', 'number', 'wrong_ids'],
  ['the ID of the number as that of the account', { waba_id: NUMBER_ID }, 'wrong_ids', 'number', 'wrong_ids'],
  ['a token that Meta does not know', { access_token: 'EAAunknown' }, 'token_refused', 'token', 'new_token'],
  ['a token with Bearer in front', { access_token: 'Bearer EAAx' }, 'token_refused', 'token', 'new_token'],
  ['the secret of another app', { app_secret: 'another' }, 'wrong_app_secret', 'app_secret', 'wrong_app_secret'],
])('with %s the sender is not connected, and the check says why', async (_name, fields, reason, line, hint) => {
  const { app, code } = await startOfficial()
  await inState(app, code, 'connected')
  await change(app, code, fields)
  await inState(app, code, 'offline', reason)
  const checks = await check(app, code)
  expect(checks.get(line)).toMatchObject({ ok: false, hint_code: hint })
})

it.each([
  [['whatsapp_business_messaging'], 'whatsapp_business_management'],
  [['whatsapp_business_management'], 'whatsapp_business_messaging'],
  [[], 'whatsapp_business_messaging and whatsapp_business_management'],
])('with a token that has only the permissions %j the sender is not connected', async (scopes, missing) => {
  const { app, code, peer } = await startOfficial()
  peer.state.tokenInfo = { ...peer.state.tokenInfo, scopes }
  const checks = await check(app, code)
  expect(checks.get('permissions')).toMatchObject({ ok: false, hint_code: 'permissions' })
  expect(checks.get('permissions')?.message).toContain(missing)
  await inState(app, code, 'offline', 'missing_permissions')
})

it('an account that does not contain the number is a wrong id', async () => {
  const { app, code, peer } = await startOfficial()
  peer.answerAlways({ kind: 'answer', status: 200, body: '{"data":[{"id":"7"}]}', headers: {} }, 'phone_numbers')
  expect((await check(app, code)).get('number')?.message).toContain('does not belong to the account')
  await inState(app, code, 'offline', 'wrong_ids')
})

it('an unregistered number is not connected until it is registered', async () => {
  const { app, code, peer } = await startOfficial({ prepare: ({ state }) => unregister(state) })
  await inState(app, code, 'offline', 'not_registered')
  expect((await check(app, code)).get('number')).toMatchObject({ ok: false, hint_code: 'not_registered' })
  const refused = await sendTemplate(app)
  expect(refused.body.error).toMatchObject({ hint_code: 'not_registered', provider: { code: 133010 } })
  const body = { messaging_product: 'whatsapp', pin: '123456' }
  register(peer.state, { body, query: new URLSearchParams() } as Parameters<typeof register>[1])
  await check(app, code)
  await inState(app, code, 'connected')
})

it('an accepted message does not connect a sender with a wrong app secret', async () => {
  const { app, code } = await startOfficial()
  await change(app, code, { app_secret: 'another' })
  await inState(app, code, 'offline', 'wrong_app_secret')
  expect((await sendTemplate(app)).status).toBe(200)
  expect(app.app.store.senders.byCode(code)).toMatchObject({ state: 'offline', reason: 'wrong_app_secret' })
})

it('stays as it was while Meta does not answer', async () => {
  const { app, code, peer } = await startOfficial()
  await inState(app, code, 'connected')
  for (const route of ['number', 'debug_token', 'phone_numbers'] as const) peer.answerAlways(metaError(2), route)
  const checks = await check(app, code)
  expect(checks.get('number')).toMatchObject({ ok: false, hint_code: 'meta_unwell' })
  expect(app.app.store.senders.byCode(code)).toMatchObject({ state: 'connected', reason: null })
})

it('a field that Meta withdrew does not spoil the check', async () => {
  const { app, code, peer } = await startOfficial({ env: { KURIR_GRAPH_VERSION: 'v23.0' } })
  const number = (await check(app, code)).get('number')
  expect(number).toMatchObject({ ok: true })
  expect(number?.message).toContain('throughput STANDARD')
  expect(number?.message).not.toContain('limit')
  expect(peer.requests.findLast(({ route }) => route === 'number')?.path).toContain('/v23.0/')
})

it('fields that Meta withdrew spoil neither the check nor the reading of templates', async () => {
  const withdrawn = ['name_status', 'quality_rating', 'quality_score', 'rejected_reason', 'parameter_format']
  const { app, code } = await startOfficial({ prepare: ({ state }) => Object.assign(state, { withdrawn }) })
  await inState(app, code, 'connected')
  const checks = await check(app, code)
  expect(checks.get('number')).toMatchObject({ ok: true })
  expect(checks.get('templates')).toMatchObject({ ok: true })
  expect((await sendTemplate(app)).status).toBe(200)
  // An ID of another kind is still found out by the fields that it does not have.
  await change(app, code, { phone_number_id: WABA_ID })
  await inState(app, code, 'offline', 'wrong_ids')
})

it.each([
  ['APPROVED', true, /^[^:]*: status CONNECTED, quality GREEN, limit 2,000 people in 24 hours, shared by all numbers/],
  ['PENDING_REVIEW', true, /display name PENDING_REVIEW/],
  ['DECLINED', false, /display name DECLINED/],
])('mentions the state of the display name only if it matters: %s', async (nameStatus, ok, expected) => {
  const { app, code, peer } = await startOfficial()
  peer.state.number.name_status = nameStatus
  const number = (await check(app, code)).get('number')
  expect(number?.ok).toBe(ok)
  expect(number?.message).toMatch(expected)
})

it('shows Meta’s own words about what is wrong and what to do, if there are any', async () => {
  const { app, code, peer } = await startOfficial()
  peer.state.number.health_status = {
    can_send_message: 'BLOCKED',
    entities: [
      { entity_type: 'PHONE_NUMBER', id: NUMBER_ID, can_send_message: 'AVAILABLE' },
      {
        ...{ entity_type: 'WABA', id: WABA_ID, can_send_message: 'BLOCKED' },
        errors: [{ error_code: 141006, error_description: 'Payment failed.', possible_solution: 'Add a card.' }],
      },
    ],
  }
  const number = (await check(app, code)).get('number')
  expect(number).toMatchObject({ ok: false, hint: 'Add a card.', hint_code: 'number_blocked' })
  expect(number?.message).toContain('WABA: Payment failed. (141006)')
})

it('advises how to keep a flagged number, which can still send', async () => {
  const { app, code, peer } = await startOfficial()
  peer.state.number.status = 'FLAGGED'
  expect((await check(app, code)).get('number')).toMatchObject({ ok: false, hint_code: 'number_quality' })
})

it('an answer without any member of a number is not a number', async () => {
  const { app, code, peer } = await startOfficial()
  peer.answerAlways({ kind: 'answer', status: 200, body: '{"id":"5"}', headers: {} }, 'number')
  expect((await check(app, code)).get('number')).toMatchObject({ ok: false, hint_code: 'wrong_ids' })
  await inState(app, code, 'offline', 'wrong_ids')
})

/** Answers of Meta without a fault. */
const good: SetupAnswers = {
  phoneNumberId: '5',
  token: {
    kind: 'answered',
    data: {
      ...{ valid: true, appId: '1', expiresAt: null, reason: null },
      scopes: ['whatsapp_business_messaging', 'whatsapp_business_management'],
    },
  },
  number: {
    kind: 'answered',
    data: {
      ...{ displayPhoneNumber: '+62', verifiedName: null, quality: null, status: 'CONNECTED', nameStatus: null },
      ...{
        platform: 'CLOUD_API',
        throughput: null,
        messagingLimit: null,
        canSend: null,
        problems: [],
        callbackUrl: null,
      },
    },
  },
  numbers: { kind: 'answered', data: ['5'] },
  appSecret: { kind: 'answered', data: true },
}
const refusedWith = (code: number, error_subcode?: number) => ({
  kind: 'refused' as const,
  retryAfter: null,
  error: { code, message: 'No', http_status: 400, ...(error_subcode === undefined ? {} : { error_subcode }) },
})

it.each<[string, Partial<SetupAnswers>, ReturnType<typeof setupState>]>([
  ['everything is right', {}, { ready: true }],
  ['nobody could ask for the app secret', { appSecret: null }, { ready: true }],
  ['the number does not answer', { number: { kind: 'not_sent', reason: 'x' } }, null],
  [
    'the token is refused as well as the number',
    { token: refusedWith(190), number: refusedWith(100, 33) },
    { ready: false, reason: 'token_refused' },
  ],
  [
    'the number is refused for a permission',
    { number: refusedWith(200) },
    { ready: false, reason: 'missing_permissions' },
  ],
  ['a limit was reached', { number: refusedWith(80008) }, null],
])('the set-up when %s', (_name, answers, expected) => {
  expect(setupState({ ...good, ...answers })).toEqual(expected)
})

it('an unknown ID is recognised by its subcode', () => {
  const meaning = (error_subcode?: number) => meaningOf(refusedWith(100, error_subcode).error).hint
  expect([meaning(33), meaning(), meaning(7)]).toEqual(['wrong_ids', 'wrong_request', 'wrong_request'])
})

const ELSEWHERE = { subscription: { ok: false, hint_code: 'callback_elsewhere' }, public_address: { ok: true } }

it.each<[string, Partial<PeerState['overrides']>, string | null, { [check: string]: object }, string?]>([
  ['this PC', {}, 'https://shop.example/waba/webhook', { subscription: { ok: true }, public_address: { ok: true } }],
  ['nothing', {}, null, { subscription: { ok: true }, public_address: { ok: false, hint_code: 'no_status_yet' } }],
  ['another app address', {}, 'https://old.example/hook', ELSEWHERE],
  [
    'an address set for the account',
    { account: 'https://old.example/hook' },
    'https://shop.example/waba/webhook',
    {
      ...ELSEWHERE,
      subscription: {
        ...ELSEWHERE.subscription,
        message: expect.stringContaining('Meta calls https://old.example/hook'),
      },
    },
  ],
  [
    'another address while the tunnel does not lead here',
    {},
    'https://old.example/hook',
    { ...ELSEWHERE, public_address: { ok: false, hint_code: 'tunnel' } },
    'the connection was refused',
  ],
  [
    'this PC, set for the number',
    { account: 'https://old.example/hook', number: 'https://shop.example/waba/webhook' },
    null,
    { subscription: { ok: true }, public_address: { ok: true } },
  ],
])('says that Meta calls %s', async (_name, overrides, url, expected, problem) => {
  const peer = await startGraphPeer()
  onTestFinished(peer.close)
  Object.assign(peer.state.overrides, overrides)
  peer.state.app.callback = url === null ? null : { url, fields: ['messages'] }
  const http = createGraphHttp({ url: peer.url, timeoutMs: 10_000, clock: systemClock })
  onTestFinished(() => http.close())
  const nothing: OfficialFacts = {
    ...{ checks: [], checkedAt: null, templatesSyncedAt: null, lastStatusAt: null },
    ...{ setupReason: null, account: null, tokenEndsAt: null, limitChange: null, number: null, news: [] },
  }
  const home = await newHome()
  const store = await openTestStore({ home, now: Date.now })
  onTestFinished(async () => {
    await store.close()
    await rm(home, { recursive: true })
  })
  const officialFacts = { ...store.officialFacts, get: async () => nothing, change: async () => nothing }
  const context = officialContext(
    { ...store, officialFacts },
    { client: createGraphClient(http, 'v26.0'), publicUrl: () => 'https://shop.example/' },
  )
  const account = {
    ...context,
    catalogue: Object.assign(createCatalogue(context), { sync: async () => ({ templates: [], unreadable: 0 }) }),
    // The tunnel leads here: going out to it is tested beside the guard of addresses.
    probe: async () => problem ?? null,
    refusedCallbacks: () => null,
    graphVersion: 'v26.0',
    reportState() {},
    awakeSince: () => 0,
  }
  const { checks } = await runChecks(account, {
    ...{ senderId: 1, code: 'SND-1', phoneNumberId: NUMBER_ID, wabaId: WABA_ID, accessToken: peer.token },
    ...{ appSecret: peer.state.app.secret, verifyToken: 'v' },
  })
  expect(Object.fromEntries(checks.map((each) => [each.name, each]))).toMatchObject(expected)
})
