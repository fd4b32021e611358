import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { DropFolderView, UpdateDropFolder } from '../../server/slices/drop-folder/contract.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { createTestClock, type TestClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { samples } from '../support/samples.ts'

export const LOOK = 3_000

export const change = (app: TestApp, body: UpdateDropFolder) =>
  app.owner<DropFolderView>('/api/drop-folder', { method: 'PATCH', body })
export const view = async (app: TestApp) => (await app.owner<DropFolderView>('/api/drop-folder')).body.data
export const concerns = async (app: TestApp) =>
  (await app.owner<{ concerns: Concern[] }>('/api/overview')).body.data.concerns
    .map(({ code }) => code)
    .filter((code) => code.startsWith('drop_'))

/** A program with a drop folder that sends through the sandbox. */
export async function open(settings: UpdateDropFolder = {}, options: Parameters<typeof startApp>[0] = {}) {
  const clock = options.clock ?? createTestClock()
  const app = await startApp({ ...options, clock })
  const folder = join(temporaryFolder(), 'kirim')
  const answer = await change(app, { folder, sender_code: SANDBOX, on: true, ...settings })
  expect(answer.status, answer.text).toBe(200)
  await clock.scheduled(LOOK)
  return { app, clock, folder }
}

/** Lets the folder be looked at so often. */
export async function look(clock: TestClock, times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const ended = clock.rescheduled(LOOK)
    await clock.advance(LOOK)
    await ended
  }
}

/** Looks as often as a file needs that stands still. */
export const take = (clock: TestClock) => look(clock, 4)

export const put = (folder: string, name: string, content: Buffer | string = samples.pdf) =>
  writeFileSync(join(folder, name), content)
/** Names of the files in the folder, in `sent` and in `failed`. */
export const inside = (folder: string) =>
  Object.fromEntries(
    ['', 'sent', 'failed'].map((name) => [
      name,
      readdirSync(join(folder, name))
        .filter((one) => name !== '' || !['sent', 'failed'].includes(one))
        .toSorted(),
    ]),
  )
