import { describe, expect, test } from 'vitest'
import { FIELDS_OF, requestOf, valuesOf } from '../../renderer/model/alarm-fields.ts'
import { browserName } from '../../renderer/model/browser-name.ts'
import { lastMonths, monthOf, monthSpan } from '../../renderer/model/months.ts'
import { customerPath, isNumber } from '../../renderer/model/phone.ts'
import { ALARM_KINDS, updateAlarmsRequest } from '../../server/slices/alarms/contract.ts'

test.each([
  ['0812-9011-4473', true],
  ['+62 812 9011 4473', true],
  ['(0812) 9011.4473', true],
  ['0812', false],
  ['INV-0812345678', false],
  ['Budi 081234567890', false],
])('%s is a whole number: %s', (typed, expected) => {
  expect(isNumber(typed)).toBe(expected)
})

test('the page of a customer keeps a number as it was typed', () => {
  expect(customerPath(' +62 812/3 ')).toBe('/customers/%2B62%20812%2F3')
})

describe('months', () => {
  test('go back over the year', () => {
    const january = new Date(2027, 0, 31, 12).getTime()
    expect(lastMonths(january, 3)).toEqual(['2027-01', '2026-12', '2026-11'])
    expect(monthOf(january)).toBe('2027-01')
  })

  test('last from their first local moment to that of the next one', () => {
    const { from, to } = monthSpan('2026-12')
    expect(new Date(from)).toEqual(new Date(2026, 11, 1))
    expect(new Date(to)).toEqual(new Date(2027, 0, 1))
  })
})

test.each([
  [
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Mobile Safari/537.36',
    'Chrome, Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1',
    'Safari, iPhone',
  ],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0', 'Edge, Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox, Linux'],
  ['curl/8.5.0', 'curl/8.5.0'],
])('%s is %s', (agent, name) => {
  expect(browserName(agent)).toBe(name)
})

describe('the fields of an alarm', () => {
  const typed = {
    email: {
      host: ' smtp.toko.example ',
      port: '465',
      security: 'tls',
      user: '',
      password: '',
      from: 'a@b.id',
      to: 'c@d.id',
    },
    telegram: { token: '7:x', chat_id: '42' },
    ntfy: { url: 'https://ntfy.example/toko', token: '' },
    whatsapp: { sender_code: 'SND-1', phone: '6281234567890' },
  }

  test.each(ALARM_KINDS)('%s becomes a request that the contract takes', (kind) => {
    const request = { [kind]: requestOf(kind, typed[kind]) }
    expect(updateAlarmsRequest.safeParse(request).error?.issues).toBeUndefined()
  })

  test('an empty secret is left out, another empty field is null', () => {
    const request = requestOf('email', typed.email)
    expect(request).not.toHaveProperty('password')
    expect(request).toMatchObject({ host: 'smtp.toko.example', port: 465, user: null })
  })

  test('a new one begins with the usual values, secrets of a saved one are empty', () => {
    expect(valuesOf('email', null)).toMatchObject({ port: '465', security: 'tls', host: '' })
    const saved = { url: 'https://ntfy.example/toko', token_set: true }
    expect(valuesOf('ntfy', saved)).toEqual({ url: saved.url, token: '' })
    expect(Object.keys(valuesOf('telegram', null))).toEqual(FIELDS_OF.telegram.map(({ name }) => name))
  })
})
