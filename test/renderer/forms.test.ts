import { describe, expect, test } from 'vitest'
import { FIELDS } from '../../renderer/hooks/use-field-text.ts'
import { changedFields, rebased } from '../../renderer/model/changed-fields.ts'
import { expiresAt } from '../../renderer/model/expiry.ts'
import { keyState, workingFirst } from '../../renderer/model/key-state.ts'
import { settingsOf } from '../../renderer/model/sender-settings.ts'
import { createKeyRequest, type KeyView } from '../../server/contract/access.ts'
import { officialFields } from '../../server/contract/official-senders.ts'
import { sendRequest } from '../../server/contract/send.ts'
import { senderSettings } from '../../server/contract/senders.ts'
import { settings } from '../../server/contract/settings.ts'
import { templateRequest } from '../../server/contract/templates.ts'
import { webhookFields } from '../../server/contract/webhooks.ts'
import { backupRequest } from '../../server/slices/backup/contract.ts'
import { senderView } from './support/rows.ts'

process.env.TZ = 'Asia/Jakarta'

test('the fields with a text of their own are fields of the contract', () => {
  const names = [
    senderSettings,
    officialFields,
    createKeyRequest,
    webhookFields,
    sendRequest,
    templateRequest,
    settings,
    backupRequest,
  ].flatMap(({ shape }) => Object.keys(shape))
  expect(FIELDS.filter((field) => !names.includes(field.split('.')[0] ?? ''))).toEqual([])
})

test('the settings of a sender are those of the contract', () => {
  expect(Object.keys(settingsOf(senderView()))).toEqual(Object.keys(senderSettings.shape))
  expect(senderSettings.safeParse(settingsOf(senderView())).success).toBe(true)
})

describe('what a form sends', () => {
  const saved = { name: 'Gudang', pacing: { min: 2, max: 5 }, cap: null as number | null }

  test('only what was changed, by its value', () => {
    expect(changedFields(saved, { ...saved, pacing: { min: 2, max: 5 } })).toEqual({})
    expect(changedFields(saved, { ...saved, cap: 99 })).toEqual({ cap: 99 })
    expect(changedFields(saved, { ...saved, pacing: { min: 3, max: 5 } })).toEqual({ pacing: { min: 3, max: 5 } })
  })

  test('what changed elsewhere meanwhile is taken over, what was edited here stays', () => {
    const elsewhere = { ...saved, name: 'Gudang Utama' }
    expect(rebased(saved, elsewhere, { ...saved, cap: 99 })).toEqual({ ...elsewhere, cap: 99 })
    expect(rebased(saved, elsewhere, { ...saved, name: 'Toko' })).toEqual({ ...elsewhere, name: 'Toko' })
  })
})

describe('when a key ends', () => {
  const now = Date.parse('2026-11-21T08:00:00.000Z')
  test.each([
    ['never', '', null],
    ['days30', '', '2026-12-21T08:00:00.000Z'],
    ['days365', '', '2027-11-21T08:00:00.000Z'],
    ['date', '2027-01-31', '2027-01-31T16:59:59.000Z'],
    ['date', '', ''],
  ] as const)('%s %s', (expiry, lastDay, expected) => {
    expect(expiresAt(expiry, lastDay, now)).toBe(expected)
  })
})

describe('keys', () => {
  const key = (id: string, more: Partial<KeyView> = {}): KeyView => ({
    id,
    kind: 'global',
    name: id,
    sender_code: null,
    scopes: 'all',
    hint: 'abcd',
    refuse_duplicate_reference: false,
    refuse_duplicate_content_seconds: null,
    rate_limit_per_minute: null,
    created_at: `2026-11-0${id}T00:00:00.000Z`,
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    ...more,
  })
  const now = Date.parse('2026-11-21T00:00:00.000Z')

  test('work until they end or are revoked', () => {
    expect(keyState(key('1'), now, undefined)).toBe('valid')
    expect(keyState(key('1', { expires_at: '2026-11-21T00:00:00.000Z' }), now, undefined)).toBe('expired')
    expect(keyState(key('1', { expires_at: '2026-11-21T00:00:00.001Z' }), now, undefined)).toBe('valid')
    expect(
      keyState(
        key('1', { expires_at: '2020-01-01T00:00:00.000Z', revoked_at: '2020-01-01T00:00:00.000Z' }),
        now,
        undefined,
      ),
    ).toBe('revoked')
  })

  test('that work come first, the newest of them first of all', () => {
    const revoked = key('9', { revoked_at: '2026-11-20T00:00:00.000Z' })
    expect(workingFirst([key('1'), revoked, key('2')], now, undefined).map(({ id }) => id)).toEqual(['2', '1', '9'])
  })
})
