import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { proto } from 'baileys'
import { describe, expect, test } from 'vitest'
import { audioSeconds } from '../../../server/connections/linked/media/preview.ts'
import { mediaContent } from '../../../server/connections/linked/sending/content.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { samples } from '../../support/samples.ts'

function seconds(mimetype: string, ...parts: (string | Uint8Array)[]): Promise<number> {
  const path = join(temporaryFolder(), 'sound')
  writeFileSync(
    path,
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))),
  )
  return audioSeconds(path, mimetype)
}

function page(granule: number): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head.writeBigInt64LE(BigInt(granule), 6)
  return head
}

function box(type: string, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}
const words = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])))
const movie = (duration: number, scale: number) =>
  box('moov', box('mvhd', words(0, 0, 0, scale, duration), Buffer.alloc(80)))

/** A frame header of layer III: version 1 or 2, 128 or 64 kbit/s. */
const MP3_1 = Buffer.from('fffb9064', 'hex')
const MP3_2 = Buffer.from('fff38064', 'hex')
function xing(frames: number): Buffer {
  const mark = Buffer.alloc(16)
  mark.write('Xing')
  mark.writeUInt32BE(1, 4)
  mark.writeUInt32BE(frames, 8)
  return Buffer.concat([MP3_1, Buffer.alloc(32), mark, Buffer.alloc(100)])
}

describe('how long it plays', () => {
  test.each<[string, string, (string | Uint8Array)[], number]>([
    ['Opus', 'audio/ogg; codecs=opus', [page(0), Buffer.alloc(200_000), page(48_000 * 93)], 93],
    ['MP4', 'audio/mp4', [box('ftyp', words(1)), movie(90_000, 1000)], 90],
    [
      'MP4 with the sound first',
      'audio/mp4',
      [box('ftyp', words(1)), box('mdat', Buffer.alloc(500_000)), movie(7, 1)],
      7,
    ],
    ['MP3 of one bit rate', 'audio/mpeg', [MP3_1, Buffer.alloc(16_000 * 20 - 4)], 20],
    ['MP3 of version 2', 'audio/mpeg', [MP3_2, Buffer.alloc(8_000 * 30 - 4)], 30],
    [
      'MP3 after a tag',
      'audio/mpeg',
      ['ID3\x03\0\0\0\0\x07\x68', Buffer.alloc(1000), MP3_1, Buffer.alloc(16_000 * 5 - 4)],
      5,
    ],
    ['MP3 of many bit rates', 'audio/mpeg', [xing(10_000)], 261],
    ['AMR', 'audio/amr', ['#!AMR\n', Buffer.alloc(32 * 50 * 12, 0x3c)], 12],
    ['less than a second', 'audio/mpeg', [MP3_1, Buffer.alloc(4_000)], 1],
  ])('%s', async (_, mimetype, parts, expected) => {
    expect(await seconds(mimetype, ...parts)).toBe(expected)
  })
})

describe('is not known', () => {
  test.each<[string, string, (string | Uint8Array)[]]>([
    ['of another kind', 'audio/aac', [randomBytes(1000)]],
    ['of nothing', 'audio/mpeg', []],
    ['of an Ogg without a page', 'audio/ogg; codecs=opus', [randomBytes(50)]],
    ['of an Ogg whose page is cut off', 'audio/ogg; codecs=opus', ['OggS\0\0\0']],
    ['of an Ogg that ends before it begins', 'audio/ogg; codecs=opus', [page(-1)]],
    ['of a movie whose boxes lead nowhere', 'audio/mp4', [words(0, 0, 0, 0)]],
    ['of a movie with a scale of nothing', 'audio/mp4', [movie(10, 0)]],
    ['of a movie of years', 'audio/mp4', [movie(0xffffffff, 1)]],
    ['of a tag without sound', 'audio/mpeg', [samples.mp3.subarray(0, 20)]],
    ['of something else by that name', 'audio/amr', [samples.html]],
  ])('%s', async (_, mimetype, parts) => {
    expect(await seconds(mimetype, ...parts)).toBe(0)
  })

  test.each(['audio/mpeg', 'audio/mp4', 'audio/ogg; codecs=opus', 'audio/amr'])(
    'of bytes made to be slow, which are not read: %s',
    async (mimetype) => {
      // Each two bytes look like the beginning of a frame; parsers that search take half a minute for a megabyte.
      const hostile = Buffer.from('fffa'.repeat(1024 * 1024), 'hex')
      expect(await seconds(mimetype, hostile)).toBe(0)
    },
  )
})

test('WhatsApp hears the length that was found here, or none: the library, which parses without a bound, is not asked', async () => {
  const key = randomBytes(32)
  async function sent(content: Buffer): Promise<number | null | undefined> {
    const path = join(temporaryFolder(), 'sound')
    writeFileSync(path, content)
    const file = {
      path,
      mimetype: 'audio/mpeg',
      fileName: 'a.mp3',
      kind: 'audio' as const,
      size: content.length,
      sha256: '',
    }
    const uploaded = {
      directPath: '/a',
      mediaKey: key,
      fileSha256: key,
      fileEncSha256: key,
      fileLength: content.length,
    }
    const bytes = await mediaContent(file, uploaded, { caption: null, timer: null, now: 0 })
    return proto.Message.decode(bytes).audioMessage?.seconds
  }
  // The library makes other lengths of both.
  expect(await sent(Buffer.concat([MP3_1, Buffer.alloc(16_000 * 20 - 4)]))).toBe(20)
  expect(await sent(Buffer.concat([Buffer.from('fffa'.repeat(500), 'hex'), samples.mp3]))).toBeFalsy()
})
