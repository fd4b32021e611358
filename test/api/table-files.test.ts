import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { asText, escaped } from '../../server/lib/csv.ts'
import { guessPhone } from '../../server/lib/phone-column.ts'
import { readTable } from '../../server/media/spreadsheets/read-table.ts'
import { readInThread } from '../../server/media/spreadsheets/reading.ts'
import { readNumber } from '../../server/slices/tables/judge.ts'
import { BOUNDS } from '../../server/slices/tables/service.ts'
import { workbook } from '../support/tables.ts'

const text = (value: string) => `<is><t>${value}</t></is>`
const read = (file: Buffer) => readTable(file, 'en', BOUNDS)
const cellsOf = (file: Buffer) => read(file).lines.map(({ cells }) => cells)
const NAMES = `<row r="1"><c r="A1" t="inlineStr">${text('No HP')}</c><c r="B1" t="s"><v>0</v></c></row>`

test('a sheet is read as its owner sees it', () => {
  const file = workbook({
    shared:
      '<si><t>Nama &amp; toko</t></si><si><r><t>Ibu </t></r><r><t>Sri</t></r><rPh><t>x</t></rPh></si><si><t>a_x000D_b</t></si>',
    numberFormats: '<numFmt numFmtId="170" formatCode="&quot;Rp&quot; #,##0"/>',
    rows: `${NAMES}
      <row r="2"><c r="A2"><v>8.1234567890123E12</v></c><c r="B2" t="s"><v>1</v></c><c r="D2" s="1"><v>45992</v></c></row>
      <row r="4"><c r="A4" t="str"><f>B1&amp;""</f><v>0812-1</v></c><c r="B4" s="2"><v>150000</v></c><c r="C4" t="e"><v>#N/A</v></c><c r="D4"><v>0.30000000000000004</v></c></row>
      <row r="5"><c r="B5" t="s"><v>2</v></c><c r="XFD5" s="1"/></row>
      <row r="1048576"><c r="XFD1048576" s="2"><v></v></c></row>`,
  })
  expect(read(file)).toEqual({
    columns: ['No HP', 'Nama toko', 'column 3', 'column 4'],
    names: { line: 1, cells: ['No HP', 'Nama & toko'] },
    lines: [
      { line: 2, cells: ['8123456789012.3', 'Ibu Sri', '', '1 December 2025'] },
      { line: 4, cells: ['0812-1', '150000', '', '0.3'] },
      { line: 5, cells: ['', 'a\rb'] },
    ],
  })
})

test('a cell that is formatted as a date and can be none is what was typed', () => {
  const rows = `${NAMES}<row r="2"><c r="A2" s="1"><v>6281234567890</v></c><c r="B2" s="1"><v>x</v></c></row>`
  expect(cellsOf(workbook({ rows, shared: '<si><t>Nama</t></si>' }))).toEqual([['6281234567890', 'x']])
})

test('a sheet full of dates is read in its time', async () => {
  const row = `<row><c><v>628123</v></c>${'<c s="1"><v>45992</v></c>'.repeat(20)}</row>`
  const bytes = workbook({ rows: row.repeat(BOUNDS.rows) })
  const { portions } = await readInThread({ bytes, language: 'id', bounds: BOUNDS })
  expect(portions.at(-1)?.at(-1)?.cells.at(-1)).toBe('1 Desember 2025')
})

test('a sheet that no spreadsheet writes brings no NUL, and no line that cannot be', () => {
  const cell = '<c t="str"><v>a&#0;b_x0000_c</v></c>'
  const rows = `${NAMES}<row r="1e400">${cell}</row><row r="-3.5">${cell}</row><row r="99999999999999999999">${cell}</row>`
  expect(read(workbook({ rows, shared: '<si><t>Nama</t></si>' })).lines).toEqual(
    [2, 3, 4].map((line) => ({ line, cells: ['abc'] })),
  )
})

test('a table that Kurir wrote is read as it was before it was made safe for a spreadsheet', () => {
  const cells = ['-Budi', '=1+1', '@sri', "'t Hoen", 'it\'s; "so"', '+62 812', 'a\nb', 'a;=1+1', 'a\n @sri']
  const file = `${['No HP', ...cells.map((_, n) => `Isi ${n}`)].join()}\n${[asText('6281234'), ...cells.map(escaped)].join()}`
  expect(cellsOf(Buffer.from(file))).toEqual([['6281234', ...cells]])
})

test('a long name of a column is not cut through a letter', () => {
  const { columns } = read(Buffer.from(`No HP,${'a'.repeat(35)}\u{1d40d}\u{1d40d}\n0812,x\n`))
  expect(columns[1]).toBe(`${'a'.repeat(35)}\u{1d40d}`)
})

test('entities of its own are not read', () => {
  const prolog =
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
  const file = workbook({
    prolog,
    shared: '<si><t>&b;&f;</t></si>',
    rows: `${NAMES}<row r="2"><c r="A2" t="s"><v>0</v></c></row>`,
  })
  expect(cellsOf(file)).toEqual([['&b;&f;']])
})

