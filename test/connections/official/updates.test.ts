import { describe, expect, it } from 'vitest'
import { readUpdates, type StatusUpdate } from '../../../server/connections/official/updates.ts'
import { envelope, metaJson, statusError, statusesValue } from '../../support/graph-peer/callbacks.ts'

const read = (body: unknown) => readUpdates(Buffer.from(metaJson(body)))
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
    expect(messages(statusesValue('phone', [status]))).toEqual([
      {
        kind: 'status',
        wabaId: 'waba',
        phoneNumberId: 'phone',
        providerMessageId: 'wamid.A',
        status: 'failed',
        occurredAt: at,
        recipient: '62812',
        callbackData: 'our-id',
        pricingCategory: 'utility',
        errors: [{ code: 131026, title: 'Message undeliverable', message: 'Message undeliverable', details: 'Nö.' }],
      },
    ])
  })

  it('need no more than an id and a status', () => {
    expect(messages({ statuses: [{ id: 'wamid.A', status: 'read' }] })).toEqual([
      {
        kind: 'status',
        wabaId: 'waba',
        phoneNumberId: null,
        providerMessageId: 'wamid.A',
        status: 'read',
        occurredAt: null,
        recipient: null,
        callbackData: null,
        pricingCategory: null,
        errors: [],
      },
    ])
  })

  it('survive members of another form', () => {
    const odd = { id: 'wamid.A', status: 'sent', timestamp: 'soon', recipient_id: 7, pricing: 'free', errors: 'none' }
    expect(messages({ metadata: 'x', statuses: [odd] })).toMatchObject([
      { kind: 'status', status: 'sent', occurredAt: null, recipient: null, pricingCategory: null, errors: [] },
    ])
  })

  it('are found in every entry and change, in order, a thousand at a time', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `wamid.${index}`)
    const change = (from: number, to: number) => ({
      field: 'messages',
      value: statusesValue(
        'phone',
        ids.slice(from, to).map((wamid) => ({ wamid, status: 'sent' })),
      ),
    })
    const updates = read({
      object: 'whatsapp_business_account',
      entry: [
        { id: 'one', changes: [change(0, 300), change(300, 301)] },
        { id: 'two', changes: [change(301, 1000)] },
      ],
    }) as StatusUpdate[]
    expect(updates.map((update) => update.providerMessageId)).toEqual(ids)
    expect(updates.filter((update) => update.wabaId === 'two')).toHaveLength(699)
  })
})

it('reads template updates', () => {
  const value = {
    event: 'PAUSED',
    message_template_id: 594425479261596,
    message_template_name: 'invoice',
    message_template_language: 'id',
    reason: 'NONE',
    other_info: { title: 'FIRST_PAUSE' },
  }
  expect(read(envelope('waba', [{ field: 'message_template_status_update', value }]))).toEqual([
    {
      kind: 'template',
      wabaId: 'waba',
      event: 'PAUSED',
      templateId: '594425479261596',
      name: 'invoice',
      language: 'id',
      reason: null,
    },
  ])
})

describe('what is not known is kept', () => {
  it.each([
    [
      'another field',
      { entry: [{ id: 'waba', changes: [{ field: 'account_update', value: { event: 'X' } }] }] },
      'account_update',
    ],
    [
      'a status that is not used',
      envelope('waba', [{ field: 'messages', value: { statuses: [{ id: 'a', status: 'played' }] } }]),
      'statuses',
    ],
    [
      'an incoming message',
      envelope('waba', [{ field: 'messages', value: { messages: [{ id: 'a', text: {} }] } }]),
      'messages',
    ],
    ['a value of no known form', envelope('waba', [{ field: 'messages', value: 'text' }]), 'messages'],
    [
      'a template update without a name',
      envelope('waba', [{ field: 'message_template_status_update', value: {} }]),
      'message_template_status_update',
    ],
    ['a body that is no envelope', { hello: 1 }, 'unknown'],
    ['a body that is no object', 7, 'unknown'],
  ])('%s', (_, body, field) => {
    expect(read(body)).toMatchObject([{ kind: 'other', field }])
  })

  it('beside the statuses of the same change', () => {
    const value = { statuses: [{ id: 'a', status: 'sent' }], errors: [{ code: 1 }] }
    expect(messages(value)?.map((update) => update.kind)).toEqual(['status', 'other'])
  })
})

describe('refuses', () => {
  it.each([
    ['nothing', ''],
    ['broken JSON', '{"entry":['],
    ['deep arrays', `{"entry":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['deep objects', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
  ])('%s', (_, body) => {
    expect(readUpdates(Buffer.from(body))).toBeNull()
  })

  it('no brackets that stand in a text', () => {
    const text = `${'['.repeat(200)}\\"${'{'.repeat(200)}`
    expect(readUpdates(Buffer.from(`{"entry":[],"text":"${text}"}`))).toEqual([])
  })
})
