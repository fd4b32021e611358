import { AT, type Case, change, NUMBER, SECONDS, WABA } from './case.ts'

const ACCOUNT = 'Meta, webhooks reference: account_update'
const news = { wabaId: WABA, occurredAt: AT }
const nothing = { restrictions: [], ban: null, violation: null }
const update = (event: string, more: object = {}) => change('account_update', { event, ...more })

export const ACCOUNT_NEWS: Case[] = [
  {
    name: 'restricted until a time',
    source: ACCOUNT,
    body: update('ACCOUNT_RESTRICTION', {
      restriction_info: [
        { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: SECONDS + 3600 },
        { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', expiration: '2026-12-24T07:09:27.000Z' },
      ],
    }),
    updates: [
      {
        ...{ kind: 'account', ...news, event: 'ACCOUNT_RESTRICTION', ban: null, violation: null },
        restrictions: [
          { type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until: AT + 3_600_000 },
          { type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', until: Date.UTC(2026, 11, 24, 7, 9, 27) },
        ],
      },
    ],
  },
  {
    name: 'disabled, on a written date',
    source: ACCOUNT,
    body: update('DISABLED_UPDATE', { ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'April 17, 2027' } }),
    updates: [{ kind: 'account', event: 'DISABLED_UPDATE', ban: { state: 'DISABLE', at: Date.UTC(2027, 3, 17) } }],
  },
  {
    name: 'about to be disabled',
    source: ACCOUNT,
    body: update('DISABLED_UPDATE', { ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: 'soon' } }),
    updates: [{ kind: 'account', ban: { state: 'SCHEDULE_FOR_DISABLE', at: null } }],
  },
  {
    name: 'reinstated',
    source: ACCOUNT,
    body: update('DISABLED_UPDATE', { ban_info: { waba_ban_state: 'REINSTATE', waba_ban_date: 'April 17, 2027' } }),
    updates: [{ kind: 'account', ban: { state: 'REINSTATE', at: Date.UTC(2027, 3, 17) } }],
  },
  {
    name: 'a violation of a policy',
    source: ACCOUNT,
    body: update('ACCOUNT_VIOLATION', { violation_info: { violation_type: 'SPAM' } }),
    updates: [{ kind: 'account', ...nothing, event: 'ACCOUNT_VIOLATION', violation: 'SPAM' }],
  },
  ...['ACCOUNT_OFFBOARDED', 'ACCOUNT_RECONNECTED', 'ACCOUNT_DELETED'].map(
    (event): Case => ({
      ...{ name: event.toLowerCase().replace('_', ' '), source: ACCOUNT, body: update(event) },
      updates: [{ kind: 'account', ...news, ...nothing, event }],
    }),
  ),
  {
    name: 'a new tier of prices, of which nothing is done',
    source: ACCOUNT,
    body: update('VOLUME_BASED_PRICING_TIER_UPDATE', {
      volume_tier_info: { tier: '25000001:50000000', pricing_category: 'UTILITY', region: 'Indonesia' },
    }),
    updates: [{ kind: 'account', ...nothing, event: 'VOLUME_BASED_PRICING_TIER_UPDATE' }],
  },
  {
    name: 'a limit that cannot be raised yet',
    source: 'Meta, webhooks reference: account_alerts',
    body: change('account_alerts', {
      entity_type: 'BUSINESS',
      entity_id: '506914307656634',
      alert_info: {
        ...{ alert_severity: 'WARNING', alert_status: 'ACTIVE' },
        alert_type: 'INCREASED_CAPABILITIES_ELIGIBILITY_DEFERRED',
        alert_description: 'Limits cannot be increased for your business.',
      },
    }),
    updates: [
      {
        ...{ kind: 'alert', ...news, severity: 'WARNING', active: true },
        type: 'INCREASED_CAPABILITIES_ELIGIBILITY_DEFERRED',
        explanation: 'Limits cannot be increased for your business.',
      },
    ],
  },
  {
    name: 'an official business account, which is only good news',
    source: 'Meta, webhooks reference: account_alerts',
    body: change('account_alerts', {
      ...{ entity_type: 'PHONE_NUMBER', entity_id: NUMBER },
      alert_info: { alert_severity: 'INFORMATIONAL', alert_status: 'NONE', alert_type: 'OBA_APPROVED' },
    }),
    updates: [{ kind: 'alert', severity: 'INFORMATIONAL', active: false, type: 'OBA_APPROVED', explanation: null }],
  },
  {
    name: 'a new limit as a number',
    source: 'Meta, webhooks reference: business_capability_update',
    body: change('business_capability_update', {
      ...{ max_daily_conversations_per_business: 2000, max_phone_numbers_per_waba: 25 },
    }),
    updates: [{ kind: 'capability', ...news, limit: 2000 }],
  },
  {
    name: 'a new limit as a tier',
    source: 'Meta, webhooks reference: business_capability_update',
    body: change('business_capability_update', { max_daily_conversations_per_business: 'TIER_10K' }),
    updates: [{ kind: 'capability', limit: 10_000 }],
  },
  {
    name: 'no limit any more, as until February 2026',
    source: 'Meta, webhooks reference: business_capability_update',
    body: change('business_capability_update', { max_daily_conversation_per_phone: -1 }),
    updates: [{ kind: 'capability', limit: 'unlimited' }],
  },
  {
    name: 'more numbers for the business, of which nothing is done',
    source: 'Meta, webhooks reference: business_capability_update',
    body: change('business_capability_update', { max_phone_numbers_per_business: 2 }),
    updates: [],
    ignored: ['business_capability_update'],
  },
  {
    name: 'more messages per second',
    source: 'Meta, webhooks reference: phone_number_quality_update',
    body: change('phone_number_quality_update', {
      ...{ display_phone_number: '+62 21 5550 1234', event: 'THROUGHPUT_UPGRADE' },
      max_daily_conversations_per_business: 'TIER_UNLIMITED',
    }),
    updates: [{ kind: 'number', ...news, phone: '622155501234', event: 'THROUGHPUT_UPGRADE', limit: 'unlimited' }],
  },
  {
    name: 'a flagged number, as until 2025',
    source: 'Meta, webhooks reference: phone_number_quality_update',
    body: change('phone_number_quality_update', {
      ...{ display_phone_number: '622155501234', event: 'FLAGGED', current_limit: 'TIER_1K' },
    }),
    updates: [{ kind: 'number', phone: '622155501234', event: 'FLAGGED', limit: null }],
  },
  {
    name: 'a display name that was approved',
    source: 'Meta, webhooks reference: phone_number_name_update',
    body: change('phone_number_name_update', {
      ...{ display_phone_number: '622155501234', decision: 'APPROVED', requested_verified_name: 'Toko Maju' },
      rejection_reason: 'NONE',
    }),
    updates: [{ kind: 'name', ...news, phone: '622155501234', decision: 'APPROVED', name: 'Toko Maju', reason: null }],
  },
  {
    name: 'a display name that was not',
    source: 'Meta, webhooks reference: phone_number_name_update',
    body: change('phone_number_name_update', {
      ...{ display_phone_number: '622155501234', decision: 'REJECTED', requested_verified_name: 'Meta' },
      rejection_reason: 'NAME_EMPLOYEE_ISSUE',
    }),
    updates: [{ kind: 'name', decision: 'REJECTED', reason: 'NAME_EMPLOYEE_ISSUE' }],
  },
  {
    name: 'somebody wants two-step verification off',
    source: 'Meta, webhooks reference: security',
    body: change('security', {
      ...{ display_phone_number: '622155501234', event: 'PIN_RESET_REQUEST', requester: '61555822107539' },
    }),
    updates: [{ kind: 'security', ...news, phone: '622155501234', event: 'PIN_RESET_REQUEST' }],
  },
  {
    name: 'a fault that belongs to no message',
    source: 'Meta, webhooks reference: messages, errors',
    body: change('messages', {
      metadata: { phone_number_id: NUMBER },
      errors: [
        {
          ...{ code: 0, title: 'AuthException', message: 'AuthException' },
          error_data: { details: 'Unable to authenticate the app user' },
        },
      ],
    }),
    updates: [
      {
        ...{ kind: 'fault', ...news, phoneNumberId: NUMBER },
        errors: [
          {
            ...{ code: 0, title: 'AuthException', message: 'AuthException' },
            details: 'Unable to authenticate the app user',
          },
        ],
      },
    ],
  },
]
