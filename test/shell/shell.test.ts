import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OWNER_TOKEN, openShell, SERVER_URL, settle } from './support/shell.ts'

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

  test('what is set to nothing there counts as not set', async () => {
    const shell = await openShell(undefined, { env: { KURIR_HOME: '', KURIR_OWNER_TOKEN: '' } })
    shell.server().emit('spawn')
    const home = join(shell.fake.app.userData, 'data')
    expect(shell.server().received).toMatchObject([{ home, ownerToken: OWNER_TOKEN }])
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

  test('macOS itself reports that the login started it', async () => {
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

  test('started again while its key is still locked, it opens as soon as the server is ready', async () => {
    const shell = await openShell(
      (it) => {
        it.safeStorage.isAsyncEncryptionAvailable = async () => {
          it.app.emit('second-instance')
          return true
        }
      },
      { argv: ['kurir', '--hidden'] },
    )
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
    expect(shell.server().hasReceived('stop')).toBe(true)
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
    expect(shell.server().hasReceived('stop')).toBe(true)
  })
})

describe('sleep', () => {
  test('is sent to the server, and so is waking up', async () => {
    const shell = await openShell()
    shell.fake.power.emit('suspend')
    shell.fake.power.emit('resume')
    expect(shell.server().received).toEqual([{ type: 'suspend' }, { type: 'resume' }])
  })
})
