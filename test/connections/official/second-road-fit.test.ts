import { describe, expect, it } from 'vitest'
import { fitOf, readPattern } from '../../../server/connections/official/sending/second-road.ts'
import { readIssue } from '../../../server/contract/field-problems.ts'
import { secondRoadRule } from '../../../server/contract/second-road.ts'

const INVOICE = 'Halo {{nama}}, tagihan {{nomor}} sebesar {{jumlah}} jatuh tempo {{tanggal}}.'

describe('a pattern reads a text', () => {
  it.each<[string, string, string, Record<string, string> | null]>([
    [
      'with its variables',
      INVOICE,
      'Halo Bu Sari, tagihan INV-1 sebesar Rp 1.500.000 jatuh tempo 30 Nov.',
      { nama: 'Bu Sari', nomor: 'INV-1', jumlah: 'Rp 1.500.000', tanggal: '30 Nov' },
    ],
    ['of another form not', INVOICE, 'Halo Bu Sari, pesanan sudah siap.', null],
    ['with something behind it not', 'Siap, {{nama}}!', 'Siap, Budi! Dan jangan lupa', null],
    ['with an empty variable not', 'Siap, {{nama}}!', 'Siap, !', null],
    ['with a variable at its end', 'Kode Anda {{kode}}', 'Kode Anda 123456', { kode: '123456' }],
    ['with a variable at its beginning', '{{nama}}, pesanan siap', 'Budi, pesanan siap', { nama: 'Budi' }],
    ['without any', 'Toko tutup besok', 'Toko tutup besok', {}],
    ['with the same variable twice', '{{a}} dan {{a}}', 'x dan x', { a: 'x' }],
    ['with another value in its second place not', '{{a}} dan {{a}}', 'x dan y', null],
    ['whose last text comes twice', '{{a}}.', 'a.b.', { a: 'a.b' }],
  ])('%s', (_name, pattern, text, expected) => {
    const read = readPattern(pattern, text)
    expect(read && Object.fromEntries(read)).toEqual(expected)
  })

  it('takes no longer for a text that was made to take long', () => {
    const pattern = Array.from({ length: 30 }, (_, i) => `{{v${i}}} a`).join('')
    expect(readPattern(`${pattern}!`, ' a'.repeat(30_000))).toBeNull()
  })
})

const rule = (fields: object) => secondRoadRule.parse({ pattern: INVOICE, template_name: 'tagihan', ...fields })
const TEXT = 'Halo Budi,\n\n tagihan INV-1\tsebesar  Rp 5 jatuh tempo besok.'

it('the first rule that fits makes the template; spaces and line breaks count as one', () => {
  const rules = [rule({ pattern: 'Lain {{x}}' }), rule({}), rule({ template_name: 'never' })]
  expect(fitOf(rules, TEXT)).toMatchObject({
    ...{ rule: 1, name: 'tagihan', language: 'id', parameters: ['Budi', 'INV-1', 'Rp 5', 'besok'] },
    components: [{ type: 'body', parameters: [{ type: 'text', text: 'Budi' }, {}, {}, {}] }],
  })
  expect(fitOf(rules, 'Halo')).toBeNull()
})

it('variables go where the rule says, in order or by name', () => {
  expect(fitOf([rule({ parameters: ['jumlah', 'nama'] })], TEXT)?.parameters).toEqual(['Rp 5', 'Budi'])
  expect(fitOf([rule({ parameters: { customer: 'nama' } })], TEXT)?.components).toEqual([
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'customer', text: 'Budi' }] },
  ])
})

it.each([
  [{ pattern: 'Halo {{a}}{{b}}' }, 'variables_touch'],
  [{ pattern: 'Halo {{a}}  {{b}}' }, 'variables_touch'],
  [{ pattern: '  ' }, 'empty'],
  [{ parameters: ['nama', 'alamat'] }, 'unknown_variables'],
])('%j is refused', (fields, code) => {
  const asked = { pattern: INVOICE, template_name: 'tagihan', ...fields }
  const parsed = secondRoadRule.safeParse(asked, { reportInput: true })
  expect(parsed.error?.issues.map((issue) => readIssue(issue).code)).toContain(code)
})
