import { describe, expect, test } from 'vitest'
import { openShell, SERVER_URL } from './support/shell.ts'

describe('the window', () => {
  test('closing it keeps Kurir running, and says so the first time', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    expect(shell.window().closes()).toBe(false)
    expect(shell.window().visible).toBe(false)
    expect(shell.window().closes()).toBe(false)
    expect(shell.fake.notifications.map((it) => it.content.title)).toEqual(['Kurir keeps running'])
  })

  test('closed while Kurir quits it is gone, and nobody can ask for it', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.fake.app.emit('before-quit', { preventDefault: () => undefined })
    expect(shell.window().closes()).toBe(true)
    shell.window().webContents.emit('render-process-gone')
    shell.fake.app.emit('second-instance')
    shell.tray().emit('click')
    shell.timers.advance(1_000)
    expect(shell.window().loaded).toEqual([SERVER_URL])
  })

  test('opens where it was closed', async () => {
    const first = await openShell()
    first.serverGetsReady()
    first.window().maximized = true
    first.window().closes()

    const again = await openShell((it) => Object.assign(it.app, { userData: first.fake.app.userData }))
    again.serverGetsReady()
    expect(again.window().options).toMatchObject({ x: 10, y: 20, width: 900, height: 600 })
    expect(again.window().maximized).toBe(true)
  })

  test('its pages have no Node and no way out of their sandbox', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    expect(shell.window().options.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
    })
  })

  test('is not loaded again when the server comes back: its pages reconnect by themselves', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    // A download gives up the navigation that it began as; a frame is not the page.
    shell.window().webContents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', SERVER_URL, true)
    shell.window().webContents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', SERVER_URL, false)
    shell.serverGetsReady()
    expect(shell.window().loaded).toEqual([SERVER_URL])
  })

  test('is loaded again where the pages never came, where the page died, and at a new port', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.window().webContents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', SERVER_URL, true)
    shell.serverGetsReady()
    expect(shell.window().loaded).toHaveLength(2)

    shell.window().webContents.emit('render-process-gone')
    expect(shell.window().loaded).toHaveLength(2)
    shell.timers.advance(1_000)
    expect(shell.window().loaded).toHaveLength(3)

    shell.serverGetsReady('http://127.0.0.1:7500')
    expect(shell.window().loaded.at(-1)).toBe('http://127.0.0.1:7500')
  })
})
