import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { readReceipt, splitAtCuts } from '../../server/slices/printer/escpos.ts'
import { messageText, printedLines, textOf } from '../../server/slices/printer/paper.ts'
import { canDraw, drawPdf } from '../../server/slices/printer/pdf.ts'
import { createRandom } from '../crash/random.ts'

const bytes = (...parts: (string | number | number[] | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(typeof part === 'number' ? [part] : part),
    ),
  )
const read = (content: Buffer, page: Parameters<typeof readReceipt>[1] = 'auto') =>
  readReceipt(content, page).map(textOf)

const ESC = '\x1b'
const GS = '\x1d'
const FS = '\x1c'
const INIT = `${ESC}@`
const CUT = `${GS}V\x41\x03`

describe('what is no text is left out', () => {
  const picture = (size: number) => Buffer.alloc(size, 0x41)
  test.each<[string, Buffer]>([
    ['the drawer, in both ways', bytes(`${ESC}p\x00\x32\x32`, '\x10\x14\x01\x00\x05')],
    ['the buzzer and the panel', bytes(`${ESC}B\x03\x02`, `${ESC}c5\x01`, '\x07')],
    ['a raster picture (GS v 0)', bytes(`${GS}v0\x00`, [48, 0, 10, 0], picture(480))],
    ['a picture in columns (ESC *, 24 dots)', bytes(`${ESC}*\x21`, [100, 0], picture(300))],
    ['a picture in columns (ESC *, 8 dots)', bytes(`${ESC}*\x01`, [100, 0], picture(100))],
    ['graphics (GS ( L)', bytes(`${GS}(L`, [12, 0], '0p0\x01\x01\x31', [2, 0, 1, 0], picture(2), `${GS}(L\x02\x0002`)],
    ['large graphics (GS 8 L)', bytes(`${GS}8L`, [20, 0, 0, 0], picture(20))],
    ['a logo of the printer (FS p)', bytes(`${FS}p\x01\x00`)],
    ['a logo for the printer (FS q)', bytes(`${FS}q\x01`, [1, 0, 2, 0], picture(16))],
    ['a downloaded picture (GS *)', bytes(`${GS}*\x02\x01`, picture(16), `${GS}/\x00`)],
    ['a bitmap (GS D)', bytes(`${GS}D0C0AA01`, 'BM', [10, 0, 0, 0], picture(4))],
    ['own characters (ESC &)', bytes(`${ESC}&\x03\x41\x42`, [2], picture(6), [1], picture(3), `${ESC}%\x01`)],
    ['a barcode that ends with NUL', bytes(`${GS}h\x50${GS}w\x02${GS}H\x02${GS}k\x045012345678900\x00`)],
    ['a barcode that is counted', bytes(`${GS}k\x49\x0c{B0123456789`)],
    ['a two-dimensional code that is not printed', bytes(`${GS}(k\x07\x001P0shop`)],
    ['status questions', bytes('\x10\x04\x01', `${GS}r\x01`, `${GS}I\x42`, `${GS}a\x00`)],
    ['page mode', bytes(`${ESC}L`, `${ESC}W`, [0, 0, 0, 0, 64, 2, 100, 0], `${ESC}T\x00`, `${ESC}S`)],
    ['styles', bytes(`${ESC}!\x38${GS}!\x11${ESC}E\x01${ESC}G\x01${ESC}-\x02${ESC}M\x01${GS}B\x01${ESC}{\x01`)],
    ['motion and spacing', bytes(`${ESC}3\x1e${ESC} \x00${GS}P\xb4\xb4${GS}L\x00\x00${GS}W\x40\x02${ESC}2`)],
    ['Kanji', bytes(`${FS}.${FS}C\x01${FS}!\x00${FS}S\x00\x00${FS}&`)],
    ['a counter', bytes(`${GS}C0\x03\x01${GS}C;1;65;2;1;1;`)],
    ['memory of the printer', bytes(`${FS}g1\x00`, [0, 0, 0, 0, 3, 0], 'abc')],
  ])('%s', (_what, command) => {
    expect(read(bytes(INIT, 'before', command, 'after\n'))).toEqual(['beforeafter'])
  })

  test('a command that is not known takes its name alone along', () => {
    expect(read(bytes('a', `${ESC}\x7f`, 'b\n'))).toEqual(['ab'])
  })

  test('a barcode or a list of tabs without its end takes nothing along', () => {
    expect(read(bytes(`${GS}k\x04`, 'x'.repeat(400), '\nHP: 0812\n')).at(-1)).toBe('HP: 0812')
    expect(read(bytes(`${ESC}D`, 'no end of it in these forty letters here\n', 'HP: 0812\n')).at(-1)).toBe('HP: 0812')
  })
})

