import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openShell, SERVER_URL } from './support/shell.ts'

const attention = { type: 'attention', language: 'en', paused: false } as const
const dropped = {
  id: 'sender:SND-1',
  title: 'Toko Melati is logged out',
  body: '38 messages wait.',
  page: '/senders/SND-1',
}

describe('the tray', () => {
  test('shows what needs a hand before a pause, and a pause before nothing', async () => {
    const shell = await openShell()
    const sign = () => basename(shell.tray().image)
    expect(sign()).toBe('normal.png')

    shell.server().says({ ...attention, paused: true, items: [dropped] })
    expect(sign()).toBe('attention.png')
    expect(shell.tray().toolTip).toBe('Kurir: one thing needs your attention')
    shell.server().says({ ...attention, paused: true, items: [] })
    expect(sign()).toBe('paused.png')
    shell.server().says({ ...attention, items: [] })
    expect(sign()).toBe('normal.png')
  })

  test('asks for attention while the server is down after a crash', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.server().emit('exit', 139)
    expect(basename(shell.tray().image)).toBe('attention.png')
    expect(shell.fake.notifications.map((it) => it.content.title)).toEqual(['Kurir stopped sending for a moment'])

    shell.timers.advance(1_000)
    shell.serverGetsReady()
    expect(basename(shell.tray().image)).toBe('normal.png')
  })

  test('pauses and resumes all senders', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.tray().choose('Pause all sending')
    expect(shell.server().hasReceived('pause-all')).toBe(true)

    shell.server().says({ ...attention, paused: true, items: [] })
    expect(shell.tray().labels()).toEqual(['Open Kurir', 'Resume all sending', 'Quit'])
    shell.tray().choose('Resume all sending')
    expect(shell.server().hasReceived('resume-all')).toBe(true)
  })

  test('pauses all senders as soon as the server can hear it', async () => {
    const shell = await openShell()
    shell.tray().choose('Pause all sending')
    expect(shell.server().received).toEqual([])
    shell.serverGetsReady()
    expect(shell.server().hasReceived('pause-all')).toBe(true)

    shell.server().says({ ...attention, paused: true, items: [] })
    shell.server().says({ type: 'restarting' })
    shell.tray().choose('Resume all sending')
    expect(shell.server().hasReceived('resume-all')).toBe(false)
    shell.serverGetsReady()
    expect(shell.server().hasReceived('resume-all')).toBe(true)
  })

  test('speaks the language of the system, then the one that the owner chose', async () => {
    const shell = await openShell((it) => {
      it.app.languages = ['id-ID']
    })
    expect(shell.tray().labels()).toEqual(['Buka Kurir', 'Jeda semua pengiriman', 'Keluar'])
    shell.server().says({ ...attention, items: [] })
    expect(shell.tray().labels()).toEqual(['Open Kurir', 'Pause all sending', 'Quit'])
  })

  test('uses template images on macOS, which colours them itself', async () => {
    const shell = await openShell(undefined, { platform: 'darwin' })
    expect(shell.tray().image).toMatch(/normalTemplate\.png$/)
  })
})

describe('notifications', () => {
  test('show each concern once while it lasts, and again when it comes back', async () => {
    const shell = await openShell()
    const say = (items: (typeof dropped)[]) => shell.server().says({ ...attention, items })
    say([dropped])
    say([dropped, { ...dropped, id: 'callbacks:1', title: 'Callbacks fail' }])
    say([])
    say([dropped])
    expect(shell.fake.notifications.map((it) => it.content.title)).toEqual([
      'Toko Melati is logged out',
      'Callbacks fail',
      'Toko Melati is logged out',
    ])
  })

  test('a click opens the page where the owner can act', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.window().hide()
    shell.server().says({ ...attention, items: [dropped] })
    shell.fake.notifications[0]?.emit('click')
    expect(shell.window().loaded.at(-1)).toBe(`${SERVER_URL}/senders/SND-1`)
    expect(shell.window().visible).toBe(true)
  })
})
