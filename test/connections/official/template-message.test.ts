import { describe, expect, it } from 'vitest'
import { providerComponents, templateMessage } from '../../../server/connections/official/graph/templates.ts'

it('writes the whole body that Meta gets', () => {
  const message = templateMessage({
    recipient: '6281234567890',
    name: 'invoice_ready',
    language: 'id',
    components: providerComponents(['Budi', 150000, true]),
    messageId: 'our-id',
  })
  expect(message).toEqual({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '+6281234567890',
    type: 'template',
    template: {
      name: 'invoice_ready',
      language: { code: 'id' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Budi' },
            { type: 'text', text: '150000' },
            { type: 'text', text: 'true' },
          ],
        },
      ],
    },
    biz_opaque_callback_data: 'our-id',
  })
})

it('leaves components out when there are none', () => {
  const { template } = templateMessage({
    recipient: '62812',
    name: 'hello',
    language: 'en_US',
    components: [],
    messageId: 'x',
  })
  expect(template).toEqual({ name: 'hello', language: { code: 'en_US' } })
})

describe('components', () => {
  it('turns an object into named parameters', () => {
    expect(providerComponents({ customer: 'Budi', total: 7 })).toEqual([
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'customer', text: 'Budi' },
          { type: 'text', parameter_name: 'total', text: '7' },
        ],
      },
    ])
  })

  it('puts parameters beside given components, as the body', () => {
    const header = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a.png' } }] }
    expect(providerComponents(['Budi'], [header])).toEqual([
      header,
      { type: 'body', parameters: [{ type: 'text', text: 'Budi' }] },
    ])
  })

  it('puts the body behind the header and before the buttons', () => {
    const header = { type: 'HEADER', parameters: [{ type: 'text', text: 'x' }] }
    const button = { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'x' }] }
    const types = (components: Parameters<typeof providerComponents>[1]) =>
      providerComponents(['Budi'], components).map(({ type }) => type)
    expect(types([header, button])).toEqual(['HEADER', 'body', 'button'])
    expect(types([button])).toEqual(['body', 'button'])
    expect(types([button, header])).toEqual(['button', 'HEADER', 'body'])
    expect(types([])).toEqual(['body'])
  })

  it('passes every kind through untouched', () => {
    const components = [
      { type: 'header', parameters: [{ type: 'document', document: { id: '1', filename: 'a.pdf' } }] },
      {
        type: 'body',
        parameters: [{ type: 'currency', currency: { fallback_value: 'Rp1', code: 'IDR', amount_1000: 1 } }],
      },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'x' }] },
      { type: 'button', sub_type: 'copy_code', index: '1', parameters: [{ type: 'coupon_code', coupon_code: 'C' }] },
      { type: 'carousel', cards: [{ card_index: 0, components: [] }] },
      { type: 'something_new', whatever: { deep: [1] } },
    ]
    expect(providerComponents(undefined, components)).toEqual(components)
  })
})
