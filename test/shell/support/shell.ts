import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ShellSystem } from '../../../main/electron.ts'
import { startShell } from '../../../main/shell.ts'
import {
  createFakeElectron,
  type FakeElectron,
  type FakeServerChild,
  type FakeTray,
  type FakeWindow,
} from './electron.ts'
import { createTimers } from './timers.ts'

export const SERVER_URL = 'http://127.0.0.1:7420'
export const OWNER_TOKEN = '2a'.repeat(32)

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kurir-shell-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A started shell, as far as its server's first word. */
export async function openShell(change: (fake: FakeElectron) => void = () => {}, system: Partial<ShellSystem> = {}) {
  const fake = createFakeElectron(temporaryFolder())
  change(fake)
  const timers = createTimers()
  await startShell(fake.electron, {
    platform: 'win32',
    env: {},
    argv: [],
    dist: '/app/dist',
    command: { path: '/app/kurir', args: [] },
    schedule: timers.schedule,
    randomBytes: (size) => Buffer.alloc(size, 0x2a),
    loadUpdater: async () => null,
    ...system,
  })
  return {
    fake,
    timers,
    /** The server's process that runs now. */
    server: (): FakeServerChild => last(fake.children),
    window: (): FakeWindow => last(fake.windows),
    tray: (): FakeTray => last(fake.trays),
    serverGetsReady(url = SERVER_URL): void {
      last(fake.children).emit('spawn')
      last(fake.children).says({ type: 'ready', url })
    },
  }
}

/** Lets what was promised already come true. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function last<T>(list: readonly T[]): T {
  const item = list.at(-1)
  if (!item) throw new Error('There is none yet')
  return item
}
