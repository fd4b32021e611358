import { describe, expect, test } from 'vitest'
import type { Template } from '../../renderer/api/templates.ts'
import { draftLook, lookOf, partsOf, sentLook, valuesOf, variableContext } from '../../renderer/model/template-text.ts'
import { fillVariables, variablesOf } from '../../server/contract/templates.ts'

const template = (components: unknown[]): Template => ({
  name: 'invoice',
  language: 'id',
  status: 'APPROVED',
  category: 'UTILITY',
  parameter_format: 'POSITIONAL',
  components,
  rejected_reason: null,
  trouble: null,
  quality: null,
  coming_category: null,
  synced_at: '2026-11-21T08:00:00.000Z',
})

const INVOICE = template([
  { type: 'HEADER', format: 'TEXT', text: 'Faktur {{1}}' },
  { type: 'body', text: 'Halo {{1}}, faktur {{2}} untuk {{1}}.' },
  { type: 'FOOTER', text: 'Toko Melati' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Terima kasih' },
      { type: 'URL', text: 'Lihat', url: 'https://toko.example/{{1}}' },
    ],
  },
])
const VALUES = { body: { 1: 'Budi', 2: 'INV-7' }, header: 'INV-7', buttons: { 1: 'inv-7' } }

test('variables are found once each, in order of first use', () => {
  expect(variablesOf('{{b}} {{ a }} {{b}} {{}} {x}')).toEqual(['b', 'a'])
})

test('what is not filled yet stays to be seen; members of every object are no values', () => {
  expect(fillVariables('{{1}} {{2}} {{constructor}}', { 1: 'x', 2: '' })).toBe('x {{2}} {{constructor}}')
})

describe('how a template looks', () => {
  test('its parts, whatever their case', () => {
    expect(lookOf(INVOICE)).toEqual({
      header: 'Faktur {{1}}',
      headerMedia: null,
      body: 'Halo {{1}}, faktur {{2}} untuk {{1}}.',
      footer: 'Toko Melati',
      buttons: [
        { index: 0, label: 'Terima kasih', open: false },
        { index: 1, label: 'Lihat', open: true },
      ],
    })
  })

  test('one that Meta lists in a form of its own is empty, not an error', () => {
    expect(lookOf(template(['?', { no: 'type' }])).body).toBe('')
  })

  test('while it is filled in', () => {
    expect(draftLook(INVOICE, { ...VALUES, body: { 1: 'Budi' } })).toMatchObject({
      header: 'Faktur INV-7',
      body: 'Halo Budi, faktur {{2}} untuk Budi.',
    })
  })

  test('as it was sent, by position and by name', () => {
    const sent = [
      { type: 'header', parameters: [{ type: 'text', text: 'INV-7' }] },
      {
        type: 'BODY',
        parameters: [
          { type: 'text', text: 'Budi' },
          { type: 'text', text: 'INV-7' },
        ],
      },
    ]
    expect(sentLook(INVOICE, sent)).toMatchObject({
      header: 'Faktur INV-7',
      body: 'Halo Budi, faktur INV-7 untuk Budi.',
    })
    expect(valuesOf([{ type: 'body', parameters: [{ parameter_name: 'name', text: 'Sari' }] }], 'body')).toEqual({
      name: 'Sari',
    })
    expect(valuesOf([null, 'x', { type: 'body', parameters: 'y' }], 'body')).toEqual({})
  })
})

describe('what a send needs', () => {
  test('values in order, the header, and only the buttons with a variable', () => {
    expect(partsOf(INVOICE, VALUES)).toEqual({
      parameters: ['Budi', 'INV-7'],
      components: [
        { type: 'header', parameters: [{ type: 'text', text: 'INV-7' }] },
        { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: 'inv-7' }] },
      ],
    })
  })

  test('values by name where the template has names', () => {
    const named = template([{ type: 'BODY', text: 'Halo {{name}}' }])
    expect(partsOf(named, { ...VALUES, body: { name: 'Sari' } })).toEqual({ parameters: { name: 'Sari' } })
  })

  test('the address of a header that is a file', () => {
    const photo = template([
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Halo' },
    ])
    expect(partsOf(photo, { ...VALUES, header: 'https://x.example/a.jpg' })).toEqual({
      components: [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.example/a.jpg' } }] }],
    })
  })
})

test.each([
  ['{{1}}', '1', '{{1}}'],
  ['Halo {{1}}!', '1', 'Halo {{1}}!'],
  [
    'Halo Budi, faktur sebesar {{ 2 }} sudah siap diambil di toko kami.',
    '2',
    '…Budi, faktur sebesar {{2}} sudah siap diambil di…',
  ],
  ['Tidak ada', '1', '{{1}}'],
])('a variable of “%s” is asked with the text around it', (source, name, expected) => {
  expect(variableContext(source, name)).toBe(expected)
})
