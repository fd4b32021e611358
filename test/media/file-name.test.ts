import { describe, expect, test } from 'vitest'
import { dispositionName, fileNameFor, namesOf } from '../../server/media/file-name.ts'

test.each([
  ['attachment; filename="Faktur Mei.pdf"', 'Faktur Mei.pdf'],
  ['attachment; filename=faktur.pdf', 'faktur.pdf'],
  ['inline;FILENAME="a;b.pdf"; size=3', 'a;b.pdf'],
  ['attachment; filename="say \\"hi\\".pdf"', 'say "hi".pdf'],
  ['attachment; filename="x.pdf"; filename*=UTF-8\'\'%D9%81%D8%A7%D8%AA%D9%88%D8%B1%D8%A9.pdf', 'فاتورة.pdf'],
  ["attachment; filename*=utf-8'id'%F0%9F%A7%BE%20struk.pdf; filename=x.pdf", '🧾 struk.pdf'],
  ["attachment; filename*=ISO-8859-1''%E9t%E9.pdf", 'été.pdf'],
  ["attachment; filename*=klingon''x.pdf; filename=y.pdf", 'y.pdf'],
  [`attachment; filename="${Buffer.from('été.pdf').toString('latin1')}"`, 'été.pdf'],
  ['attachment; filename="Laporan%20Mei.pdf"', 'Laporan Mei.pdf'],
  ['attachment; filename="100%.pdf"', '100%.pdf'],
  ['attachment', undefined],
  [undefined, undefined],
])('%s', (header, name) => {
  expect(dispositionName(header)).toBe(name)
})

describe('names', () => {
  const names = (disposition: string | undefined, ...urls: string[]): string[] =>
    namesOf(
      disposition,
      urls.map((url) => new URL(url)),
    )

  test('Content-Disposition goes before the paths, a path with an extension before one without', () => {
    expect(names('attachment; filename=a.pdf', 'http://x/y/b.pdf')).toEqual(['a.pdf', 'b.pdf'])
    expect(names(undefined, 'http://cdn/3f9ab', 'http://x/faktur%20mei.pdf?token=1#z')).toEqual([
      'faktur mei.pdf',
      '3f9ab',
    ])
    expect(names(undefined, 'http://x/')).toEqual([])
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system.ini', 'system.ini'],
    ['/etc/cron.d/x', 'x'],
    ['..', undefined],
    ['.htaccess', 'htaccess'],
    ['a\u0000b\u0007.pdf', 'ab.pdf'],
    ['fatura\u202efdp.exe', 'faturafdp.exe'],
    ['fatura\u061cfdp.exe', 'faturafdp.exe'],
    ['a:b*c?.pdf', 'a_b_c_.pdf'],
    ['  spaced   out .pdf ', 'spaced out .pdf'],
    ['👨‍👩‍👧 keluarga.pdf', '👨‍👩‍👧 keluarga.pdf'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(116)}.pdf`],
  ])('%j becomes %j', (raw, clean) => {
    expect(names(`attachment; filename*=UTF-8''${encodeURIComponent(raw)}`)[0]).toBe(clean)
  })

  test('what is too long to be a name is looked at only where it begins and ends', () => {
    const end = `${'.'.repeat(600)}a.pdf`
    expect(names(`attachment; filename="x${'.'.repeat(50_000)}${end}"`)).toEqual([`x${'.'.repeat(115)}.pdf`])
    expect(names(`attachment; filename="${'.'.repeat(500)}${'a'.repeat(50_000)}${end}"`)).toEqual(['a.pdf'])
  })

  test('an encoded slash in a path does not lead out', () => {
    expect(names(undefined, 'http://x/a/..%2F..%2Fsecret.txt')).toEqual(['secret.txt'])
  })
})

test.each([
  [undefined, 'application/pdf', 'document.pdf'],
  [undefined, 'image/jpeg', 'document.jpg'],
  [undefined, 'application/octet-stream', 'document'],
  ['faktur', 'application/pdf', 'faktur.pdf'],
  ['faktur.pdf', 'application/pdf', 'faktur.pdf'],
  ['FAKTUR.PDF', 'application/pdf', 'FAKTUR.PDF'],
  ['foto.jpeg', 'image/jpeg', 'foto.jpeg'],
  ['cetak.php', 'application/pdf', 'cetak.pdf'],
  ['faktur.pdf', 'text/html', 'faktur.html'],
  ['Faktur No.123', 'application/pdf', 'Faktur No.123.pdf'],
  ['server.log', 'text/plain', 'server.log'],
  ['data.bin', 'application/octet-stream', 'data.bin'],
  ['model.xyz', 'application/x-unheard-of', 'model.xyz'],
])('%s as %s is shown as %s', (name, mimetype, shown) => {
  expect(fileNameFor(name, mimetype, 'document')).toBe(shown)
})