describe('text', () => {
  test('a QR code that is printed is a line', () => {
    const qr = bytes(`${GS}(k\x04\x001A2\x00${GS}(k\x03\x001C\x06${GS}(k\x03\x001E0`)
    const content = bytes('Scan:\n', qr, `${GS}(k`, [18, 0], '1P0https://a.b/c/1', `${GS}(k\x03\x001Q0`, 'Bye\n')
    expect(read(content)).toEqual(['Scan:', 'https://a.b/c/1', 'Bye'])
  })

  test('lines end with LF, CR LF, CR, form feed and feeds', () => {
    expect(read(bytes('a\nb\r\nc\rd\fe', `${ESC}d\x03`, 'f', `${ESC}J\x20`, 'g'))).toEqual([
      ...['a', 'b', 'c', 'd', 'e', '', '', 'f', 'g'],
    ])
  })

  test('a line that is printed twice to be bold is one', () => {
    expect(read(bytes('TOTAL 5\rTOTAL 5\r\nThanks\n'))).toEqual(['TOTAL 5', 'Thanks'])
  })

  test('columns by tabs, by tab stops and by positions', () => {
    expect(read(bytes('Tea\t5\n', `${ESC}D\x0a\x14\x00`, 'Tea\t5\t6\n', 'Tea', `${ESC}$`, [240, 0], '7\n'))).toEqual([
      ...['Tea     5', 'Tea       5         6', 'Tea                 7'],
    ])
  })

  test('many blank lines are two', () => {
    expect(read(bytes('a', '\n'.repeat(50), 'b', '\n'.repeat(9)))).toEqual(['a', '', '', 'b'])
  })

  test.each([
    ['437', 0, 'cp437'],
    ['850', 2, 'cp850'],
    ['858', 19, 'cp858'],
    ['1252', 16, 'win1252'],
  ] as const)('code page %s, named by the till or by the owner', (page, number, name) => {
    const text = name === 'cp858' || name === 'win1252' ? 'Café Müller € 5' : 'Café Müller ½'
    const content = iconv.encode(`${text}\n`, name)
    expect(read(bytes(INIT, `${ESC}t`, number, content))).toEqual([text])
    expect(read(bytes(INIT, content), page)).toEqual([text])
  })

  test('UTF-8 is found, whatever page the till names; a wrong page of the till is overruled', () => {
    const text = 'Bu Sāri – 東京 ─── €'
    expect(read(bytes(INIT, `${ESC}t\x00`, Buffer.from(`${text}\n`)))).toEqual([text])
    expect(read(bytes(INIT, `${ESC}t\x02`, iconv.encode('Crème €\n', 'win1252')), '1252')).toEqual(['Crème €'])
    // The frames of code page 437 are no UTF-8.
    expect(read(iconv.encode('╔═══╗║┌─┐\n', 'cp437'))).toEqual(['╔═══╗║┌─┐'])
  })
})

test('each receipt of one connection is one, and keeps the code page; a drawer alone is none', async () => {
  const page = `${ESC}t\x10`
  const euro = iconv.encode('€ 1', 'win1252')
  const parts = await splitAtCuts(
    bytes(page, 'one\n', CUT, `${ESC}p\x00\x19\xfa`, 'two ', euro, '\n', `${ESC}i`, `${ESC}p\x00\x19\xfa`),
  )
  expect(parts.map((part) => read(part))).toEqual([['one'], ['two € 1']])
  expect(await splitAtCuts(bytes(`${ESC}p\x00\x19\xfa`, '   \n', CUT))).toEqual([])
})

