import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { metaError } from './faults.ts'
import { type GraphPeer, startGraphPeer } from './graph-peer.ts'
import { unregister } from './registration.ts'
import * as sample from './samples.ts'
import { textTemplate } from './templates.ts'

/** Tests the peer against the rules in README.md through plain HTTP calls. */

let peer: GraphPeer
const NUMBER = '106540352242922'
const ACCOUNT = '102290129340398'
const APP = '670000000000001'
const appToken = () => `${APP}|${peer.state.app.secret}`

beforeEach(async () => {
  peer = await startGraphPeer()
})
afterEach(() => peer.close())

interface Answer {
  status: number
  body: {
    error: { code: number; error_subcode?: number; message: string; error_data?: unknown }
    data?: unknown
    contacts?: unknown
  }
}

async function call(path: string, init: { token?: string; body?: object; form?: string } = {}): Promise<Answer> {
  const { token = peer.token, body, form } = init
  const response = await fetch(`${peer.url}/v26.0/${path}`, {
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(body === undefined && form === undefined ? {} : { method: 'POST', body: form ?? JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

const refusal = ({ body: { error } }: Answer) => [error.code, error.error_subcode]

describe('access', () => {
  it.each([
    ['no token', '', 104],
    ['a token with a space', 'Bearer EAAx', 104],
    ['a token of nobody', 'EAAunknown', 190],
    ['the token of an app with a wrong secret', `${APP}|wrong`, 190],
  ])('%s is refused', async (_name, token, code) => {
    expect(refusal(await call(`${NUMBER}?fields=id`, { token }))[0]).toBe(code)
  })

  it.each([
    ['POST', `${NUMBER}/messages`, {}, 'whatsapp_business_messaging'],
    ['POST', `${NUMBER}/register`, {}, 'whatsapp_business_management'],
    ['GET', `${ACCOUNT}/message_templates`, undefined, 'whatsapp_business_management'],
    ['GET', `${ACCOUNT}/subscribed_apps`, undefined, 'whatsapp_business_management'],
    ['GET', `${ACCOUNT}/phone_numbers`, undefined, 'whatsapp_business_management'],
    ['GET', `${NUMBER}/message_history?message_id=w`, undefined, 'whatsapp_business_management'],
  ])('%s %s needs its permission', async (_method, path, body, scope) => {
    const with_ = body === undefined ? {} : { body }
    peer.state.tokenInfo.scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'].filter(
      (one) => one !== scope,
    )
    expect(refusal(await call(path, with_))).toEqual([200, undefined])
    peer.state.tokenInfo.scopes = [scope]
    const error = (await call(path, with_)).body.error as Answer['body']['error'] | undefined
    expect(error?.code).not.toBe(200)
  })

  it.each([
    [`1234/messages`, {}],
    [`1234?fields=id`, undefined],
    [`${ACCOUNT}/messages`, {}],
    [`622155501234/register`, {}],
  ])('an ID that does not exist, or is of another kind: %s', async (path, body) => {
    const answer = await call(path, body === undefined ? {} : { body })
    expect(answer.status).toBe(400)
    expect(refusal(answer)).toEqual([100, 33])
  })

  it('reading an edge of another kind of object is a field that does not exist', async () => {
    const answer = await call(`${NUMBER}/message_templates`)
    expect(answer.body.error.message).toBe(
      '(#100) Tried accessing nonexisting field (message_templates) on node type (WhatsAppBusinessPhoneNumber)',
    )
  })

  it('knows no version after the newest', async () => {
    const response = await fetch(`${peer.url}/v99.0/${NUMBER}`, { headers: { authorization: `Bearer ${peer.token}` } })
    expect([response.status, ((await response.json()) as Answer['body']).error.code]).toEqual([400, 2500])
  })

  it('describes a token to itself and to its app', async () => {
    for (const token of [peer.token, appToken()]) {
      const { body } = await call(`debug_token?input_token=${peer.token}`, { token })
      expect(body).toMatchObject({ data: { is_valid: true, app_id: APP } })
    }
    expect((await call('debug_token?input_token=EAAother')).body).toMatchObject({
      data: { is_valid: false, scopes: [] },
    })
    peer.state.tokenInfo.is_valid = false
    expect(refusal(await call(`debug_token?input_token=${peer.token}`))).toEqual([190, 463])
    const { body } = await call(`debug_token?input_token=${peer.token}`, { token: appToken() })
    expect(body).toMatchObject({ data: { is_valid: false } })
  })
})

describe('fields', () => {
  it('gives the defaults when none are asked for', async () => {
    expect((await call(NUMBER)).body).toEqual({
      ...{ id: NUMBER, display_phone_number: '+62 21 5550 1234', verified_name: 'Toko Maju', quality_rating: 'GREEN' },
    })
  })

  it('gives what is asked for, and the id', async () => {
    expect((await call(`${NUMBER}?fields=status`)).body).toEqual({ id: NUMBER, status: 'CONNECTED' })
    const { body } = await call(`${ACCOUNT}/message_templates?fields=name,language&limit=1`)
    expect(body).toMatchObject({ data: [{ id: expect.any(String), name: 'hello_world', language: 'en_US' }] })
    expect(Object.keys((body.data as object[])[0] ?? {})).toHaveLength(3)
  })

  it.each([
    [`${NUMBER}?fields=status,shoe_size`, 'shoe_size', 'WhatsAppBusinessPhoneNumber'],
    [`${ACCOUNT}?fields=display_phone_number`, 'display_phone_number', 'WhatsAppBusinessAccount'],
    [`${ACCOUNT}/message_templates?fields=name,colour`, 'colour', 'WhatsAppBusinessHSM'],
    [`${NUMBER}/message_history?message_id=w&fields=events{weather}`, 'weather', 'WhatsAppMessageDeliveryStatusEvent'],
  ])('refuses an unknown one: %s', async (path, field, type) => {
    peer.state.history.set('w', [{ delivery_status: 'SENT', timestamp: 1 }])
    const answer = await call(path)
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      `(#100) Tried accessing nonexisting field (${field}) on node type (${type})`,
    ])
  })

  it('has no value for the limit of a number any more, and that of the business since v24.0', async () => {
    const fields = 'messaging_limit_tier,whatsapp_business_manager_messaging_limit'
    expect((await call(`${NUMBER}?fields=${fields}`)).body).toEqual({
      ...{ id: NUMBER, whatsapp_business_manager_messaging_limit: 'TIER_2K' },
    })
    const old = await fetch(`${peer.url}/v23.0/${NUMBER}?fields=whatsapp_business_manager_messaging_limit`, {
      headers: { authorization: `Bearer ${peer.token}` },
    })
    expect(((await old.json()) as Answer['body']).error.code).toBe(100)
  })

  it('leaves the events out of a history unless they are asked for', async () => {
    peer.state.history.set('w', [{ delivery_status: 'SENT', timestamp: 1, occurrence_timestamp: 2 }])
    const path = `${NUMBER}/message_history?message_id=w`
    const [row] = (await call(path)).body.data as object[]
    expect(row).toEqual({ id: expect.any(String), message_id: 'w' })
    expect((await call(`${path}&fields=message_id,events{delivery_status,timestamp}`)).body.data).toEqual([
      {
        ...{ id: expect.any(String), message_id: 'w' },
        events: { data: [{ id: expect.any(String), delivery_status: 'SENT', timestamp: 1 }] },
      },
    ])
    expect((await call(`${NUMBER}/message_history?message_id=other`)).body).toEqual({ data: [] })
  })
})

describe('registration', () => {
  const register = (body: object) => call(`${NUMBER}/register`, { body })

  it('is needed to send, and changes the number', async () => {
    unregister(peer.state)
    expect((await call(`${NUMBER}?fields=status,platform_type`)).body).toMatchObject({
      ...{ status: 'PENDING', platform_type: 'NOT_APPLICABLE' },
    })
    expect(refusal(await send())).toEqual([133010, undefined])
    expect((await register({ messaging_product: 'whatsapp', pin: '123456' })).body).toEqual({ success: true })
    expect((await call(`${NUMBER}?fields=status,platform_type`)).body).toMatchObject({
      ...{ status: 'CONNECTED', platform_type: 'CLOUD_API' },
    })
    expect((await send()).status).toBe(200)
  })

  it.each([
    [{ pin: '123456' }, 100],
    [{ messaging_product: 'whatsapp' }, 100],
    [{ messaging_product: 'whatsapp', pin: '1234' }, 100],
    [{ messaging_product: 'whatsapp', pin: '000000' }, 133005],
  ])('is refused with %j', async (body, code) => {
    peer.state.pin = '123456'
    expect(refusal(await register(body))[0]).toBe(code)
  })

  it('is refused when the number has to be confirmed again, and after ten tries', async () => {
    peer.state.number.code_verification_status = 'EXPIRED'
    const body = { messaging_product: 'whatsapp', pin: '123456' }
    for (let tries = 0; tries < 10; tries += 1) expect(refusal(await register(body))[0]).toBe(133006)
    expect(refusal(await register(body))[0]).toBe(133016)
  })
})

describe('callback set-up', () => {
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const given = { object: 'whatsapp_business_account', callback_url: 'https://shop.example/hook', verify_token: 'v' }

  async function shop(): Promise<void> {
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams
      response.writeHead(query.get('hub.verify_token') === 'v' ? 200 : 403).end(query.get('hub.challenge'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    peer.state.tunnels.set('https://shop.example', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }

  it('is for the app, takes a form as well as JSON, and calls the address first', async () => {
    await shop()
    const path = `${APP}/subscriptions`
    expect(refusal(await call(path))).toEqual([15, undefined])
    expect((await call(path, { token: appToken() })).body).toEqual({ data: [] })
    const fields = 'messages,account_update'
    const set = await call(path, { token: appToken(), form: form({ ...given, fields }) })
    expect(set.body).toEqual({ success: true })
    expect((await call(path, { token: appToken() })).body.data).toMatchObject([
      { callback_url: given.callback_url, active: true, fields: [{ name: 'messages' }, { name: 'account_update' }] },
    ])
    expect((await call(`${NUMBER}?fields=webhook_configuration`)).body).toEqual({
      ...{ id: NUMBER, webhook_configuration: { application: given.callback_url } },
    })
  })

  it.each([
    ['a field that does not exist', { fields: 'messages,weather' }, 100],
    ['no verify token', { verify_token: '' }, 100],
    ['a wrong verify token', { verify_token: 'w' }, 2200],
    ['a host that does not exist', { callback_url: 'https://nobody.example/' }, 2200],
    ['an address without https', { callback_url: 'http://shop.example/hook' }, 2200],
    ['an address that is none', { callback_url: 'shop' }, 100],
  ])('is refused with %s', async (_name, more, code) => {
    await shop()
    const answer = await call(`${APP}/subscriptions`, { token: appToken(), form: form({ ...given, ...more }) })
    expect(refusal(answer)[0]).toBe(code)
    expect(peer.state.app.callback).toBeNull()
  })

  it('takes an override of an account only after the app has an address, and shows it', async () => {
    await shop()
    const path = `${ACCOUNT}/subscribed_apps`
    const override = { override_callback_uri: 'https://shop.example/own', verify_token: 'v' }
    expect(refusal(await call(path, { body: override }))[0]).toBe(100)
    await call(path, { body: {} })
    await call(`${APP}/subscriptions`, { token: appToken(), body: { ...given, fields: 'messages' } })
    expect((await call(path, { body: override })).body).toEqual({ success: true })
    expect((await call(path)).body).toMatchObject({
      data: [{ override_callback_uri: override.override_callback_uri, whatsapp_business_api_data: { id: APP } }],
    })
    const long = { ...override, override_callback_uri: `https://shop.example/${'x'.repeat(200)}` }
    expect(refusal(await call(path, { body: long }))[0]).toBe(100)
    await call(path, { body: {} })
    expect(peer.state.overrides.account).toBeNull()
  })
})

async function send(template: object = { name: 'hello_world', language: { code: 'en_US' } }, more: object = {}) {
  const common = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '+6281234567890', type: 'template' }
  return call(`${NUMBER}/messages`, { body: { ...common, template, ...more } })
}

describe('messages', () => {
  it.each([
    ['+6281234567890', '6281234567890'],
    ['+16315551234', '16315551234'],
    // Without a plus, Meta prepends the business's country code.
    ['16315551234', '6216315551234'],
    ['081234567890', '62081234567890'],
    ['+5215512345678', '525512345678'],
    ['+5511987654321', '551187654321'],
  ])('to %s go to %s', async (to, waId) => {
    expect((await send(undefined, { to })).body.contacts).toEqual([{ input: to, wa_id: waId }])
  })

  it.each([
    ['no recipient', { to: undefined }, 131008],
    ['letters for a recipient', { to: 'budi' }, 131009],
    ['the number itself', { to: '+622155501234' }, 131021],
    ['no product', { messaging_product: undefined }, 100],
    ['another type', { type: 'text' }, 131051],
    ['no template', { template: undefined }, 131008],
    ['too much of our own data', { biz_opaque_callback_data: 'x'.repeat(513) }, 131009],
  ])('are refused with %s', async (_name, more, code) => {
    expect(refusal(await send(undefined, more))[0]).toBe(code)
  })

  it('of a test number go to its recipients only', async () => {
    peer.state.testRecipients = ['6281234567890']
    expect((await send()).status).toBe(200)
    expect(refusal(await send(undefined, { to: '+6281234567891' }))[0]).toBe(131030)
  })
})

const text = (value: string, name?: string) => ({
  ...{ type: 'text', text: value },
  ...(name === undefined ? {} : { parameter_name: name }),
})
const body = (...values: string[]) => ({ type: 'body', parameters: values.map((value) => text(value)) })
const header = (type: string, value: object) => ({ type: 'header', parameters: [{ type, [type]: value }] })
const BODY = { type: 'BODY', text: 'Halo.' }

describe('templates', () => {
  const sendOf = (defined: object, components: unknown, name = 'sample') => {
    peer.state.templates = [textTemplate(name, 'id', 'Halo.', defined)]
    return send({ name, language: { code: 'id' }, ...(components === undefined ? {} : { components }) })
  }

  it.each<[string, object, unknown, number]>([
    ['that are paused', { status: 'PAUSED' }, undefined, 132015],
    ['that are disabled', { status: 'DISABLED' }, undefined, 132016],
    ['that wait for approval', { status: 'PENDING' }, undefined, 132001],
    ['with too few variables', { components: [{ type: 'BODY', text: 'Halo {{1}} {{2}}' }] }, [body('a')], 132000],
    ['with too many variables', {}, [body('a')], 132000],
    [
      'without the variable of a header',
      { components: [{ type: 'HEADER', format: 'TEXT', text: '{{1}}' }, BODY] },
      [],
      132000,
    ],
    ['with a line break in a value', { components: [{ type: 'BODY', text: '{{1}}' }] }, [body('a\nb')], 132018],
    ['with a tab in a value', { components: [{ type: 'BODY', text: '{{1}}' }] }, [body('a\tb')], 132018],
    ['with five spaces in a value', { components: [{ type: 'BODY', text: '{{1}}' }] }, [body('a     b')], 132018],
    ['with an empty value', { components: [{ type: 'BODY', text: '{{1}}' }] }, [body('')], 131008],
    ['that get too long', { components: [{ type: 'BODY', text: '{{1}}' }] }, [body('x'.repeat(1025))], 132005],
    ['without the image of the header', { components: [{ type: 'HEADER', format: 'IMAGE' }, BODY] }, [], 132012],
    [
      'with a document for an image',
      { components: [{ type: 'HEADER', format: 'IMAGE' }, BODY] },
      [header('document', { id: '1' })],
      132012,
    ],
    [
      'with an image from nowhere',
      { components: [{ type: 'HEADER', format: 'IMAGE' }, BODY] },
      [header('image', {})],
      131008,
    ],
    ['without the end of a link', { components: [BODY, { type: 'BUTTONS', buttons: [sample.urlButton] }] }, [], 131008],
    [
      'without the coupon code',
      { components: [BODY, { type: 'BUTTONS', buttons: [sample.couponButton] }] },
      [],
      131008,
    ],
    [
      'with a text for the coupon code',
      { components: [BODY, { type: 'BUTTONS', buttons: [sample.couponButton] }] },
      [{ type: 'button', sub_type: 'copy_code', index: 0, parameters: [text('HEMAT')] }],
      132012,
    ],
    [
      'with a coupon code that is none',
      { components: [BODY, { type: 'BUTTONS', buttons: [sample.couponButton] }] },
      [{ ...sample.sentCoupon, parameters: [{ type: 'coupon_code', coupon_code: 'HEMAT 25%' }] }],
      131009,
    ],
    ['without the products', { components: [BODY, { type: 'BUTTONS', buttons: [sample.products] }] }, [], 131008],
    ['without the cards', { components: [BODY, sample.carousel] }, [], 132012],
    [
      'with a card too few',
      { components: [BODY, sample.carousel] },
      [{ type: 'carousel', cards: sample.sentCarousel.cards.slice(1) }],
      132012,
    ],
    [
      'with a card without its image',
      { components: [BODY, sample.carousel] },
      [{ type: 'carousel', cards: sample.sentCarousel.cards.map((card) => ({ ...card, components: [] })) }],
      132012,
    ],
    ['without the end of the offer', { components: [BODY, sample.offer] }, [], 131008],
    ['without the one-time code', { category: 'AUTHENTICATION', components: sample.oneTimeCode }, [], 132000],
    [
      'with the code in the body only',
      { category: 'AUTHENTICATION', components: sample.oneTimeCode },
      [body('1')],
      131008,
    ],
    [
      'with another code behind the button',
      { category: 'AUTHENTICATION', components: sample.oneTimeCode },
      sample.sentCode('123456', '654321'),
      131009,
    ],
    ['with a part of no known type', {}, [{ type: 'something_new' }], 131009],
    ['with parts that are no list', {}, 'body', 100],
  ])('%s are refused', async (_name, defined, components, code) => {
    expect(refusal(await sendOf(defined, components))[0]).toBe(code)
  })

  it.each<[string, object, unknown]>([
    ['variables', { components: [{ type: 'BODY', text: 'Halo {{1}} {{2}} {{1}}' }] }, [body('a', 'b    c')]],
    [
      'a header and a link',
      { components: [{ type: 'HEADER', format: 'IMAGE' }, BODY, { type: 'BUTTONS', buttons: [sample.urlButton] }] },
      [header('image', { link: 'https://shop.example/a.png' }), { ...button(0), index: 0 }],
    ],
    ['a coupon code', { components: [BODY, { type: 'BUTTONS', buttons: [sample.couponButton] }] }, [sample.sentCoupon]],
    ['products', { components: [BODY, { type: 'BUTTONS', buttons: [sample.products] }] }, [sample.sentProducts]],
    ['a carousel', { components: [BODY, sample.carousel] }, [sample.sentCarousel]],
    ['an offer', { components: [BODY, sample.offer] }, [sample.sentOffer]],
    ['a one-time code', { category: 'AUTHENTICATION', components: sample.oneTimeCode }, sample.sentCode('123456')],
  ])('with %s are taken', async (_name, defined, components) => {
    expect((await sendOf(defined, components)).status).toBe(200)
  })

  it('of named variables want the names', async () => {
    const defined = { parameter_format: 'NAMED', components: [{ type: 'BODY', text: 'Halo {{name}}' }] }
    const named = (name?: string) => [{ type: 'body', parameters: [text('Budi', name)] }]
    expect((await sendOf(defined, named('name'))).status).toBe(200)
    expect(refusal(await sendOf(defined, named()))[0]).toBe(100)
    expect(refusal(await sendOf(defined, named('nama')))[0]).toBe(132000)
  })

  it('are found by name and language as they are written', async () => {
    peer.state.templates = [textTemplate('invoice')]
    const code = async (name: string, language: string) => (await send({ name, language: { code: language } })).status
    expect([await code('invoice', 'id'), await code('Invoice', 'id'), await code('invoice', 'en')]).toEqual([
      200, 404, 404,
    ])
    expect(refusal(await send({ name: 'invoice' }))[0]).toBe(100)
  })
})

const button = (index: number) => ({ type: 'button', sub_type: 'url', index, parameters: [text('x')] })

describe('errors', () => {
  it.each([[4], [17], [32], [613], [80007], [80008], [130429], [131056]])('the limit %i is HTTP 400', async (code) => {
    peer.answerNext(metaError(code))
    expect((await send()).status).toBe(400)
  })

  it('have details as an object, as a text, or not at all', async () => {
    const details = async (fault: ReturnType<typeof metaError>) => {
      peer.answerNext(fault)
      return (await send()).body.error.error_data as unknown
    }
    expect(await details(metaError(131008, { details: 'd' }))).toEqual({ messaging_product: 'whatsapp', details: 'd' })
    expect(await details(metaError(131008, { details: 'd', errorDataAsString: true }))).toBe('d')
    expect(await details(metaError(190))).toBeUndefined()
  })

  it('say whether they pass, with Graph’s subcode', async () => {
    peer.answerNext(metaError(4, { regainMinutes: 7 }))
    expect((await send()).body.error).toMatchObject({ is_transient: true, error_subcode: 2446079 })
    peer.answerNext(metaError(131008))
    expect((await send()).body.error).not.toHaveProperty('is_transient')
  })
})
