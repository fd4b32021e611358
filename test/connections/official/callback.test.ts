import { describe, expect, it } from 'vitest'
import { CALLBACK_FIELDS, LONGEST_TEXT, readCallback } from '../../../server/connections/official/inbox/callback.ts'
import { envelope, metaJson, statusError, statusesValue } from '../../support/graph-peer/callbacks.ts'

const read = (body: unknown) => readCallback(Buffer.from(metaJson(body)))
const messages = (value: object) => read(envelope('waba', [{ field: 'messages', value }]))
const at = Date.parse('2026-11-21T08:00:00Z')

describe('statuses', () => {
  it('are read member by member', () => {
    const status = {
      wamid: 'wamid.A',
      status: 'failed',
      at,
      recipient: '62812',
      callbackData: 'our-id',
      pricing: { billable: true, pricing_model: 'PMP', category: 'utility', type: 'regular' },
      errors: [statusError('131026', 'Message undeliverable', 'Nö.')],
    }
    expect(messages(statusesValue('phone', [status]))).toEqual({
      updates: [
        {
          kind: 'status',
          wabaId: 'waba',
          phoneNumberId: 'phone',
          providerMessageId: 'wamid.A',
          status: 'failed',
          occurredAt: at,
          recipient: '62812',
          recipientUserId: null,
          callbackData: 'our-id',
          pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
          errors: [{ code: 131026, title: 'Message undeliverable', message: 'Message undeliverable', details: 'Nö.' }],
        },
      ],
      received: [],
      renamed: [],
      ignored: [],
    })
  })

  it('need no more than an id and a status', () => {
    expect(messages({ statuses: [{ id: 'wamid.A', status: 'read' }] })?.updates).toEqual([
      {
        kind: 'status',
        wabaId: 'waba',
        phoneNumberId: null,
        providerMessageId: 'wamid.A',
        status: 'read',
        occurredAt: null,
        recipient: null,
        recipientUserId: null,
        callbackData: null,
        pricing: null,
        errors: [],
      },
    ])
  })

  it('survive members of another form', () => {
    const odd = { id: 'wamid.A', status: 'sent', timestamp: 'soon', recipient_id: 7, pricing: 'free', errors: 'none' }
    expect(messages({ metadata: 'x', statuses: [odd] })?.updates).toMatchObject([
      { kind: 'status', status: 'sent', occurredAt: null, recipient: null, pricing: null, errors: [] },
    ])
  })

  it.each([['1e300'], ['-5'], ['0'], [253_402_300_800], [{}], [null]])(
    'have no time if the timestamp is %j',
    (timestamp) => {
      const { updates } = messages({ statuses: [{ id: 'a', status: 'sent', timestamp }] }) ?? {}
      expect(updates).toMatchObject([{ kind: 'status', occurredAt: null }])
    },
  )

  it('are found in every entry and change, in order, a thousand at a time', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `wamid.${index}`)
    const change = (from: number, to: number) => ({
      field: 'messages',
      value: statusesValue(
        'phone',
        ids.slice(from, to).map((wamid) => ({ wamid, status: 'sent' })),
      ),
    })
    const { updates = [] } =
      read({
        object: 'whatsapp_business_account',
        entry: [
          { id: 'one', changes: [change(0, 300), change(300, 301)] },
          { id: 'two', changes: [change(301, 1000)] },
        ],
      }) ?? {}
    expect(updates.map((update) => update.kind === 'status' && update.providerMessageId)).toEqual(ids)
    expect(updates.filter((update) => update.wabaId === 'two')).toHaveLength(699)
  })
})

it('names the fields that are read, which is what the app subscribes to', () => {
  expect([...CALLBACK_FIELDS].sort()).toEqual([
    'account_alerts',
    'account_update',
    'business_capability_update',
    'message_template_components_update',
    'message_template_quality_update',
    'message_template_status_update',
    'messages',
    'phone_number_name_update',
    'phone_number_quality_update',
    'security',
    'template_category_update',
    'user_preferences',
  ])
})

describe('is bounded', () => {
  it.each([
    ['entries', (n: number) => ({ entry: Array.from({ length: n }, () => ({})) })],
    ['changes', (n: number) => ({ entry: [{ id: '1', changes: Array.from({ length: n - 1 }, () => ({})) }] })],
    ['statuses', (n: number) => envelope('1', [{ field: 'messages', value: { statuses: Array(n - 2).fill({}) } }])],
    ['messages', (n: number) => envelope('1', [{ field: 'messages', value: { messages: Array(n - 2).fill({}) } }])],
  ])('to 10,000 %s', (_what, body) => {
    expect(read(body(10_000))).not.toBeNull()
    expect(read(body(10_001))).toBeNull()
  })

  it('in every text', () => {
    const long = 'x'.repeat(200_000)
    const value = {
      statuses: [{ id: long, status: 'sent' }],
      messages: [{ from: '62', type: 'text', text: { body: long } }],
    }
    const body = messages(value)
    expect(body?.updates).toEqual([])
    expect(body?.received[0]?.text).toHaveLength(LONGEST_TEXT)
    const template = { event: long, message_template_name: long, message_template_language: long }
    const { updates } = read(envelope('1', [{ field: 'message_template_status_update', value: template }])) ?? {}
    expect(JSON.stringify(updates).length).toBeLessThan(2000)
    // As large as a body may be.
    const title = 'x'.repeat(1_500)
    const errors = Array(1000).fill({ code: 1, title, error_data: title })
    const failed = messages({ statuses: [{ id: 'a', status: 'failed', errors }] })
    expect(JSON.stringify(failed).length).toBeLessThan(20_000)
  })

  it('in the names of what was ignored', () => {
    const changes = Array.from({ length: 500 }, (_, n) => ({ field: `field_${'abcdefghij'[n % 10]}${n}`, value: {} }))
    expect(read(envelope('1', changes))?.ignored).toEqual(['unknown'])
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const named = Array.from({ length: 26 }, (_, n) => ({ field: `field_${letters[n]}`, value: {} }))
    expect(read(envelope('1', named))?.ignored).toHaveLength(20)
  })
})

describe('refuses', () => {
  it.each([
    ['nothing', ''],
    ['broken JSON', '{"entry":['],
    ['deep arrays', `{"entry":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['deep objects', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
  ])('%s', (_, body) => {
    expect(readCallback(Buffer.from(body))).toBeNull()
  })

  it('no brackets inside a text', () => {
    const text = `${'['.repeat(200)}\\"${'{'.repeat(200)}`
    expect(readCallback(Buffer.from(`{"entry":[],"text":"${text}"}`))).toEqual({
      updates: [],
      received: [],
      renamed: [],
      ignored: [],
    })
  })
})
