import { describe, expect, it } from 'vitest'
import { needsOf, providerComponents, template } from '../../../server/connections/official/graph/templates.ts'
import { templateProblems, valueProblems } from '../../../server/connections/official/templates/template-problems.ts'
import * as sample from '../../support/graph-peer/samples.ts'

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

it('knows what a template needs', () => {
  expect(needsOf(invoice)).toEqual({
    ...{ body: ['1', '2'], headerText: [], headerMedia: 'DOCUMENT', cards: [], offerEnds: false },
    buttons: [{ index: 1, subType: 'url', parameter: 'text' }],
  })
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

  it('names the status of a template that is not approved', () => {
    expect(problems([], [defined([], { status: 'PAUSED' })])).toEqual([
      { field: 'template_name', message: 'is PAUSED at Meta; only an APPROVED template can be sent' },
    ])
  })

  it('names the languages of a template that does not exist in the asked one', () => {
    expect(problems([], [invoice, defined([], { language: 'en' })], 'de')).toEqual([
      { field: 'language', message: 'does not exist for this template; it exists in id, en' },
    ])
  })

  it('leaves an unknown template, and one whose text is not listed, to Meta', () => {
    expect(problems(providerComponents(['a', 'b', 'c']), [])).toEqual([])
    expect(problems(providerComponents(['a', 'b', 'c']), [defined([{ type: 'BODY' }])])).toEqual([])
  })

  it('asks for the right kind of header', () => {
    const image = { type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] }
    expect(problems(providerComponents(['Budi', 'INV-1'], [image, payButton]))).toEqual([
      { field: 'components', message: 'must hold a header with one document, not one image' },
    ])
  })

  it.each<[string, object[], object[], string[]]>([
    [
      'a coupon code',
      [{ type: 'BUTTONS', buttons: [sample.couponButton] }],
      [sample.sentCoupon],
      ['sub_type copy_code'],
    ],
    ['a product list', [{ type: 'BUTTONS', buttons: [sample.products] }], [sample.sentProducts], ['sub_type mpm']],
    ['a carousel', [sample.carousel], [sample.sentCarousel], ['a carousel with 2 cards, 0 given']],
    ['an offer with an end', [sample.offer], [sample.sentOffer], ['limited_time_offer with expiration_time_ms']],
  ])('asks for %s', (_name, listed, sent, asked) => {
    const known = [defined([{ type: 'BODY', text: 'Halo.' }, ...listed])]
    expect(problems(sent as Components, known)).toEqual([])
    expect(problems([], known).map(({ field }) => field)).toEqual(['components'])
    for (const part of asked) expect(problems([], known)[0]?.message).toContain(part)
  })

  it('looks into each card of a carousel', () => {
    const known = [defined([{ type: 'BODY', text: 'Halo.' }, sample.carousel])]
    const [first, second] = sample.sentCarousel.cards
    const sent = (cards: object[]) => [{ type: 'carousel', cards }] as Components
    expect(
      problems(
        sent([
          { ...first, components: [] },
          { ...second, card_index: 5 },
        ]),
        known,
      ),
    ).toEqual([
      { field: 'components', message: 'must hold a header with one image parameter in card 0' },
      {
        field: 'components',
        message: 'must hold a button with sub_type url, index 1 and one text parameter in card 0',
      },
      { field: 'components', message: 'must hold a card with card_index 1' },
    ])
    const wordless = { card_index: 1, components: second?.components.filter(({ type }) => type !== 'body') }
    expect(problems(sent([{ ...first }, wordless]), known)).toEqual([
      { field: 'components', message: 'the body in card 1 has 1 variable, 0 given' },
    ])
    expect(problems(sent(['odd' as unknown as object, {}]), known)).toHaveLength(2)
  })

  it('asks for a one-time code in body and button, the same in both', () => {
    const known = [defined(sample.oneTimeCode, { category: 'AUTHENTICATION' })]
    expect(problems(sample.sentCode('123456') as Components, known)).toEqual([])
    expect(problems(providerComponents(['123456']), known)).toEqual([
      { field: 'components', message: 'must hold a button with sub_type url, index 0 and one text parameter' },
    ])
    expect(problems([], known).map(({ field }) => field)).toEqual(['parameters', 'components'])
    expect(problems(sample.sentCode('123456', '654321') as Components, known)).toEqual([
      { field: 'components', message: 'must hold the same code in its button as in the body' },
    ])
    expect(problems(sample.sentCode('1'.repeat(16)) as Components, known)).toEqual([
      { field: 'parameters[0]', message: 'is the code and must have at most 15 characters' },
    ])
  })
})

describe('values that Meta takes in no template', () => {
  const unwanted = 'must have no line break, no tab and no five spaces in a row'

  it.each([['a\nb'], ['a\rb'], ['a\tb'], ['a     b']])('%j is reported with its place', (value) => {
    expect(valueProblems(['Budi', value])).toEqual([{ field: 'parameters[1]', message: unwanted }])
    expect(valueProblems({ name: 'Budi', address: value })).toEqual([
      { field: 'parameters.address', message: unwanted },
    ])
  })

  it('four spaces, numbers and everything that is no value of a text are fine', () => {
    expect(valueProblems(['a    b', 0, false, 'Jl. Mawar 1, Bandung'])).toEqual([])
    const button = { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'a\nb' }] }
    const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a\nb' } }] }
    expect(valueProblems(undefined, [button, image])).toEqual([])
  })

  it('an empty value is one', () => {
    expect(valueProblems(['', 'x'])).toEqual([{ field: 'parameters[0]', message: 'must not be empty' }])
  })

  it('is looked for in headers, bodies and cards of components', () => {
    const part = (type: string, text: string) => ({ type, parameters: [{ type: 'text', text }] })
    const carousel = { type: 'carousel', cards: [{ card_index: 0, components: [part('body', '')] }, 7] }
    expect(valueProblems([], [part('header', 'fine'), part('BODY', 'a\tb'), carousel])).toEqual([
      { field: 'components[1].parameters[0].text', message: unwanted },
      { field: 'components[2].cards[0].components[0].parameters[0].text', message: 'must not be empty' },
    ])
  })

  it('stops after twenty', () => {
    expect(valueProblems(Array.from({ length: 1000 }, () => ''))).toHaveLength(20)
  })
})

type Components = Parameters<typeof templateProblems>[2]