test('what `printf | nc` and the raw queue of CUPS send', () => {
  expect(read(Buffer.from('HP: 0812-3456-7890\nTotal Rp 10.000\n\f'))).toEqual([
    'HP: 0812-3456-7890',
    'Total Rp 10.000',
  ])
  // "Generic / Text Only" of Windows.
  expect(read(bytes('\r\nToko Melati\r\nHP: 0812\r\n\f'))).toEqual(['Toko Melati', 'HP: 0812'])
})

/** A receipt as one of the libraries writes it. */
function layout(i: number) {
  const random = createRandom(i)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const width = pick([32, 42, 48])
  const page = pick([
    { name: 'cp437', set: `${ESC}t\x00` },
    { name: 'cp850', set: `${ESC}t\x02` },
    { name: 'cp858', set: `${ESC}t\x13` },
    { name: 'win1252', set: `${ESC}t\x10` },
    { name: 'utf8', set: '' },
  ])
  const end = pick(['\n', '\r\n'])
  const line = (text: string) => bytes(iconv.encode(text, page.name), end)
  const separator = pick(page.name === 'win1252' ? ['-', '=', '*'] : ['-', '=', '*', '─', '═'])
  const money = (n: number) => n.toLocaleString('de-DE')
  const phone = `0812-${1000 + Math.floor(random() * 9000)}-${1000 + i}`
  const reference = `INV-${1000 + i}`
  const items = Array.from({ length: 1 + Math.floor(random() * 9) }, (_, n) => {
    const price = money(1000 * (1 + Math.floor(random() * 900)))
    const name = pick(['Kopi susu', 'Jus jambú', 'Crème brûlée', 'Nasi goreng', 'Teh'])
    return `${`${n + 1}x ${name}`.padEnd(width - price.length)}${price}`
  })
  const logo = pick([
    bytes(),
    bytes(`${GS}v0\x00`, [width / 2, 0, 24, 0], Buffer.alloc((width / 2) * 24, 0x0a)),
    bytes(`${GS}(L`, [10 + 30, 0], '0p0\x01\x011', [24, 0, 10, 0], Buffer.alloc(30, 0x1b), `${GS}(L\x02\x0002`),
    bytes(`${ESC}3\x10`, `${ESC}*\x21`, [40, 0], Buffer.alloc(120, 0x0a), '\n', `${ESC}2`),
    bytes(`${FS}p\x01\x00`),
  ])
  const label = pick(['HP: ', 'HP : ', 'No. HP: ', 'Telp. Pelanggan: '])
  const lines = [
    'TOKO MELATI',
    `Nota: ${reference}`,
    `${label}${phone}`,
    separator.repeat(width),
    ...items,
    separator.repeat(width),
    'TOTAL 99.000',
    'Terima kasih – sampai jumpa!'.replace('–', page.name === 'utf8' || page.name === 'win1252' ? '–' : '-'),
  ]
  const [shop = '', ...rest] = lines
  const content = bytes(
    ...[INIT, page.set, logo, `${ESC}a\x01`, pick([`${GS}!\x11`, `${ESC}!\x38`]), line(shop)],
    ...[pick([`${GS}!\x00`, `${ESC}!\x00`]), `${ESC}a\x00`, ...rest.slice(0, -2).map(line)],
    ...[`${ESC}E\x01`, line(rest.at(-2) ?? ''), `${ESC}E\x00`, line(rest.at(-1) ?? '')],
    ...[pick([`${GS}h\x40${GS}k\x49\x06{B1234`, `${GS}k\x04123\x00`, '']), `${ESC}d\x04`],
    ...[pick([CUT, `${GS}V\x00`, `${ESC}i`, `${ESC}m`]), pick([`${ESC}p\x00\x19\xfa`, ''])],
  )
  return { content, lines, width }
}

