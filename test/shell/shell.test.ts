import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OWNER_TOKEN, openShell, SERVER_URL, settle } from './support/shell.ts'

const attention = { type: 'attention', language: 'en', paused: false } as const
const dropped = {
  id: 'sender:SND-1',
  title: 'Toko Melati is logged out',
  body: '38 messages wait.',
  page: '/senders/SND-1',
}

describe('start', () => {
  test('asks for the lock, waits for the system, starts the server, and opens the window when that is ready', async () => {
    const shell = await openShell()
    expect(shell.fake.app.calls).toEqual(['lock', 'ready'])
    expect(shell.fake.children).toHaveLength(1)
    expect(shell.fake.windows).toHaveLength(0)

    shell.serverGetsReady()
    expect(shell.window().loaded).toEqual([SERVER_URL])
    expect(shell.window().visible).toBe(true)
  })

  test('hands the key, the token and the data folder to the server, and nothing before its process runs', async () => {
    const shell = await openShell()
    expect(shell.server().received).toEqual([])

    shell.server().emit('spawn')
    expect(shell.server().received).toEqual([
      {
        type: 'init',
        vaultKeyHex: '2a'.repeat(32),
        ownerToken: OWNER_TOKEN,
        home: join(shell.fake.app.userData, 'data'),
      },
    ])
  })

  test('takes the data folder and the token from the environment where they are set', async () => {
    const shell = await openShell(undefined, { env: { KURIR_HOME: '/srv/kurir', KURIR_OWNER_TOKEN: 'mine' } })
    shell.server().emit('spawn')
    expect(shell.server().received).toMatchObject([{ home: '/srv/kurir', ownerToken: 'mine' }])
  })

  test('a second Kurir leaves at once, without a server', async () => {
    const { fake } = await openShell((it) => {
      it.app.isFirst = false
    })
    expect(fake.app.quits).toBe(1)
    expect(fake.app.calls).not.toContain('ready')
    expect(fake.children).toHaveLength(0)
  })

  test('starting it again brings the window to the front', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.window().hide()
    shell.window().minimized = true

    shell.fake.app.emit('second-instance')
    expect(shell.window()).toMatchObject({ visible: true, focused: true, minimized: false })
  })

  test("started by the computer's login, it stays in the tray until it is asked for", async () => {
    const shell = await openShell(undefined, { argv: ['kurir', '--hidden'] })
    shell.serverGetsReady()
    expect(shell.window().visible).toBe(false)

    shell.tray().emit('click')
    expect(shell.window().visible).toBe(true)
  })

  test('macOS tells by itself that the login started it', async () => {
    const shell = await openShell(
      (it) => {
        it.app.openedByLogin = true
      },
      { platform: 'darwin' },
    )
    shell.serverGetsReady()
    expect(shell.window().visible).toBe(false)
  })

  test('asked for before the server is ready, it opens as soon as that is', async () => {
    const shell = await openShell(undefined, { argv: ['kurir', '--hidden'] })
    shell.tray().emit('click')
    shell.serverGetsReady()
    expect(shell.window().visible).toBe(true)
  })

  test('a key that cannot be opened ends the start with the way out, and changes nothing', async () => {
    const first = await openShell()
    const again = await openShell((it) => {
      Object.assign(it.app, { userData: first.fake.app.userData })
      it.safeStorage.knowsTheKey = false
    })
    expect(again.fake.dialogs).toMatchObject([{ detail: expect.stringContaining('restore a backup') }])
    expect(again.fake.app.quits).toBe(1)
    expect(again.fake.children).toHaveLength(0)
  })

  test('without a password store of the system it works, and says so once', async () => {
    const withoutStore = (it: Awaited<ReturnType<typeof openShell>>['fake']) => {
      it.safeStorage.available = false
    }
    const first = await openShell(withoutStore)
    expect(first.fake.notifications.map((it) => it.content.title)).toEqual(['This computer has no password store'])

    const again = await openShell((it) => {
      withoutStore(it)
      Object.assign(it.app, { userData: first.fake.app.userData })
    })
    expect(again.fake.notifications).toEqual([])
    expect(again.fake.children).toHaveLength(1)
  })
})

