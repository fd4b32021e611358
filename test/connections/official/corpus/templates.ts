import { AT, type Case, change, SECONDS, WABA } from './case.ts'

const SOURCE = 'Meta, webhooks reference: message_template_status_update'
const about = {
  message_template_id: 1689556908129832,
  message_template_name: 'invoice',
  message_template_language: 'id',
}
const read = { wabaId: WABA, occurredAt: AT, templateId: '1689556908129832', name: 'invoice', language: 'id' }

const status = (event: string, more: object = {}) =>
  change('message_template_status_update', {
    event,
    ...about,
    reason: 'NONE',
    message_template_category: 'UTILITY',
    ...more,
  })

export const TEMPLATES: Case[] = [
  {
    name: 'approved',
    source: SOURCE,
    body: status('APPROVED'),
    updates: [{ kind: 'template', ...read, event: 'APPROVED', reason: null, explanation: null, disabledAt: null }],
  },
  {
    name: 'rejected, with the reason and what to do',
    source: SOURCE,
    body: status('REJECTED', {
      reason: 'INVALID_FORMAT',
      rejection_info: { reason: 'Parameters are side by side.', recommendation: 'Separate them with text.' },
    }),
    updates: [
      {
        ...{ kind: 'template', event: 'REJECTED', reason: 'INVALID_FORMAT' },
        explanation: 'Parameters are side by side. Separate them with text.',
      },
    ],
  },
  {
    name: 'paused for a while',
    source: SOURCE,
    body: status('PAUSED', {
      other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours until 12:00 UTC.' },
    }),
    updates: [{ kind: 'template', event: 'PAUSED', reason: null, explanation: 'Paused for 3 hours until 12:00 UTC.' }],
  },
  {
    name: 'disabled, with the time as a string',
    source: SOURCE,
    body: status('DISABLED', { reason: 'ABUSIVE_CONTENT', disable_info: { disable_date: '1751234563' } }),
    updates: [{ kind: 'template', event: 'DISABLED', reason: 'ABUSIVE_CONTENT', disabledAt: 1_751_234_563_000 }],
  },
  {
    name: 'deleted in WhatsApp Manager, without a reason',
    source: SOURCE,
    body: status('PENDING_DELETION', { reason: null }),
    updates: [{ kind: 'template', event: 'PENDING_DELETION', reason: null }],
  },
  {
    name: 'archived because nobody used it',
    source: SOURCE,
    body: status('ARCHIVED'),
    updates: [{ kind: 'template', event: 'ARCHIVED' }],
  },
  {
    name: 'restored from the archive',
    source: SOURCE,
    body: status('UNARCHIVED'),
    updates: [{ kind: 'template', event: 'UNARCHIVED' }],
  },
  {
    name: 'the account has too many templates',
    source: SOURCE,
    body: status('LIMIT_EXCEEDED'),
    updates: [{ kind: 'template', event: 'LIMIT_EXCEEDED' }],
  },
  {
    name: 'an update without the name of its template',
    source: SOURCE,
    body: change('message_template_status_update', { event: 'APPROVED' }),
    updates: [],
    ignored: ['message_template_status_update'],
  },
  {
    name: 'its quality went down',
    source: 'Meta, webhooks reference: message_template_quality_update',
    body: change('message_template_quality_update', {
      ...{ ...about, previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' },
    }),
    updates: [{ kind: 'template_quality', ...read, quality: 'YELLOW', before: 'GREEN' }],
  },
  {
    name: 'its category will change in 24 hours',
    source: 'Meta, webhooks reference: template_category_update',
    body: change('template_category_update', {
      ...{ ...about, new_category: 'UTILITY', correct_category: 'MARKETING' },
      category_update_timestamp: SECONDS + 86_400,
    }),
    updates: [
      {
        ...{ kind: 'template_category', ...read, category: 'UTILITY', before: null },
        coming: { category: 'MARKETING', at: AT + 86_400_000 },
      },
    ],
  },
  {
    name: 'its category has changed',
    source: 'Meta, webhooks reference: template_category_update',
    body: change('template_category_update', { ...about, previous_category: 'UTILITY', new_category: 'MARKETING' }),
    updates: [{ kind: 'template_category', category: 'MARKETING', before: 'UTILITY', coming: null }],
  },
  {
    name: 'it was edited',
    source: 'Meta, webhooks reference: message_template_components_update',
    body: change('message_template_components_update', {
      ...{ ...about, message_template_element: 'Halo {{1}}', message_template_buttons: [] },
    }),
    updates: [{ kind: 'template_edit', ...read }],
  },
]
