import { expect, test } from 'vitest'
import { decideType, kindOf } from '../../server/media/kind.ts'
import { samples } from '../support/samples.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test.each<[keyof typeof samples, string, string]>([
  ['png', 'image/png', 'image'],
  ['jpeg', 'image/jpeg', 'image'],
  ['webp', 'image/webp', 'image'],
  ['gif', 'image/gif', 'document'],
  ['pdf', 'application/pdf', 'document'],
  ['mp4', 'video/mp4', 'video'],
  ['threeGp', 'video/3gpp', 'video'],
  ['mov', 'video/quicktime', 'document'],
  ['m4a', 'audio/mp4', 'audio'],
  ['opus', 'audio/ogg; codecs=opus', 'audio'],
  ['vorbis', 'audio/ogg', 'document'],
  ['mp3', 'audio/mpeg', 'audio'],
  ['amr', 'audio/amr', 'audio'],
  ['wav', 'audio/wav', 'document'],
  ['docx', DOCX, 'document'],
  ['zip', 'application/zip', 'document'],
  ['html', 'text/html', 'document'],
  ['svg', 'image/svg+xml', 'document'],
  ['text', 'text/plain', 'document'],
  ['unknown', 'application/octet-stream', 'document'],
])('%s is %s, a %s, whatever header and name say', async (sample, mimetype, kind) => {
  expect(await decideType(samples[sample], undefined, [])).toBe(mimetype)
  if (sample === 'unknown') return
  const lied = await decideType(samples[sample], sample === 'png' ? 'image/jpeg' : 'image/png', ['x.jpg'])
  expect(lied).toBe(mimetype)
  expect(kindOf(lied)).toBe(kind)
})

test('content that says nothing: the header decides, then the extension', async () => {
  expect(await decideType(samples.unknown, 'video/mp4; x=y', ['a.mp3'])).toBe('video/mp4')
  expect(await decideType(samples.unknown, 'AUDIO/MP3', [])).toBe('audio/mpeg')
  expect(await decideType(samples.unknown, 'application/octet-stream', ['a.mp3'])).toBe('audio/mpeg')
  expect(await decideType(samples.unknown, undefined, ['17', 'A.PDF'])).toBe('application/pdf')
  expect(await decideType(samples.unknown, 'rubbish', ['a.xyz'])).toBe('application/octet-stream')
})

test('a container becomes more exact by header or name, never another thing', async () => {
  const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  expect(await decideType(samples.zip, xlsx, [])).toBe(xlsx)
  expect(await decideType(samples.zip, undefined, ['a.xlsx'])).toBe(xlsx)
  expect(await decideType(samples.zip, 'application/pdf', ['a.pdf'])).toBe('application/zip')
  expect(await decideType(samples.csv, 'text/csv; charset=utf-8', [])).toBe('text/csv')
  expect(await decideType(samples.csv, undefined, ['a.csv'])).toBe('text/csv')
  expect(await decideType(samples.mp4, 'audio/mp4', [])).toBe('audio/mp4')
  expect(await decideType(samples.mp4, 'audio/mpeg', [])).toBe('video/mp4')
})
