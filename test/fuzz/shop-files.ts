import { workbook } from '../support/tables.ts'
import { mutate, type Random } from './mutate.ts'

const CSV = Buffer.from('No HP;Nama;Total\r\n081234567890;"Ibu; Sri";125.000\r\n+62 812-3456-7891;Budi;0\r\n')
const CSV_TOKENS = ['\r\n', ';;', '"', '""', ',', '\t', '\0', '\xef\xbb\xbf', '\xff\xfe', '=1+1']
const ROWS = `<row r="1"><c r="A1" t="inlineStr"><is><t>No HP</t></is></c></row>
<row r="2"><c r="A2"><v>8.1234567890E10</v></c><c r="B2" s="1"><v>45992</v></c></row>`
const XML_TOKENS = [
  '<row r="9999999">',
  '</row>',
  't="s"',
  '<v>-1</v>',
  '<v>1e999</v>',
  '&a;',
  '<![CDATA[',
  'r="XFD1"',
  '\0',
]
const ZIP_TOKENS = ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06', '\0\0\0\0', '\xff\xff\xff\xff']

/** A table of the owner's, as CSV or as a workbook. */
export function tableFile(random: Random): Buffer {
  const kind = random()
  if (kind < 0.5) return mutate(CSV, random, CSV_TOKENS)
  if (kind < 0.8) return workbook({ rows: mutate(Buffer.from(ROWS), random, XML_TOKENS).toString('latin1') })
  return mutate(workbook({ rows: ROWS }), random, ZIP_TOKENS)
}

/** A receipt as a till prints it: set-up, bold and wide letters, a code to scan, a picture, the cut. */
const RECEIPT = Buffer.from(
  '\x1b@\x1bt\x10\x1ba\x01\x1b!\x30TOKO MELATI\n\x1b!\0HP: 0812-3456-7890\nTOTAL\t125.000\n' +
    '\x1d(k\x04\0\x31A\x32\0\x1d(k\x06\0\x31P0abc\x1d(k\x03\0\x31Q0' +
    '\x1dv0\0\x02\0\x02\0\xaa\x55\xaa\x55\x1bp\0\x19\xfa\x1dV\x42\0',
  'latin1',
)
const PRINTER_TOKENS = [
  '\x1b',
  '\x1d',
  '\x1b*',
  '\x1dv0\0\xff\xff\xff\xff',
  '\x1d(k\xff\xff',
  '\x1c',
  '\x10\x04\x01',
  '\0',
  '\x1dV',
]

/** The bytes of a receipt, as a program sends them to a printer. */
export const print = (random: Random): Buffer => mutate(RECEIPT, random, PRINTER_TOKENS)