describe('a server that cannot start', () => {
  test('says why, and is started again when the owner wishes', async () => {
    const shell = await openShell()
    shell.server().emit('spawn')
    shell.server().says({ type: 'failed', message: 'Port 7420 is taken. Set KURIR_PORT to another.' })
    await settle()

    expect(shell.fake.dialogs).toMatchObject([
      { detail: 'Port 7420 is taken. Set KURIR_PORT to another.', buttons: ['Try again', 'Quit'] },
    ])
    expect(shell.fake.children).toHaveLength(2)
    shell.serverGetsReady()
    expect(shell.window().loaded).toEqual([SERVER_URL])
  })

  test('is left alone when the owner quits', async () => {
    const shell = await openShell((it) => {
      it.pressed = 1
    })
    shell.server().says({ type: 'failed', message: 'The data folder is in use.' })
    await settle()
    expect(shell.fake.children).toHaveLength(1)
    expect(shell.fake.app.quits).toBe(1)
  })
})

describe('quit', () => {
  const tryToQuit = (shell: Awaited<ReturnType<typeof openShell>>) => {
    let prevented = false
    shell.fake.app.emit('before-quit', {
      preventDefault: () => {
        prevented = true
      },
    })
    return { prevented }
  }

  test('waits until the server has finished its send', async () => {
    const shell = await openShell()
    shell.serverGetsReady()

    expect(tryToQuit(shell)).toEqual({ prevented: true })
    expect(shell.server().wasTold('stop')).toBe(true)
    await settle()
    expect(shell.fake.app.quits).toBe(0)

    shell.server().says({ type: 'stopped' })
    await settle()
    expect(shell.fake.app.quits).toBe(1)
    expect(tryToQuit(shell)).toEqual({ prevented: false })
    expect(shell.window().closes()).toBe(true)
  })

  test('ends a server that does not answer after 15 s', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    tryToQuit(shell)

    shell.timers.advance(14_999)
    expect(shell.server().killed).toBe(false)
    shell.timers.advance(1)
    await settle()
    expect(shell.server().killed).toBe(true)
    expect(shell.fake.app.quits).toBe(1)
  })

  test('does not bring the server back that it has stopped', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    tryToQuit(shell)
    shell.server().emit('exit', 1)
    shell.timers.advance(120_000)
    expect(shell.fake.children).toHaveLength(1)
  })

  test('a computer that shuts down waits for the same', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    let delayed = false
    shell.fake.power.emit('shutdown', {
      preventDefault: () => {
        delayed = true
      },
    })
    expect(delayed).toBe(true)
    expect(shell.server().wasTold('stop')).toBe(true)
  })
})

describe('sleep', () => {
  test('is told to the server, and so is waking up', async () => {
    const shell = await openShell()
    shell.fake.power.emit('suspend')
    shell.fake.power.emit('resume')
    expect(shell.server().received).toEqual([{ type: 'suspend' }, { type: 'resume' }])
  })
})

describe('the window', () => {
  test('closing it keeps Kurir running, and says so the first time', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    expect(shell.window().closes()).toBe(false)
    expect(shell.window().visible).toBe(false)
    expect(shell.window().closes()).toBe(false)
    expect(shell.fake.notifications.map((it) => it.content.title)).toEqual(['Kurir keeps running'])
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

  test('is not loaded anew when the server comes back: its pages mend themselves', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    // A download gives up the navigation that it began as; a frame is not the page.
    shell.window().webContents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', SERVER_URL, true)
    shell.window().webContents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', SERVER_URL, false)
    shell.serverGetsReady()
    expect(shell.window().loaded).toEqual([SERVER_URL])
  })

  test('is loaded anew where the pages never came, where the page died, and at a new port', async () => {
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
    shell.tray().choose('Pause all sending')
    expect(shell.server().wasTold('pause-all')).toBe(true)

    shell.server().says({ ...attention, paused: true, items: [] })
    expect(shell.tray().labels()).toEqual(['Open Kurir', 'Resume all sending', 'Quit'])
    shell.tray().choose('Resume all sending')
    expect(shell.server().wasTold('resume-all')).toBe(true)
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
  test('tell each matter once while it lasts, and again when it comes back', async () => {
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

  test('a click opens the page that mends the matter', async () => {
    const shell = await openShell()
    shell.serverGetsReady()
    shell.window().hide()
    shell.server().says({ ...attention, items: [dropped] })
    shell.fake.notifications[0]?.emit('click')
    expect(shell.window().loaded.at(-1)).toBe(`${SERVER_URL}/senders/SND-1`)
    expect(shell.window().visible).toBe(true)
  })
})
