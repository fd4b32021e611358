import { execFile } from 'node:child_process'
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import { getMediaKeys, proto } from 'baileys'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type HistoryItem, readHistory } from '../../../server/connections/linked/receiving/history.ts'
import { type HistoryNotice, openHistoryFile } from '../../../server/connections/linked/receiving/history-file.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type HistoryChunk, historyChunk } from '../../support/whatsapp-peer/history-chunk.ts'
import { createCertificate } from '../../support/whatsapp-peer/tls.ts'

const MB = 1024 * 1024
const SALT = Buffer.alloc(32, 3)
const TOKEN = Buffer.from('a token')

async function collect(source: AsyncIterable<HistoryItem>): Promise<HistoryItem[]> {
  const items: HistoryItem[] = []
  for await (const item of source) items.push(item)
  return items
}
/** In pieces of a few bytes, so that every field is cut somewhere. */
const inPieces = (bytes: Uint8Array, size = 7) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    })(),
  )
const read = (chunk: HistoryChunk, size?: number) =>
  collect(readHistory(inPieces(historyChunk(chunk).compressed, size)))

const empty = { kind: 'chat', phone: null, lid: null, lastMessageAt: null, token: null, timer: null }

describe('a chat says of its contact', () => {
  test.each<[string, NonNullable<HistoryChunk['chats']>[number], object]>([
    ['the number', { id: '6281234567890@s.whatsapp.net' }, { phone: '6281234567890' }],
    ['the number by its older name', { id: '6281234567890@c.us' }, { phone: '6281234567890' }],
    ['the LID', { id: '111222333444555@lid' }, { lid: '111222333444555' }],
    [
      'both, by LID',
      { id: '111222333444555@lid', pnJid: '6281234567890@s.whatsapp.net' },
      { phone: '6281234567890', lid: '111222333444555' },
    ],
    [
      'both, by number',
      { id: '6281234567890@s.whatsapp.net', lidJid: '111222333444555@lid' },
      { phone: '6281234567890', lid: '111222333444555' },
    ],
    [
      'the number but not the zero that means no LID',
      { id: '6281234567890@s.whatsapp.net', lidJid: '0@lid' },
      { phone: '6281234567890' },
    ],
    [
      'when the last message was',
      { id: '111222333444555@lid', lastMessageAt: 1_760_000_000 },
      { lid: '111222333444555', lastMessageAt: 1_760_000_000_000 },
    ],
    [
      'its token and ours',
      { id: '111222333444555@lid', token: { bytes: TOKEN, at: 1_760_000_000 }, tokenIssuedAt: 1_750_000_000 },
      { lid: '111222333444555', token: { token: TOKEN, timestamp: '1760000000', senderTimestamp: 1_750_000_000 } },
    ],
    [
      'only ours',
      { id: '111222333444555@lid', tokenIssuedAt: 1_750_000_000 },
      { lid: '111222333444555', token: { senderTimestamp: 1_750_000_000 } },
    ],
    [
      'when messages disappear',
      { id: '111222333444555@lid', timer: { seconds: 604_800, setAt: 1_750_000_000 } },
      { lid: '111222333444555', timer: { seconds: 604_800, setAt: 1_750_000_000 } },
    ],
    [
      'a timer that was set behind all calendars',
      { id: '111222333444555@lid', timer: { seconds: 604_800, setAt: 1e15 } },
      { lid: '111222333444555', timer: { seconds: 604_800, setAt: 0 } },
    ],
  ])('%s', async (_, chat, said) => {
    expect(await read({ chats: [{ ...chat, texts: ['Halo', 'Kapan buka?'] }] })).toEqual([{ ...empty, ...said }])
  })

  test.each([
    '120363000000000000@g.us',
    'status@broadcast',
    '120363000000000000@newsletter',
    '0@s.whatsapp.net',
    'x@lid',
  ])('nothing: %s', async (id) => {
    expect(await read({ chats: [{ id, token: { bytes: TOKEN, at: 1 } }] })).toEqual([])
  })
})

