import { expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { countryCodeOf, numbersMeant } from '../../server/contract/phone.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { startShop } from '../support/shop.ts'

test.each([
  ['6281234567890', ['6281234567890']],
  ['+62 812-3456-7890', ['6281234567890']],
  ['00 62 812 3456 7890', ['6281234567890']],
  ['0812-3456-7890', ['6281234567890', '6081234567890']],
  ['(0812) 3456.7890', ['6281234567890', '6081234567890']],
  ['nobody', ['nobody']],
])('%s, in a shop of two countries, means %s', (raw, expected) => {
  expect(numbersMeant(raw, ['62', '60', '62'])).toEqual(expected)
})

test('a number of no known country means what was typed', () => {
  expect(numbersMeant('0812-3456-7890', [])).toEqual(['081234567890'])
})

test.each([
  ['6281234567890', '62'],
  ['14155552671', '1'],
  ['35312345678', '353'],
])('the country code of %s is %s', (digits, code) => {
  expect(countryCodeOf(digits)).toBe(code)
})

test('a list is asked for a number as people write it', async () => {
  const app = await startApp()
  await app.sender('sandbox', { country_code: '62' })
  await app.owner('/send', { body: { sender_code: SANDBOX, phone: '6281234567890', message: 'halo' } })
  const found = async (recipient: string) =>
    (await app.owner<MessageRow[]>(`/messages?recipient=${encodeURIComponent(recipient)}`)).body.data.length
  for (const written of ['6281234567890', '+62 812-3456-7890', '0812-3456-7890', '081234567890', '0062812 3456 7890']) {
    expect(await found(written), written).toBe(1)
  }
  expect(await found('081234567891')).toBe(0)
  expect(await found('0')).toBe(0)
})

test('the first phone that is linked sets the country, so that the numbers of a till that begin with 0 work', async () => {
  const { app, key, link, view } = await startShop()
  const refused = await app.call(key, '/send', { phone: '0855-5555-5555', message: 'halo' })
  expect(refused.status).toBe(400)
  expect((await link()).country_code).toBe('62')
  const sent = await app.call<{ id: string }>(key, '/send', { phone: '0855-5555-5555', message: 'halo' })
  expect((await app.message(sent.body.data.id)).recipient).toBe('6285555555555')
  expect((await view()).phone).toBe('6281111111111')
})

test('a country that the owner chose is not changed by the phone', async () => {
  const shop = await startShop()
  await shop.app.owner(`/api/senders/${shop.sender}`, { method: 'PATCH', body: { country_code: '60' } })
  expect((await shop.link()).country_code).toBe('60')
})

test('a program that loses the 0 of its numbers is told, and the mobile numbers of other countries go out', async () => {
  const app = await startApp()
  const sandbox = await app.sender('sandbox', { country_code: '62' })
  const key = await app.key({ sender: sandbox })
  await app.owner('/api/settings', { method: 'PATCH', body: { compat_wablas: true, compat_cloud: true } })
  const send = (phone: unknown) => app.call(key, '/send', { phone, message: 'halo' })
  for (const phone of [81234567890, '812-3456-7890', '85712345678', '8123456789', '895123456789']) {
    const { status, body } = await send(phone)
    const told = { field: 'phone', code: 'zero_lost', message: expect.stringContaining('write 081234567890') }
    expect([status, body.error.details], String(phone)).toEqual([400, [told]])
  }
  const template = await app.call(key, '/waba/send-template', { phone: 81234567890, template_name: 'hello' })
  expect(template.text).toContain('phone: has neither its 0')
  const cloud = { to: '81234567890', type: 'text', text: { body: 'halo' } }
  expect((await app.call(key, `/compat/cloud/v26.0/${sandbox}/messages`, cloud)).text).toContain(
    'to: has neither its 0',
  )
  const list = { phone: '81234567890,+81312345678,08123456789', message: 'halo' }
  const wablas = (await app.call(key, '/compat/wablas/api/send-message', list)).text
  expect(wablas).toMatch(
    /Not taken: 81234567890: Please correct: phone: has neither its 0.+"81312345678".+"628123456789"/,
  )
  for (const phone of [
    '081234567890',
    '+81 3-1234-5678',
    '819012345678',
    '821012345678',
    '85251234567',
    '886912345678',
  ])
    expect((await send(phone)).status, phone).toBe(200)
  const body = { phone: '81234567890', message: 'halo', sender_code: sandbox }
  expect((await app.owner('/send', { body })).status, 'the owner sees whose it is').toBe(200)
})
