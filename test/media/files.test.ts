import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FetchMedia, MediaFailure } from '../../server/media/fetch.ts'
import { createMediaFiles, type MediaFiles } from '../../server/media/files.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'

const URL_A = 'http://files.example/a.pdf'

let root: string
let folder: string
let clock: TestClock
let media: MediaFiles
let source: Source

/** A place that files come from, where the test decides when each download ends and how. */
interface Source {
  fetchMedia: FetchMedia
  /** The URLs that were asked for, in order. */
  asked: string[]
  /** Resolves once so many downloads have begun. */
  begun(count: number): Promise<void>
  finish(url: string, content: string): void
  fail(url: string): void
}

function createSource(): Source {
  const asked: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string | MediaFailure>>()
  const end = (url: string): PromiseWithResolvers<string | MediaFailure> => {
    const known = ends.get(url) ?? Promise.withResolvers()
    ends.set(url, known)
    return known
  }
  const watchers: { count: number; resolve: () => void }[] = []
  return {
    asked,
    begun: (count) => new Promise((resolve) => (asked.length >= count ? resolve() : watchers.push({ count, resolve }))),
    finish: (url, content) => end(url).resolve(content),
    fail: (url) => end(url).resolve(new MediaFailure('media_unreachable', 'down')),
    async fetchMedia(url, path, signal) {
      asked.push(url)
      for (const watcher of watchers) if (asked.length >= watcher.count) watcher.resolve()
      const stopped = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      const content = await Promise.race([end(url).promise, stopped])
      ends.delete(url)
      if (content instanceof MediaFailure) throw content
      await writeFile(path, content)
      const size = content.length
      return { path, kind: 'document', mimetype: 'application/pdf', fileName: 'a.pdf', size, sha256: '00' }
    },
  }
}

const open = (): MediaFiles => createMediaFiles(folder, source.fetchMedia, clock)
const files = async (): Promise<string[]> => (await readdir(folder)).sort()

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kurir-media-'))
  folder = join(root, 'media')
  clock = createTestClock()
  source = createSource()
  media = open()
  await media.sweep(async () => false)
})
afterEach(async () => {
  await media.close()
  await rm(root, { recursive: true })
})

test('a file is downloaded once, however often it is asked for', async () => {
  media.prefetch('m1', URL_A)
  media.prefetch('m1', URL_A)
  source.finish(URL_A, 'hello')
  const file = await media.take('m1', URL_A)
  expect(await media.take('m1', URL_A)).toEqual(file)
  expect(await readFile(file.path, 'utf8')).toBe('hello')
  expect(source.asked).toEqual([URL_A])
})

test('take works without a prefetch, and release deletes everything', async () => {
  source.finish(URL_A, 'hello')
  await media.take('m1', URL_A)
  expect(await files()).toEqual(['m1', 'm1.json'])
  await media.release('m1')
  expect(await files()).toEqual([])
  await media.release('m1')
})

test('three prefetches run at a time, and a take passes those that wait', async () => {
  const urls = [1, 2, 3, 4, 5].map((n) => `http://files.example/${n}`)
  for (const [index, url] of urls.entries()) media.prefetch(`m${index}`, url)
  await source.begun(3)
  const taken = media.take('m4', urls[4] ?? '')
  await source.begun(4)
  // The three begin together, in no order: each looks first whether its file is there already.
  expect(source.asked.toSorted()).toEqual([...urls.slice(0, 3), urls[4]])
  source.finish(urls[4] ?? '', 'five')
  expect((await taken).size).toBe(4)
  expect(source.asked).not.toContain(urls[3])
  source.finish(urls[0] ?? '', 'one')
  await source.begun(5)
  expect(source.asked).toContain(urls[3])
})

test('a failed prefetch makes room for the next', async () => {
  const urls = [1, 2, 3, 4].map((n) => `http://files.example/${n}`)
  for (const [index, url] of urls.entries()) media.prefetch(`m${index}`, url)
  source.fail(urls[1] ?? '')
  await source.begun(4)
  expect(source.asked).toContain(urls[3])
})

test('a failure reaches the one that takes the file, and after a minute the server is asked again', async () => {
  media.prefetch('m1', URL_A)
  source.fail(URL_A)
  await expect(media.take('m1', URL_A)).rejects.toMatchObject({ code: 'media_unreachable' })
  await expect(media.take('m1', URL_A)).rejects.toMatchObject({ code: 'media_unreachable' })
  expect(source.asked).toHaveLength(1)
  await clock.advance(60_000)
  const again = media.take('m1', URL_A)
  source.finish(URL_A, 'well again')
  expect((await again).size).toBe(10)
})

test('release while downloading stops it, and rejects those that wait', async () => {
  const taken = media.take('m1', URL_A).catch((error: unknown) => error)
  await source.begun(1)
  await media.release('m1')
  expect(await taken).toMatchObject({ name: 'AbortError' })
  expect(await files()).toEqual([])
})

test('release of a file that waits for its turn never downloads it', async () => {
  for (const n of [1, 2, 3, 4]) media.prefetch(`m${n}`, `http://files.example/${n}`)
  await source.begun(3)
  await media.release('m4')
  await media.release('m1')
  expect(source.asked).not.toContain('http://files.example/4')
})

test('after a restart a complete file is used again, although the server has another by now', async () => {
  source.finish(URL_A, 'first')
  const before = await media.take('m1', URL_A)
  await media.close()

  source = createSource()
  media = open()
  await media.sweep(async (messageId) => messageId === 'm1')
  expect(await media.take('m1', URL_A)).toEqual(before)
  expect(source.asked).toEqual([])
})

test.each([
  ['an incomplete data file', () => truncate(join(folder, 'm1'), 2)],
  ['a damaged description', () => writeFile(join(folder, 'm1.json'), '{"url":')],
  ['a description of another shape', () => writeFile(join(folder, 'm1.json'), '{}')],
])('%s is downloaded again', async (_, damage) => {
  source.finish(URL_A, 'first')
  await media.take('m1', URL_A)
  await media.close()
  await damage()

  source = createSource()
  media = open()
  source.finish(URL_A, 'second')
  expect(await readFile((await media.take('m1', URL_A)).path, 'utf8')).toBe('second')
})

test('sweep deletes what a crash left: finished messages, parts, drafts', async () => {
  for (const name of ['kept', 'kept.json', 'done', 'done.json', 'part', 'part.draft', 'lone.json']) {
    await writeFile(join(folder, name), '{}')
  }
  await media.sweep(async (messageId) => messageId !== 'done')
  expect(await files()).toEqual(['kept', 'kept.json'])
})

test('close stops downloads and keeps complete files', async () => {
  source.finish(URL_A, 'hello')
  await media.take('m1', URL_A)
  const taken = media.take('m2', 'http://files.example/b').catch((error: unknown) => error)
  await source.begun(2)
  await media.close()
  expect(await taken).toMatchObject({ name: 'AbortError' })
  expect(await files()).toEqual(['m1', 'm1.json'])
})
