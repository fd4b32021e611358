import { expect, test } from 'vitest'
import { MediaFailure, type MediaFile } from '../../server/media/fetch.ts'
import { cancelMessage } from '../../server/messages/actions.ts'
import { startLanes } from '../support/lane.ts'
import { UNKNOWN } from '../support/scripted-channel.ts'

const FILE: MediaFile = {
  path: '/nowhere',
  kind: 'document',
  mimetype: 'application/pdf',
  fileName: 'invoice.pdf',
  size: 3,
  sha256: 'ab',
}
const URL = 'http://files.example/invoice.pdf'

/** The downloads, as a lane sees them. */
function createDownloads() {
  const downloads = new Map<string, PromiseWithResolvers<MediaFile>>()
  const asked: string[] = []
  const released: string[] = []
  const of = (id: string) => {
    const known = downloads.get(id) ?? Promise.withResolvers<MediaFile>()
    downloads.set(id, known)
    known.promise.catch(() => undefined)
    return known
  }
  const begun = new Set<string>()
  return {
    asked,
    begun,
    released,
    of,
    media: {
      prefetch: (id: string) => void asked.push(id),
      take(id: string) {
        begun.add(id)
        return of(id).promise
      },
      async release(id: string) {
        released.push(id)
      },
    },
  }
}

test('a file that is there goes along and is deleted when the message has left', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  lane.script.ready = false
  const id = await lane.accept('caption', { file: URL })
  downloads.of(id).resolve(FILE)
  lane.script.ready = true
  lane.wake()
  await lane.quiet()
  expect(lane.sent).toMatchObject([{ body: 'caption', media: FILE }])
  expect(downloads.released).toEqual([id])
})

test('files are fetched while pacing holds the lane', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media, settings: { pacing: { min_seconds: 30, max_seconds: 30 } } })
  await lane.accept('first')
  await lane.quiet()
  const id = await lane.accept('second', { file: URL })
  await lane.quiet()
  expect(lane.bodies()).toEqual(['first'])
  expect(downloads.asked).toContain(id)
})

test('a slow file makes its message step aside once; the lane does not wait for it again', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  const slow = await lane.accept('slow', { file: URL })
  await lane.accept('one')
  await lane.pass(14_000)
  expect(lane.bodies()).toEqual([])
  await lane.pass(2_000)
  expect(lane.bodies()).toEqual(['one'])
  await lane.pass(5_000)
  const accepted = lane.clock.now()
  await lane.accept('two')
  await lane.pass(200, 100)
  expect(lane.sent.at(-1)).toMatchObject({ body: 'two' })
  expect((lane.sent.at(-1)?.at ?? 0) - accepted).toBeLessThanOrEqual(200)
  downloads.of(slow).resolve(FILE)
  await lane.pass(6_000)
  expect(lane.bodies()).toEqual(['one', 'two', 'slow'])
  expect(await lane.message(slow)).toMatchObject({ status: 'sent', attempts: 1 })
})

test('a file server that hangs holds up the lane once, not once for each of its messages', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  const invoices: string[] = []
  for (let n = 0; n < 12; n += 1) invoices.push(await lane.accept(`invoice ${n}`, { file: URL }))
  await lane.accept('behind')
  const other = await lane.accept('from elsewhere', { file: 'http://quick.example/menu.pdf' })
  downloads.of(other).resolve(FILE)
  await lane.pass(15_000)
  await lane.pass(1_000, 100)
  expect(lane.bodies()).toEqual(['behind', 'from elsewhere'])
  expect(downloads.begun.size).toBe(9)
  for (const id of invoices) downloads.of(id).resolve(FILE)
  await lane.pass(61_000)
  expect(lane.bodies()).toHaveLength(14)
})

test('a file that was sent along waits for no other that is slow', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  for (const id of ['slow', 'quick']) {
    const file = {
      id,
      keyNumber: null,
      name: `${id}.pdf`,
      kind: 'document',
      mimetype: 'application/pdf',
      size: 3,
    } as const
    await lane.run.store.uploads.add({ ...file, sha256: '', createdAt: 0, expiresAt: lane.clock.now() + 60_000 })
  }
  await lane.accept('slow', { file: 'upload:slow' })
  const quick = await lane.accept('quick', { file: 'upload:quick' })
  await lane.pass(16_000)
  expect(downloads.begun).toContain(quick)
  await lane.pass(1_000)
  downloads.of(quick).resolve(FILE)
  await lane.quiet()
  expect(lane.bodies()).toEqual(['quick'])
})

test('a download that was late and failed leaves the lane its patience for the next', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  const failing = await lane.accept('fails', { file: URL })
  await lane.pass(16_000)
  downloads.of(failing).reject(new MediaFailure('media_unreachable', 'files.example did not answer'))
  await lane.quiet()
  const next = await lane.accept('next', { file: URL })
  await lane.accept('behind')
  await lane.quiet()
  expect(lane.bodies()).toEqual([])
  downloads.of(next).resolve(FILE)
  await lane.quiet()
  expect(lane.bodies()).toEqual(['next', 'behind'])
})

test.each(['media_unreachable', 'media_too_large', 'media_blocked', 'media_invalid'] as const)(
  '%s fails the message with its code, and the next one goes',
  async (code) => {
    const downloads = createDownloads()
    const lane = await startLanes({ media: downloads.media })
    lane.script.ready = false
    const id = await lane.accept('with file', { file: URL })
    await lane.accept('next')
    downloads.of(id).reject(new MediaFailure(code, 'files.example did not answer'))
    lane.script.ready = true
    lane.wake()
    await lane.quiet()
    expect(await lane.message(id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: { code, message: 'files.example did not answer' },
    })
    expect(lane.bodies()).toEqual(['next'])
    expect(downloads.released).toContain(id)
  },
)

test('cancelled while its file is being downloaded: the lane goes on at once', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  const id = await lane.accept('never mind', { file: URL })
  await lane.quiet()
  await lane.accept('next')
  await cancelMessage(lane.run.messaging, id)
  downloads.of(id).reject(new DOMException('This operation was aborted', 'AbortError'))
  await lane.quiet()
  expect(lane.bodies()).toEqual(['next'])
  expect(lane.logged).toEqual([])
})

test('a file that must be sent again is kept until the message is through', async () => {
  const downloads = createDownloads()
  const lane = await startLanes({ media: downloads.media })
  lane.script.outcome = () => UNKNOWN
  const id = await lane.accept('again', { file: URL })
  downloads.of(id).resolve(FILE)
  await lane.pass(1_000)
  expect(downloads.released).toEqual([])
  await lane.pass(600_000, 5_000)
  expect(lane.sent).toHaveLength(5)
  expect(downloads.released).toEqual([id])
})