test('the account says its salt, its pairs and when it was migrated', async () => {
  const items = await read({
    salt: SALT,
    migratedAt: 1_755_000_000,
    pairs: [
      { pnJid: '6281234567890@c.us', lidJid: '111222333444555@lid' },
      { pnJid: '0@s.whatsapp.net', lidJid: '111222333444556@lid' },
      { pnJid: '6281234567891@s.whatsapp.net', lidJid: '0@lid' },
    ],
  })
  expect(items).toHaveLength(3)
  expect(items).toEqual(
    expect.arrayContaining([
      { kind: 'pair', phone: '6281234567890', lid: '111222333444555' },
      { kind: 'migrated', at: 1_755_000_000 },
      { kind: 'salt', salt: SALT },
    ]),
  )
})

test('no text, name or id of a message comes out', async () => {
  const items = await read({ chats: [{ id: '6281234567890@s.whatsapp.net', texts: ['rahasia sekali'] }] })
  expect(JSON.stringify(items)).not.toMatch(/rahasia|HIST/)
})

test('the same comes out however the bytes are cut', async () => {
  const chunk: HistoryChunk = {
    salt: SALT,
    atLeast: 300_000,
    chats: Array.from({ length: 50 }, (_, n) => ({ id: `62812345${1000 + n}@s.whatsapp.net`, texts: ['a', 'b'] })),
  }
  const whole = await read(chunk, 10 * MB)
  expect(whole).toHaveLength(51)
  for (const size of [1, 13, 4096]) expect(await read(chunk, size)).toEqual(whole)
})

describe('a chunk that is no history', () => {
  const { compressed } = historyChunk({ chats: [{ id: '6281234567890@s.whatsapp.net' }], atLeast: 100_000 })
  const failing = (bytes: Uint8Array) => expect(collect(readHistory(inPieces(bytes, 4096)))).rejects

  test('but something else', () => failing(Buffer.from('<html>')).toThrow('incorrect header'))
  test('because it is cut off', () => failing(compressed.subarray(0, -100)).toThrow('unexpected end of file'))
  test('because its content is cut off', async () => {
    await failing(deflateSync(Buffer.from([0x12, 0x7f, 0x0a, 0x05]))).toThrow('cut off')
    await failing(deflateSync(Buffer.from([0x07]))).toThrow('without a number')
    await failing(deflateSync(Buffer.from([0x13]))).toThrow('unknown kind')
    await failing(deflateSync(Buffer.alloc(20, 0xff))).toThrow('more than ten bytes')
  })
  test('because it never ends', async () => {
    await failing(historyChunk({ atLeast: 65 * MB }).compressed).toThrow('too long')
    const unknown = Buffer.concat([Buffer.from([0x9a, 0x06, 0x80, 0x80, 0x40]), Buffer.alloc(MB)])
    await failing(deflateSync(Buffer.concat(Array.from({ length: 65 }, () => unknown)))).toThrow('more than')
  })
  test('because its source fails', async () => {
    const source = (async function* () {
      yield compressed.subarray(0, 50)
      throw new Error('the line broke')
    })()
    await expect(collect(readHistory(source))).rejects.toThrow('the line broke')
  })
})

test('50 MB are read with less than 60 MB of memory', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'chunk')
  const { inflated, compressed } = historyChunk({
    chats: Array.from({ length: 2_000 }, (_, n) => ({ id: `62812${100_000 + n}@s.whatsapp.net` })),
    atLeast: 50 * MB,
  })
  expect(inflated).toBeGreaterThanOrEqual(50 * MB)
  await writeFile(file, compressed)
  const script = join(import.meta.dirname, 'history-memory.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, file])
  const { items, grewBy } = JSON.parse(stdout) as { items: number; grewBy: number }
  expect(items).toBe(2_000)
  expect(grewBy).toBeLessThan(60 * MB)
})

