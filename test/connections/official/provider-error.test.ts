import { expect, it } from 'vitest'
import { readGraphError, readStatusError } from '../../../server/connections/official/graph/provider-error.ts'

it('reads error_data as an object', () => {
  const error = { message: 'm', type: 'OAuthException', code: 100, error_data: { details: 'd' }, fbtrace_id: 'f' }
  expect(readGraphError({ error }, 400)).toEqual({
    code: 100,
    message: 'm',
    details: 'd',
    fbtrace_id: 'f',
    http_status: 400,
  })
})

it('reads error_data as a string', () => {
  const error = { message: 'm', code: 100, error_data: 'd' }
  expect(readGraphError({ error }, 400)).toMatchObject({ details: 'd' })
})

it('reads a status error whose code is a string', () => {
  const entry = { code: '131026', title: 't', message: 'm', error_data: { details: 'd' }, href: 'h' }
  expect(readStatusError(entry)).toEqual({ code: 131026, title: 't', message: 'm', details: 'd' })
})

it('keeps the subcode and is_transient, and cuts texts that are far too long', () => {
  const error = {
    message: 'm'.repeat(5000),
    code: 4,
    error_subcode: 2446079,
    is_transient: true,
    error_data: 'd'.repeat(5000),
  }
  expect(readGraphError({ error }, 400)).toEqual({
    code: 4,
    error_subcode: 2446079,
    is_transient: true,
    message: 'm'.repeat(1000),
    details: 'd'.repeat(1000),
    http_status: 400,
  })
})

it.each([[{}], [{ code: 'soon', message: 7, error_data: [], error_subcode: 'x', is_transient: 1 }]])(
  'survives the odd error %j',
  (error) => {
    expect(readGraphError({ error }, 500)).toEqual({ code: null, message: 'No reason was given.', http_status: 500 })
  },
)

it.each([[undefined], [null], ['text'], [{ data: [] }], [{ error: 'text' }]])('finds no error in %j', (body) => {
  expect(readGraphError(body, 500)).toBeNull()
})

it.each([[null], ['text'], [7]])('survives the odd status error %j', (entry) => {
  expect(readStatusError(entry)).toEqual({ code: null, message: 'No reason was given.' })
})
