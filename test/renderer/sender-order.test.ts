import { expect, test } from 'vitest'
import { endpointHealth, worstFirst } from '../../renderer/model/endpoint-health.ts'
import { troubledFirst } from '../../renderer/model/sender-order.ts'
import type { WebhookView } from '../../server/contract/webhooks.ts'
import { findConcerns } from '../../server/health/concerns/index.ts'
import { concernFacts, linkedFacts } from '../support/concern-facts.ts'
import { senderView, webhookView } from './support/rows.ts'

test('senders in trouble come first, the sandbox last', () => {
  const senders = [
    senderView({ sender_code: 'SANDBOX', kind: 'sandbox' }),
    senderView({ sender_code: 'WELL' }),
    senderView({ sender_code: 'OUT', state: 'logged_out' }),
  ]
  const facts = [linkedFacts({ code: 'WELL' }), linkedFacts({ code: 'OUT', state: 'logged_out' })]
  const concerns = findConcerns(concernFacts({ senders: facts }))
  expect(troubledFirst(senders, concerns).map(({ sender_code }) => sender_code)).toEqual(['OUT', 'WELL', 'SANDBOX'])
})

test('endpoints that need attention come first', () => {
  const endpoints = [
    webhookView({ id: 'off', enabled: false }),
    webhookView({ id: 'well', last_delivered_at: '2026-11-21T08:00:00.000Z' }),
    webhookView({ id: 'idle' }),
    webhookView({ id: 'senderless', sender_codes: ['GONE'], last_delivered_at: '2026-11-21T08:00:00.000Z' }),
    webhookView({ id: 'failing', dead: 1 }),
    webhookView({ id: 'gone', enabled: false, disabled_reason: 'gone' }),
  ]
  const healthOf = (endpoint: WebhookView) => endpointHealth(endpoint, new Set(['WELL']))
  const inOrder = worstFirst(endpoints, healthOf)
  expect(inOrder.map(healthOf)).toEqual(['gone', 'failing', 'senderless', 'idle', 'well', 'off'])
  expect(inOrder.map(({ id }) => id)).toEqual(['gone', 'failing', 'senderless', 'idle', 'well', 'off'])
})
