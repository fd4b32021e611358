import { expect, test } from 'vitest'
import { isIgnored, readName } from '../../server/slices/drop-folder/name.ts'

test.each([
  ['0812-3456-7890 INV-1001.pdf', '0812-3456-7890', 'INV-1001'],
  ['6281234567890.PDF', '6281234567890', null],
  ['+62 812-3456-7890 INV-1001.pdf', '+62812-3456-7890', 'INV-1001'],
  ['+62 812 3456 7890_Nota Juni.jpg', '+6281234567890', 'Nota Juni'],
  ['0812 3456 7890 INV-1001.pdf', '081234567890', 'INV-1001'],
  ['0812 3456 7890 1001.pdf', '081234567890', '1001'],
  ['081234567890 1001.pdf', '081234567890', '1001'],
  ['08123456789 12.jpeg', '08123456789', '12'],
  ['(021) 5550-1234 - faktur.png', '(021)5550-1234', 'faktur'],
  ['0812.3456.7890 a.b.webp', '0812.3456.7890', 'a.b'],
  ['０８１２３４５６７８９０ INV.pdf', '081234567890', 'INV'],
])('%s', (name, phone, reference) => {
  expect(readName(name)).toMatchObject({ kind: 'sent', phone, reference })
})

test.each([
  // A number that may end in two places: one of them is somebody else's.
  ['0812 345 678 90.pdf', 'several_numbers'],
  ['0812345 67890.pdf', 'several_numbers'],
  ['62 812 345 678 90 x.pdf', 'several_numbers'],
  ['INV-1001 081234567890.pdf', 'no_number'],
  ['invoice.pdf', 'no_number'],
  ['.pdf.pdf', 'no_number'],
  ['2026-11 report.pdf', 'no_number'],
  ['0812345678901234567 x.pdf', 'no_number'],
  ['0812-3456-7890', 'not_this_kind'],
  // The last digits are no ending.
  ['0812.3456.7890', 'not_this_kind'],
  ['081234567890 list.csv', 'not_this_kind'],
  ['081234567890 a.pdf.exe', 'not_this_kind'],
  ['081234567890 a\n.pdf', 'bad_name'],
  ['081234567890 fdp.\u202excod.pdf', 'bad_name'],
  ['081234567890 \ufffd.pdf', 'bad_name'],
])('%j: %s', (name, reason) => {
  expect(readName(name)).toEqual({ kind: 'refused', reason })
})

test('a reference is bounded', () => {
  const named = readName(`081234567890 ${'𝟙'.repeat(150)}${'x'.repeat(300)}.pdf`)
  expect(named.kind === 'sent' && named.reference?.length).toBe(256)
})

test.each(['.DS_Store', '~$INV.pdf', 'Thumbs.db', 'desktop.ini', 'a.pdf.part', 'a.pdf.crdownload', 'a.TMP', 'a.pdf~'])(
  '%s is left alone',
  (name) => expect([isIgnored(name), isIgnored(`0812 ${name}x`)]).toEqual([true, false]),
)
