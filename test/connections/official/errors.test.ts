import { describe, expect, it } from 'vitest'
import {
  deliveryFailure,
  MEANINGS,
  meaningOf,
  refusalError,
  refusalFailure,
} from '../../../server/connections/official/graph/errors.ts'
import type { ErrorCode } from '../../../server/contract/errors.ts'
import { en } from '../../../server/words/en/index.ts'
import { id } from '../../../server/words/id/index.ts'

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Written out by hand, apart from the table that is tested. */
const EXPECTED: [ErrorCode, number, number[]][] = [
  ['provider_auth_failed', 502, [0, 190, 102, 104, 2500, 3, 10, ...range(200, 299), 131005]],
  ['provider_rate_limited', 429, [4, 17, 32, 613, 80007, 80008, 130429, 131056, 132069]],
  ['provider_unavailable', 502, [1, 2, 131000, 131016, 131057, 133004, 134101]],
  [
    'provider_rejected',
    422,
    [
      ...[33, 803, 100, 131008, 131009, 131021, 131030, 131051, 132000, 132001, 132005, 132007, 132008, 132012, 132018],
      ...[131048, 131064, 131049, 131026, 368, 130497, 131031, 131037, 131042, 131045, 134011, 131050, 130472],
      ...[131047, 131052, 131053, 132015, 132016, 132068, ...range(133005, 133016)],
      ...[131014, 131043, 131055, 131062, 131063, 133000, 134100, 134102, 135000, 137000, 139200, 2200, 2201],
    ],
  ],
]

const error = (code: number | null, httpStatus = 400) => ({ code, message: 'Words of Meta', http_status: httpStatus })

describe('Meta’s error codes', () => {
  it.each(EXPECTED)('%s is HTTP %i for all its codes, whatever HTTP status Meta gave', (code, http, metaCodes) => {
    for (const metaCode of metaCodes) {
      for (const given of [400, 401, 404, 500]) {
        const answer = refusalError(error(metaCode, given), 'our-id', 7)
        expect([metaCode, answer.code, answer.status]).toEqual([metaCode, code, http])
      }
    }
  })

  it('knows the codes of the table and no others', () => {
    const expected = EXPECTED.flatMap(([, , codes]) => codes)
    expect([...MEANINGS.keys()].sort()).toEqual(expected.sort())
  })

  it.each([
    [999999, 400, 'provider_rejected'],
    [999999, 500, 'provider_unavailable'],
    [null, 404, 'provider_rejected'],
    [null, 503, 'provider_unavailable'],
  ])('judges the unknown code %s by HTTP %i', (code, httpStatus, expected) => {
    expect(refusalError(error(code, httpStatus), 'our-id', 7).code).toBe(expected)
  })

  it('gives the caller what Meta said, our id and what to do', () => {
    const provider = {
      code: 132000,
      message: '(#132000) Number of parameters does not match',
      details: 'body: number of localizable_params (1) does not match the expected number of params (2)',
      fbtrace_id: 'Abc',
      http_status: 400,
    }
    expect(refusalError(provider, 'our-id', 7).toAnswer()).toEqual({
      success: false,
      message:
        'Meta refused the message: body: number of localizable_params (1) does not match the expected number of params (2) (code 132000). Give exactly as many variables as the template has.',
      error: { code: 'provider_rejected', provider, hint_code: 'parameter_count', message_id: 'our-id' },
    })
  })

  it('says how long to wait only for limits', () => {
    expect(refusalError(error(130429), 'our-id', 7).extras.retry_after).toBe(7)
    expect(refusalError(error(100), 'our-id', 7).extras).not.toHaveProperty('retry_after')
  })

  it('writes the same words into the log', () => {
    expect(refusalFailure({ code: 190, message: 'Session has expired.' })).toEqual({
      code: 'provider_auth_failed',
      message: 'Meta did not accept the access of this sender: Session has expired (code 190).',
      provider_code: '190',
      hint_code: 'new_token',
      hint: 'Create a new access token for the system user in Meta Business Settings and save it in this sender.',
    })
  })

  it('reports a failed delivery with the hint of its first error', () => {
    const failure = deliveryFailure([
      { code: 131026, message: 'Message undeliverable' },
      { code: 131000, message: 'x' },
    ])
    expect(failure).toMatchObject({ code: 'delivery_failed', provider_code: '131026' })
    expect(failure.hint).toMatch(/Check that the number is on WhatsApp/)
    expect(deliveryFailure([])).toMatchObject({ code: 'delivery_failed' })
  })

  it.each([
    [{ code: 100, error_subcode: 33 }, 'wrong_ids'],
    [{ code: 100 }, 'wrong_request'],
    [{ code: 1 }, 'meta_unclear'],
    [{ code: 131064 }, 'template_category'],
    [{ code: 132012, details: 'header: Format mismatch, expected IMAGE, received UNKNOWN' }, 'header_image'],
    [{ code: 132012, details: 'header: Format mismatch, expected DOCUMENT, received TEXT' }, 'header_document'],
    [{ code: 132012, details: 'body: expected CURRENCY' }, 'parameter_form'],
    [{ code: 132012 }, 'parameter_form'],
    [{ code: 999999, is_transient: true }, 'meta_unwell'],
    [{ code: 999999, is_transient: false }, 'unknown'],
    [{ code: null, http_status: 429 }, 'limit_calls'],
  ])('%j has the hint %s', (given, hint) => {
    expect(meaningOf({ message: 'Words of Meta', http_status: 400, ...given }).hint).toBe(hint)
  })
})

describe('advice about a refusal', () => {
  it.each([...MEANINGS.keys()])('exists for %i in both languages', (code) => {
    const { hint } = meaningOf(error(code))
    expect(en.hints[hint]).toMatch(/\w.*\.$/)
    expect(id.hints[hint]).toMatch(/\w.*\.$/)
    expect(id.hints[hint]).not.toBe(en.hints[hint])
  })

  it('has the same names in both languages, and no placeholder of a translation', () => {
    expect(Object.keys(id.hints).sort()).toEqual(Object.keys(en.hints).sort())
    expect([...Object.values(en.hints), ...Object.values(id.hints)].join()).not.toMatch(/\{\{|\$t\(/)
  })

  it('sends nobody to WhatsApp Manager to register a number, which it cannot do', () => {
    for (const code of [131045, 133010]) {
      expect(meaningOf(error(code)).hint).toBe('not_registered')
    }
    expect(en.hints.not_registered).toContain('not WhatsApp Manager')
  })
})
