import { expect, it } from 'vitest'
import { templateEffect } from '../../../server/connections/official/templates/catalogue.ts'

const effect = (event: string, reason: string | null = null, explanation: string | null = null) =>
  templateEffect({ event, reason, explanation })

it.each([
  ['PAUSED'],
  ['DISABLED'],
  ['REJECTED'],
  ['PENDING'],
  ['IN_APPEAL'],
  ['ARCHIVED'],
  ['PENDING_DELETION'],
  ['DELETED'],
])('after %s the template cannot be sent', (event) => {
  expect(effect(event)).toEqual({ status: event, readAgain: false, trouble: event })
  expect(effect(event.toLowerCase())).toEqual({ status: event, readAgain: false, trouble: event })
})

it.each([['APPROVED'], ['REINSTATED'], ['UNPAUSED']])('after %s a template can be sent, and is read again', (event) => {
  expect(effect(event)).toEqual({ status: 'APPROVED', readAgain: true, trouble: null })
})

it.each([['UNARCHIVED'], ['UNLOCKED'], ['LOCKED'], ['FLAGGED'], ['LIMIT_EXCEEDED'], ['SOMETHING_NEW'], ['']])(
  'after %s the template is read again and not blocked',
  (event) => {
    expect(effect(event)).toEqual({ status: null, readAgain: true, trouble: null })
  },
)

it('keeps Meta’s reason', () => {
  expect(effect('PAUSED', 'FIRST_PAUSE', 'Paused for 3 hours.').trouble).toBe(
    'PAUSED (FIRST_PAUSE): Paused for 3 hours.',
  )
  expect(effect('DISABLED', 'ABUSIVE').trouble).toBe('DISABLED (ABUSIVE)')
  expect(effect('REJECTED', null, 'Separate the parameters.').trouble).toBe('REJECTED: Separate the parameters.')
})
