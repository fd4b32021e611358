import { describe, expect, test } from 'vitest'
import { countryFor, phoneInText, typedPhone } from '../../renderer/model/phone.ts'
import { countryCodeOf, formatPhone } from '../../server/contract/phone.ts'

test.each([
  ['6281234567890', '+62 812-3456-7890'],
  ['628123456789', '+62 812-345-6789'],
  ['6281234567', '+62 8123-4567'],
  ['622155501234', '+62 21-5550-1234'],
  ['62215550123', '+62 21-555-0123'],
  ['62227301234', '+62 22-730-1234'],
  ['622743012345', '+62 274-301-2345'],
  ['62274512345', '+62 274-512-345'],
  ['623618451234', '+62 361-845-1234'],
  ['62315012345', '+62 31-501-2345'],
  ['626112345678', '+62 61-1234-5678'],
  ['14155552671', '+1 415-555-2671'],
  ['79261234567', '+7 926-123-4567'],
  ['35312345678', '+353 1234-5678'],
  ['4915123456789', '+49 151-2345-6789'],
  ['123', '123'],
  ['SND-1', 'SND-1'],
])('%s is read as %s', (digits, expected) => {
  expect(formatPhone(digits)).toBe(expected)
})

test.each([
  ['6281234567890', '62'],
  ['14155552671', '1'],
  ['35312345678', '353'],
])('the country code of %s', (digits, code) => {
  expect(countryCodeOf(digits)).toBe(code)
})

describe('the country of a number that was typed without one', () => {
  const sender = { country_code: null, phone: null }
  test.each([
    ['that of the sender first', { ...sender, country_code: '60', phone: '6281' }, [], 'id', '60'],
    ['then that of its own number', { ...sender, phone: '49151234567' }, [{ phone: '6281234567' }], 'id', '49'],
    ['then that of any linked number', sender, [{ phone: null }, { phone: '6591234567' }], 'id', '65'],
    ['then that of the language', sender, [], 'id', '62'],
    ['none for a language of many countries', sender, [], 'en', null],
    ['also before there is a sender', undefined, [], 'id', '62'],
  ] as const)('%s', (_, from, senders, language, expected) => {
    expect(countryFor(from, senders, language)).toBe(expected)
  })
})

test.each([
  ['0812-9011-4473', '62', '6281290114473'],
  ['+62 812 9011 4473', null, '6281290114473'],
  ['0812-9011-4473', null, '0812-9011-4473'],
  ['not a number', '62', 'not a number'],
])('%s, typed in country %s, is sent as %s', (typed, country, expected) => {
  expect(typedPhone(typed, country)).toBe(expected)
})

test('a number within a sentence has nowhere to be parted', () => {
  expect(phoneInText('6281234567890')).toBe('+62\u00a0812\u20113456\u20117890')
})
