import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pdfPages } from '../../../server/connections/linked/media/preview.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { samples } from '../../support/samples.ts'

function count(...parts: (string | Buffer)[]): Promise<number | undefined> {
  const path = join(temporaryFolder(), 'file.pdf')
  writeFileSync(path, Buffer.concat(parts.map((part) => Buffer.from(part))))
  return pdfPages(path)
}

const HEAD = '%PDF-1.7\n'
const object = (n: number, content: string) => `${n} 0 obj\n${content}\nendobj\n`
const tree = (pages: number) => `<< /Type /Pages /Kids [${'3 0 R '.repeat(pages)}] /Count ${pages} >>`

/** Objects that are compressed together, as most programs write them today. */
function objectStream(...objects: string[]): Buffer {
  const bodies = objects.join(' ')
  let at = 0
  const pairs = objects.map((one, index) => {
    const pair = `${index + 1} ${at}`
    at += one.length + 1
    return pair
  })
  const numbers = `${pairs.join(' ')} `
  const content = deflateSync(Buffer.from(numbers + bodies))
  const dictionary = `<< /Type /ObjStm /N ${objects.length} /First ${numbers.length} /Filter /FlateDecode /Length ${content.length} >>`
  return Buffer.concat([
    Buffer.from(`9 0 obj\n${dictionary}\nstream\r\n`),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ])
}

test('the root of the page tree counts all pages', async () => {
  expect(await count(HEAD, object(1, '<< /Type /Catalog /Pages 2 0 R >>'), object(2, tree(12)))).toBe(12)
})

test('its inner nodes count fewer, and outlines count something else', async () => {
  const nodes = [object(2, tree(30)), object(4, tree(20)), object(5, tree(10))]
  const outlines = object(6, '<< /Type /Outlines /Count 99 >>')
  expect(await count(HEAD, ...nodes, outlines, object(7, '<< /Type /Page /Parent 4 0 R >>'))).toBe(30)
})

test('a tree with more children than fit on a screen', async () => {
  expect(await count(HEAD, object(2, tree(3_000)))).toBe(3_000)
})

test('a tree of more nodes than a call takes arguments', async () => {
  expect(await count(HEAD, object(2, tree(4)).repeat(200_000))).toBe(4)
})

test('a tree in a compressed stream', async () => {
  expect(await count(HEAD, objectStream('<</Type/Catalog/Pages 2 0 R>>', tree(7).replaceAll(' ', ' ')))).toBe(7)
  expect(await count(HEAD, objectStream(tree(2), '<</Type/Outlines/Count 50>>'))).toBe(2)
})

/** One whose objects, by their offsets, are all of it again and again. */
function overlapping(): Buffer {
  const numbers = '1 0 1 1800000 '.repeat(140_000)
  const content = deflateSync(Buffer.from(numbers + 'x'.repeat(1_800_000)))
  const dictionary = `<< /Type /ObjStm /N 280000 /First ${numbers.length} /Filter /FlateDecode /Length ${content.length} >>`
  return Buffer.concat([
    Buffer.from(`9 0 obj\n${dictionary}\nstream\r\n`),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ])
}

test.each<[string, (string | Buffer)[]]>([
  ['objects that overlap, which would take hours', [HEAD, overlapping()]],
  ['a stream of nothing for megabytes, which would take hours', [HEAD, '/ObjStm'.repeat(600_000)]],
  ['no PDF', [samples.html]],
  ['a PDF without pages', [samples.pdf]],
  ['random bytes', [HEAD, randomBytes(100_000)]],
  [
    'a stream that is none',
    [HEAD, '<< /Type /ObjStm /N 5 /First 20 /Filter /FlateDecode >>\nstream\n', 'x', 'endstream'],
  ],
  ['a stream of nothing', [HEAD, '/ObjStm'.repeat(10_000)]],
  ['a count that is no count', [HEAD, object(2, '<< /Type /Pages /Count -5 >>')]],
  ['more pages than there are', [HEAD, object(2, '<< /Type /Pages /Count 999999 >>')]],
])('there is no number of pages: %s', async (_, parts) => {
  expect(await count(...parts)).toBeUndefined()
})

test('a stream that inflates without an end is given up', async () => {
  const bomb = objectStream(tree(5), 'x'.repeat(8 * 1024 * 1024))
  expect(await count(HEAD, bomb)).toBeUndefined()
})

test('no more than four megabytes are inflated of all streams together', async () => {
  const padded = (length: number) => objectStream('<< /Type /Outlines >>', ' '.repeat(length))
  expect(await count(HEAD, padded(1_000_000), padded(1_000_000), objectStream(tree(5)))).toBe(5)
  const many = Array.from({ length: 60 }, () => padded(1_000_000))
  expect(await count(HEAD, ...many, objectStream(tree(5)))).toBeUndefined()
})

test('a file that is very large is not read', async () => {
  expect(await count(HEAD, object(2, tree(3)), Buffer.alloc(33 * 1024 * 1024))).toBeUndefined()
})
