import { expect, test } from 'vitest'
import { escaped, readCsvRecord, separatorOf } from '../../server/lib/csv.ts'

function all(text: string, separators = ','): string[][] {
  const records: string[][] = []
  for (let at = 0; at < text.length; ) {
    const { cells, next } = readCsvRecord(text, at, separators)
    records.push(cells)
    at = next
  }
  return records
}

test.each([
  [
    'a,b\r\nc,\r\n',
    [
      ['a', 'b'],
      ['c', ''],
    ],
  ],
  ['a\rb\nc', [['a'], ['b'], ['c']]],
  ['"a,b","c ""d"""\n', [['a,b', 'c "d"']]],
  ['"a\r\nb",c', [['a\r\nb', 'c']]],
  [' "a" , b', [['a', ' b']]],
  // A quote that is never closed, or within a text, is a sign like others.
  ['"a,b\nc', [['"a', 'b'], ['c']]],
  ['27" TV,"x"y', [['27" TV', '"x"y']]],
  ['""', [['']]],
])('%j', (text, records) => expect(all(text)).toEqual(records))

test('a line counts with those that its cells break', () => {
  expect(readCsvRecord('"a\nb\nc",d\ne', 0, ',')).toEqual({ cells: ['a\nb\nc', 'd'], next: 10, lines: 3 })
})

test.each([
  ['nomor;nama\n08,1;x', ';'],
  ['nomor,nama', ','],
  ['nomor\tnama, lengkap', '\t'],
  ['nomor\n1,2\n3,4', ','],
  ['sep=;\r\na,b,c', ';'],
  // As Excel writes it where a comma is a decimal one: not in quotes.
  ['HP;Alamat\n0812;Jl. Mawar 5, Kel. A, Kec. B\n0813;Jl. Melati 6, Kel. C, Kec. D', ';'],
  ['HP,Pesan\n0812,"a; b; c; d"', ','],
  ['Pelanggan\n\nHP;Nama\n0812;Sri', ';'],
])('the separator of %j', (text, separator) => expect(separatorOf(text)).toBe(separator))

test.each([';', ',', '\t'])('no cell begins with a formula where %j separates', (separator) => {
  const line = ['x', 'a;=1', 'a; =1', 'a,=1', 'a\t@sri', 'a\n=1', '=1', '\r=1'].map(escaped).join(',')
  expect(
    all(line, separator)
      .flat()
      .filter((cell) => /^ *[=@]/.test(cell)),
  ).toEqual([])
  expect(escaped('5.000,-'), 'a price').toBe('"5.000,-"')
})
