import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Updater } from '../../main/updates.ts'
import { openShell, SERVER_URL, settle } from './support/shell.ts'

const HOUR = 3_600_000

/** electron-updater without a network: a test says what its server answers. */
class FakeUpdater extends EventEmitter implements Updater {
  autoDownload = false
  autoInstallOnAppQuit = false
  checks = 0
  installs = 0

  async checkForUpdates() {
    this.checks += 1
    return null
  }

  quitAndInstall(): void {
    this.installs += 1
  }
}

async function openUpdatable() {
  const updater = new FakeUpdater()
  const shell = await openShell(undefined, { loadUpdater: async () => updater })
  shell.serverGetsReady()
  const ask = (call: string) => shell.fake.ipc.get(call)?.({ senderFrame: { url: SERVER_URL } }, undefined)
  return { updater, shell, ask, state: () => ask('update:get') }
}

test('a copy without a place for updates says so and never looks', async () => {
  const shell = await openShell()
  shell.serverGetsReady()
  const ask = (call: string) => shell.fake.ipc.get(call)?.({ senderFrame: { url: SERVER_URL } }, undefined)
  expect(await ask('update:check')).toEqual({ state: 'off' })
  await ask('update:install')
  expect(shell.server().hasReceived('stop')).toBe(false)
})

test('the login to the computer starts what an update has put there while Kurir quit', async () => {
  const updater = new FakeUpdater()
  const { fake, serverGetsReady } = await openShell(undefined, {
    platform: 'linux',
    loadUpdater: async () => updater,
  })
  serverGetsReady()
  fake.ipc.get('login-item:set')?.({ senderFrame: { url: SERVER_URL } }, true)
  updater.emit('appimage-filename-updated', '/home/sri/Kurir-1.3.0.AppImage')
  const file = join(fake.app.userData, 'autostart', 'kurir.desktop')
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/home/sri/Kurir-1.3.0.AppImage"\n')
})

test('looks a minute after the start and every six hours', async () => {
  const { updater, shell } = await openUpdatable()
  expect(updater.checks).toBe(0)
  shell.timers.advance(60_000)
  await settle()
  expect(updater.checks).toBe(1)
  updater.emit('update-not-available')
  shell.timers.advance(6 * HOUR)
  expect(updater.checks).toBe(2)
})

test('fetches quietly, and the server learns of what is ready', async () => {
  const { updater, shell, state } = await openUpdatable()
  updater.emit('update-available', { version: '1.3.0' })
  updater.emit('download-progress', { percent: 40 })
  expect(state()).toEqual({ state: 'downloading', version: '1.3.0', percent: 40 })
  updater.emit('update-downloaded', { version: '1.3.0' })
  expect(state()).toEqual({ state: 'ready', version: '1.3.0' })
  expect(shell.server().received.slice(1)).toEqual([{ type: 'update-ready', version: '1.3.0' }])
  expect(updater).toMatchObject({ autoDownload: true, autoInstallOnAppQuit: true, installs: 0 })
})

test('a server that starts again learns of it too; nothing is ready while it downloads', async () => {
  const { updater, shell } = await openUpdatable()
  updater.emit('update-available', { version: '1.3.0' })
  expect(shell.server().hasReceived('update-ready')).toBe(false)
  updater.emit('update-downloaded', { version: '1.3.0' })
  shell.server().emit('exit', 1)
  shell.timers.advance(1_000)
  expect(shell.fake.children).toHaveLength(2)
  expect(shell.server().hasReceived('update-ready')).toBe(false)
  shell.serverGetsReady()
  expect(shell.server().received.at(-1)).toEqual({ type: 'update-ready', version: '1.3.0' })
})

describe("installing at the owner's wish", () => {
  test('waits for the send in progress', async () => {
    const { updater, shell } = await openUpdatable()
    updater.emit('update-downloaded', { version: '1.3.0' })
    shell.tray().choose('Restart and update to 1.3.0')
    await settle()
    expect(shell.server().hasReceived('stop')).toBe(true)
    expect(updater.installs).toBe(0)

    shell.server().says({ type: 'stopped' })
    await settle()
    expect(updater.installs).toBe(1)
  })

  test('that fails ends Kurir, because its server is stopped by then', async () => {
    const { updater, shell } = await openUpdatable()
    updater.emit('update-downloaded', { version: '1.3.0' })
    shell.tray().choose('Restart and update to 1.3.0')
    shell.server().says({ type: 'stopped' })
    await settle()
    updater.emit('error', new Error('The signature is wrong'))
    expect(shell.fake.app.quits).toBe(1)
  })
})

test('a copy that cannot replace itself, such as an unpacked one, is not looked for without an end', async () => {
  const { ask, state } = await openUpdatable()
  expect(await ask('update:check')).toEqual({ state: 'off' })
  expect(state()).toEqual({ state: 'off' })
})

test('a check that fails is shown, and the next one may succeed', async () => {
  const { updater, ask, state } = await openUpdatable()
  updater.checkForUpdates = async () => {
    updater.emit('error', new Error('No internet'))
    throw new Error('No internet')
  }
  expect(await ask('update:check')).toEqual({ state: 'failed', message: 'No internet' })
  updater.emit('update-not-available')
  expect(state()).toEqual({ state: 'current' })
})