describe('the file of a chunk', () => {
  const { compressed } = historyChunk({ chats: [{ id: '6281234567890@s.whatsapp.net' }], atLeast: 200_000 })

  async function encrypted() {
    const mediaKey = randomBytes(32)
    const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, 'md-msg-hist')
    const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
    const content = Buffer.concat([cipher.update(compressed), cipher.final()])
    const mac = createHmac('sha256', Buffer.from(macKey ?? []))
      .update(iv)
      .update(content)
      .digest()
      .subarray(0, 10)
    const file = Buffer.concat([content, mac])
    const fileEncSha256 = createHash('sha256').update(file).digest()
    return { file, notice: { mediaKey, fileEncSha256, directPath: '/v/chunk?ccb=1' } satisfies HistoryNotice }
  }

  async function host(answer: (path: string) => Buffer | number) {
    const { key, cert } = createCertificate()
    const asked: string[] = []
    const server = createServer({ key, cert }, (request, response) => {
      asked.push(String(request.url))
      const given = answer(String(request.url))
      if (typeof given === 'number') response.writeHead(given).end()
      else response.end(given)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const dispatcher = new Agent({ connect: { ca: cert } })
    onTestFinished(async () => {
      await dispatcher.destroy()
      server.closeAllConnections()
      server.close()
    })
    return { name: `127.0.0.1:${(server.address() as AddressInfo).port}`, dispatcher, asked }
  }

  const open = (notice: HistoryNotice, hosts: string[], dispatcher = new Agent()) =>
    collect(readHistory(openHistoryFile(notice, { hosts, dispatcher })))
  const found = [{ ...empty, phone: '6281234567890' }]

  test('is fetched from the host that WhatsApp names, decrypted and checked', async () => {
    const { file, notice } = await encrypted()
    const { name, dispatcher, asked } = await host(() => file)
    expect(await open(notice, [name], dispatcher)).toEqual(found)
    expect(asked).toEqual(['/v/chunk?ccb=1'])
  })
  test('is fetched from the next host where the first fails', async () => {
    const { file, notice } = await encrypted()
    let asked = 0
    const { name, dispatcher } = await host(() => (asked++ === 0 ? 503 : file))
    expect(await open(notice, [name, name], dispatcher)).toEqual(found)
  })
  test('is refused when it is not what the phone wrote', async () => {
    const { file, notice } = await encrypted()
    const changed = Buffer.from(file)
    changed[40] = (changed[40] ?? 0) ^ 1
    const { name, dispatcher } = await host(() => changed)
    await expect(open(notice, [name], dispatcher)).rejects.toThrow()
    const other = { ...notice, fileEncSha256: randomBytes(32) }
    const honest = await host(() => file)
    await expect(open(other, [honest.name], honest.dispatcher)).rejects.toThrow('not what the phone wrote')
  })
  test('is not read to the end where there is none', async () => {
    const { notice } = await encrypted()
    const { name, dispatcher } = await host(() => Buffer.alloc(65 * MB, 1))
    const open = openHistoryFile(notice, { hosts: [name], dispatcher })
    await expect(Readable.from(open).forEach(() => {})).rejects.toThrow('too large')
  })
  test.each<[string, string[], string]>([
    ['without a host', [], 'no host'],
    ['from a host that is none', ['evil.example/path', 'user@host', ''], 'no host'],
  ])('is not fetched %s', async (_, hosts, words) => {
    const { notice } = await encrypted()
    await expect(open(notice, hosts)).rejects.toThrow(words)
  })
  test('is not fetched where a notification lacks what is needed', async () => {
    const { notice: whole } = await encrypted()
    for (const notice of [{}, { mediaKey: whole.mediaKey }, { ...whole, directPath: 'evil.example/x' }]) {
      await expect(open(notice, ['127.0.0.1:9'])).rejects.toThrow('no file is named')
    }
  })
  test('may be in the notification itself', async () => {
    const notice = proto.Message.HistorySyncNotification.create({ initialHistBootstrapInlinePayload: compressed })
    expect(await open(notice, [])).toEqual(found)
  })
})
