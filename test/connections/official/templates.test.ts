import { describe, expect, it } from 'vitest'
import { providerComponents } from '../../../server/connections/official/template-message.ts'
import {
  needsOf,
  statusAfterEvent,
  template,
  templateProblems,
  variablesOf,
} from '../../../server/connections/official/templates.ts'

const defined = (components: unknown[], more: object = {}) =>
  template.parse({
    id: '1',
    name: 'invoice',
    language: 'id',
    status: 'APPROVED',
    category: 'UTILITY',
    components,
    ...more,
  })

const invoice = defined([
  { type: 'HEADER', format: 'DOCUMENT' },
  { type: 'BODY', text: 'Halo {{1}}, tagihan {{2}} untuk {{1}}.' },
  { type: 'FOOTER', text: 'Toko Maju' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Ya' },
      { type: 'URL', text: 'Bayar', url: 'https://shop.example/pay/{{1}}' },
      { type: 'URL', text: 'Toko', url: 'https://shop.example/' },
    ],
  },
])

const document = {
  type: 'header',
  parameters: [{ type: 'document', document: { link: 'https://shop.example/a.pdf' } }],
}
const payButton = { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: '7' }] }

it('finds variables once each, numbered or named, with or without spaces', () => {
  expect(variablesOf('{{1}} {{ 2 }} {{1}} {{customer_name}} {single} {{}}')).toEqual(['1', '2', 'customer_name'])
})

it('tells what a template needs', () => {
  expect(needsOf(invoice)).toEqual({ body: ['1', '2'], headerText: [], headerMedia: 'DOCUMENT', linkButtons: [1] })
})

describe('a send of a known template', () => {
  const problems = (components: Parameters<typeof templateProblems>[2], known = [invoice], language = 'id') =>
    templateProblems(known, language, components)

  it('passes when everything is there', () => {
    expect(problems(providerComponents(['Budi', 'INV-1'], [document, payButton]))).toEqual([])
  })

  it('names everything that is missing, not only the first', () => {
    expect(problems(providerComponents(['Budi']))).toEqual([
      { field: 'parameters', message: 'the body of this template has 2 variables, 1 given' },
      { field: 'components', message: 'must hold a header with one document parameter' },
      {
        field: 'components',
        message: 'must hold a button with sub_type url, index 1 and one text parameter',
      },
    ])
  })

  it('refuses too many variables, also for a template that has none', () => {
    const plain = defined([{ type: 'BODY', text: 'Halo.' }])
    expect(problems(providerComponents(['Budi']), [plain])).toEqual([
      { field: 'parameters', message: 'the body of this template has 0 variables, 1 given' },
    ])
  })

  it('asks for named variables by name', () => {
    const named = defined([{ type: 'BODY', text: 'Halo {{name}}, {{total}}' }], { parameter_format: 'NAMED' })
    expect(problems(providerComponents({ name: 'Budi', total: 7 }), [named])).toEqual([])
    expect(problems(providerComponents({ nama: 'Budi', total: 7 }), [named])).toEqual([
      {
        field: 'parameters',
        message: 'must be an object of the named variables name, total; missing: name; 1 not known',
      },
    ])
    expect(problems(providerComponents(['Budi', 7]), [named])).toHaveLength(1)
  })

  it('counts the variable of a text header', () => {
    const titled = defined([
      { type: 'HEADER', format: 'TEXT', text: 'Tagihan {{1}}' },
      { type: 'BODY', text: 'Halo.' },
    ])
    expect(problems([], [titled])).toEqual([
      { field: 'components', message: 'the header of this template has 1 variable, 0 given' },
    ])
  })

  it('tells the status of a template that is not approved', () => {
    expect(problems([], [defined([], { status: 'PAUSED' })])).toEqual([
      { field: 'template_name', message: 'is PAUSED at Meta; only an APPROVED template can be sent' },
    ])
  })

  it('tells the languages of a template that does not exist in the asked one', () => {
    expect(problems([], [invoice, defined([], { language: 'en' })], 'de')).toEqual([
      { field: 'language', message: 'does not exist for this template; it exists in id, en' },
    ])
  })

  it('leaves an unknown template, and one whose text is not told, to Meta', () => {
    expect(problems(providerComponents(['a', 'b', 'c']), [])).toEqual([])
    expect(problems(providerComponents(['a', 'b', 'c']), [defined([{ type: 'BODY' }])])).toEqual([])
  })
})

it.each([
  ['APPROVED', 'APPROVED'],
  ['REINSTATED', 'APPROVED'],
  ['PAUSED', 'PAUSED'],
  ['DISABLED', 'DISABLED'],
  ['FLAGGED', null],
])('after the event %s the status is %s', (event, status) => {
  expect(statusAfterEvent(event)).toBe(status)
})