test.each(Array.from({ length: 50 }, (_, i) => i))('layout %i is read, and drawn', async (i) => {
  const { content, lines, width } = layout(i)
  expect(await splitAtCuts(content)).toHaveLength(1)
  const receipt = readReceipt(content, 'auto')
  expect(receipt.map(textOf)).toEqual(lines)
  const [shop, total] = [receipt[0], receipt.at(-2)]
  expect(shop).toMatchObject({ align: 'centre', spans: [{ wide: true, tall: true }] })
  expect(total?.spans).toMatchObject([{ bold: true, wide: false }])
  expect(printedLines(receipt).every((text) => text.length <= width)).toBe(true)
  expect(
    messageText(receipt)
      .split('\n')
      .some((text) => /^(.)\1{20,}$/u.test(text)),
  ).toBe(false)
  expect(canDraw(receipt)).toBe(true)
  const pdf = drawPdf(receipt)
  expect(pdf.toString('latin1')).toContain('(TOTAL 99.000) Tj')
})

test('the objects of a PDF are where its table says, and letters that it lacks are known', () => {
  const pdf = drawPdf(readReceipt(Buffer.from('a (b) \\ c\n'.repeat(3000)), 'auto')).toString('latin1')
  const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1])
  expect(pdf.slice(start, start + 4)).toBe('xref')
  const places = [...pdf.slice(start).matchAll(/(\d{10}) 00000 n/g)].map(([, at]) => Number(at))
  expect(places.length).toBeGreaterThan(6)
  for (const [i, at] of places.entries()) expect(pdf.slice(at, at + 12)).toContain(`${i + 1} 0 obj`)
  for (const [, length, body] of pdf.matchAll(/\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/g))
    expect(body).toHaveLength(Number(length))
  expect(pdf).toContain('(a \\(b\\) \\\\ c) Tj')
  expect(canDraw(readReceipt(Buffer.from('東京\n'), 'auto'))).toBe(false)
})

test('random bytes never fail, and lines stay short', async () => {
  const random = createRandom(7)
  const prefixes = [0x1b, 0x1d, 0x1c, 0x10, 0x0a, 0x41]
  for (let i = 0; i < 400; i += 1) {
    const content = Buffer.from(
      Array.from({ length: 1 + Math.floor(random() * 4000) }, () =>
        random() < 0.3 ? (prefixes[Math.floor(random() * prefixes.length)] ?? 0) : Math.floor(random() * 256),
      ),
    )
    const parts = await splitAtCuts(content)
    expect(parts.reduce((sum, part) => sum + part.length, 0)).toBeLessThanOrEqual(content.length + 3 * parts.length)
    for (const page of ['auto', '437', 'utf-8'] as const) {
      const lines = readReceipt(content, page)
      // A mark of the page may be two units.
      for (const line of lines) expect(textOf(line).length).toBeLessThanOrEqual(2 * 256)
      drawPdf(lines)
    }
  }
})

test.each([
  ['text', 'a'],
  ['position', '\x1b$\xff\x0b'],
  ['a position and a line', '\x1b$\xff\x0b1\n'],
  ['feeds', '\x1bd\xff'],
  ['barcodes without an end', '\x1dk\x04'],
  ['tab stops without an end', '\x1bD'],
  ['characters of its own', '\x1b&\x00\x00\xff'],
  ['changes of the page', '\x1bt\x02\xe9'],
  ['codes', '\x1d(k\x04\x001P0a\x1d(k\x03\x001Q0'],
])('half a megabyte of %s makes lines in proportion', (_what, unit) => {
  const content = bytes(unit.repeat(Math.floor((512 * 1024) / unit.length)))
  const lines = readReceipt(content, 'auto')
  const letters = lines.reduce((sum, line) => sum + textOf(line).length, 0)
  expect(letters).toBeLessThan(60 * content.length)
  expect(lines.length).toBeLessThanOrEqual(content.length)
})