test.each([
  ['a cell with a value far to the right', `${NAMES}<row r="2"><c r="XFD2"><v>1</v></c></row>`, 'too_many_columns'],
  [
    'more rows than a table may have',
    Array.from({ length: 5_002 }, (_, n) => `<row r="${n + 1}"><c r="A${n + 1}"><v>1</v></c></row>`).join(''),
    'too_many_rows',
  ],
  ['a part that is no XML', '<row <<<', 'not_a_table'],
  ['no rows', '', 'empty'],
  ['a long text', `${NAMES}<row r="2"><c r="A2" t="inlineStr">${text('x'.repeat(5_000))}</c></row>`, 'too_large'],
])('%s is refused', (_what, rows, why) => {
  expect(() => read(workbook({ rows }))).toThrow(expect.objectContaining({ why }))
})

test('a part that inflates to more than a table may have is not inflated', async () => {
  const bomb = zipSync({ 'xl/workbook.xml': new Uint8Array(200 * 1024 * 1024) }, { level: 9 })
  expect(bomb.length).toBeLessThan(300_000)
  await expect(readInThread({ bytes: bomb, language: 'en', bounds: BOUNDS })).rejects.toMatchObject({
    why: 'too_large',
  })
  // One that says it is small gets no more room than it says.
  const lying = Buffer.from(zipSync({ 'xl/workbook.xml': new Uint8Array(20 * 1024 * 1024) }, { level: 9 }))
  const entry = lying.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
  lying.writeUInt32LE(10, entry + 24)
  await expect(readInThread({ bytes: lying, language: 'en', bounds: BOUNDS })).rejects.toMatchObject({
    why: 'not_a_table',
  })
})

const much = (part: string) => part.repeat(46_000_000 / part.length)

test.each([
  ['signs in their code', `<si><t>${much('_x0041_')}</t></si>`],
  ['entities', `<si><t>${much('&lt;>')}</t></si>`],
  ['a text in pieces', `<si><t>${much('<![CDATA[_x0041_]]>')}</t></si>`],
  ['attributes', `<si ${much('a="" ')}/>`],
  ['tags', much('<si/>')],
])('a file of a few bytes that becomes a heap of %s is refused, and the program lives', async (_what, shared) => {
  const bytes = workbook({ rows: `${NAMES}<row r="2"><c r="A2" t="s"><v>0</v></c></row>`, shared })
  expect(bytes.length).toBeLessThan(300_000)
  await expect(readInThread({ bytes, language: 'en', bounds: BOUNDS })).rejects.toMatchObject({ why: 'too_large' })
})

test('texts in every charset of a spreadsheet', () => {
  const rows = 'nomor;nama\r\n0812;Café'
  for (const bytes of [
    Buffer.from(rows),
    Buffer.from(`\ufeff${rows}`),
    Buffer.from(rows, 'latin1'),
    Buffer.from(`\ufeff${rows}`, 'utf16le'),
    Buffer.from(`sep=;\r\n${rows}`),
  ])
    expect(readTable(bytes, 'id', BOUNDS)).toMatchObject({
      columns: ['nomor', 'nama'],
      lines: [{ cells: ['0812', 'Café'] }],
    })
  expect(readTable(Buffer.from('081234567890;Sri'), 'id', BOUNDS).columns).toEqual(['kolom 1', 'kolom 2'])
})

const rules = { country: '62', restoreZero: false, isGroup: (name: string) => name === 'Dapur' }

test.each([
  ['0812-3456-7890', '6281234567890'],
  ['+62 (812) 3456 7890', '6281234567890'],
  ['6281234567890', '6281234567890'],
  ['="081234567890"', '6281234567890'],
  ["'081234567890", '6281234567890'],
  ['\u202a+62 812-3456-7890\u202c', '6281234567890'],
  ['+81 90-1234-5678', '819012345678'],
  ['0065 9123 4567', '6591234567'],
  ['0215550123', '62215550123'],
  ['Dapur', 'Dapur'],
  ['120363000000000101@g.us', '120363000000000101@g.us'],
  ['8,12E+11', 'shortened'],
  ['8.12345678901E+11', 'shortened'],
  ['81234567890', 'zero_lost'],
  ['812345678901.5', 'not_a_phone'],
  ['0812/0813', 'not_a_phone'],
  ['081234567890 081234567891', 'not_a_phone'],
  ['Sri', 'not_a_phone'],
  [' ', 'no_number'],
])('%j in a table of a sender in Indonesia is %j', (cell, expected) => {
  const found = readNumber(cell, rules)
  expect(Object.values(found)).toContain(expected)
})

test('numbers get their 0 back only where the owner says so', () => {
  expect(readNumber('81234567890', { ...rules, restoreZero: true })).toEqual({
    kind: 'phone',
    phone: '6281234567890',
    restored: true,
  })
  expect(readNumber('6281234567890', { ...rules, restoreZero: true })).toMatchObject({ restored: false })
})

test('the column of the numbers is guessed by its name and by what is in it', () => {
  const rows = [
    ['INV-1001', '081234567890', '2026', 'Sri'],
    ['INV-1002', '', '2026', 'Budi'],
  ]
  expect(guessPhone(['No faktur', 'Kontak', 'Tahun', 'Nama'], rows)).toBe('Kontak')
  expect(guessPhone(['No. WA', 'Nama'], [['', 'Sri']])).toBe('No. WA')
  expect(guessPhone(['Kota', 'Nama'], [['Malang', 'Sri']])).toBeNull()
  expect(guessPhone(['No rekening', 'HP'], [['1234567890', '0812345678']])).toBe('HP')
})
