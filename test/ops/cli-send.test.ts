import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient, openFile } from '../../server/cli/client.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'

const app = await startApp({ lives: 'file' })
const MB = 1024 * 1024

const send = (...args: string[]) => runCommand(app.home, ['send', '6281234567890', '--sender', SANDBOX, ...args])

const messages = async () => (await app.owner<Record<string, unknown>[]>('/messages')).body.data

describe('a file of this computer', () => {
  function fileOf(name: string, content: Uint8Array | string = samples.pdf): string {
    const file = join(temporaryFolder(), name)
    writeFileSync(file, content)
    return file
  }

  test('goes with its name and the other members', async () => {
    const file = fileOf('Faktur "März" ü.pdf')
    const sent = await send('Terima kasih 🙏', '--file', file, '--reference', 'INV-1', '--json')
    expect(sent.code, sent.refused).toBe(0)
    const { id } = sent.json()
    await app.reached(id, 'read')
    expect((await app.owner(`/messages/${id}`)).body.data).toMatchObject({
      reference_id: 'INV-1',
      message: 'Terima kasih 🙏',
    })
    const [stored] = await app.app.store.uploads.list()
    expect(stored).toMatchObject({ mimetype: 'application/pdf', size: samples.pdf.length })
    expect(stored?.name).toMatch(/^Faktur .*März.* ü\.pdf$/)
  })

  test('may be the longest that Kurir takes, and not a byte longer', async () => {
    const longest = fileOf('longest.bin', 'x')
    truncateSync(longest, 100 * MB)
    const sent = await send('--file', longest)
    expect(sent.code, sent.refused).toBe(0)
    truncateSync(longest, 100 * MB + 1)
    const longer = await send('--file', longest, '--json')
    expect([longer.code, longer.refused]).toEqual([1, expect.stringMatching(/100 MB/)])
    truncateSync(longest, 150 * MB)
    const longest2 = await send('--file', longest)
    expect([longest2.code, longest2.refused]).toEqual([1, expect.stringMatching(/\d MB/)])
  })

  test('is not sent where it cannot be read whole, and that is said', async () => {
    const before = (await messages()).length
    const folder = temporaryFolder()
    for (const [file, words] of [
      [join(folder, 'none.pdf'), /none\.pdf cannot be read\.$/],
      [folder, /is no file\.$/],
      [fileOf('empty.pdf', ''), /file: must not be empty/],
    ] as const) {
      const refused = await send('--file', file)
      expect([refused.code, refused.out, refused.refused]).toEqual([1, '', expect.stringMatching(words)])
    }
    const file = fileOf('growing.pdf')
    const content = await openFile(file)
    writeFileSync(file, 'another')
    const restored = createClient([app.home]).call('/files', { body: { content, type: 'application/pdf' } })
    await expect(restored).rejects.toThrow(/changed while it was read/)
    expect(await messages()).toHaveLength(before)
  })

  test('an address is still one', async () => {
    const refused = await send('--file', 'http://user:secret@shop.example/a.pdf')
    expect([refused.code, refused.refused]).toEqual([1, expect.stringMatching(/^Please correct: file: /)])
  })
})

describe('a time', () => {
  afterEach(() => void vi.unstubAllEnvs())
  const dayAhead = () => new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)

  test.each([
    ['in the time of this computer', ' 08:00', 'T01:00:00.000Z'],
    ['as ISO without an offset', 'T08:00:30', 'T01:00:30.000Z'],
    ['with an offset', 'T08:00+08:00', 'T00:00:00.000Z'],
  ])('%s', async (_what, time, expected) => {
    vi.stubEnv('TZ', 'Asia/Jakarta')
    const day = dayAhead()
    const sent = await send('Halo', '--at', `${day}${time}`)
    expect([sent.code, sent.out]).toEqual([0, expect.stringContaining(` until ${day}${expected}.`)])
    expect((await messages())[0]).toMatchObject({ status: 'queued', due_at: `${day}${expected}` })
  })

  test.each([
    ['no time', 'tomorrow', /is no time/],
    ['a day alone', '2026-12-24', /is no time/],
    ['a day that is none', '2027-02-30 08:00', /is no time/],
    ['an hour that is none', '2027-02-20 25:00', /is no time/],
    ['a time that is over', '2020-12-24 08:00', /is over\. Leave --at out/],
  ])('%s is wrong usage', async (_what, time, words) => {
    const refused = await send('Halo', '--at', time)
    expect([refused.code, refused.out, refused.refused]).toEqual([2, '', expect.stringMatching(words)])
  })

  test('more than 30 days ahead is refused by Kurir', async () => {
    const late = new Date(Date.now() + 31 * 86_400_000).toISOString()
    expect(await send('Halo', '--at', late)).toMatchObject({ code: 1, refused: expect.stringContaining('30 days') })
  })
})
