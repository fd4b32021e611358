import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'

const root = join(import.meta.dirname, '..', '..')
const executable = findRuntime()
const obstacle = whyNot()
if (obstacle !== null) console.info(`Skipped, the real window: ${obstacle}.`)

describe('the real window', () => {
  let folder: string
  let app: ElectronApplication
  let page: Page
  let args: string[]
  let env: Record<string, string>

  beforeEach((context) => context.skip(obstacle !== null, obstacle ?? ''))

  beforeAll(async () => {
    if (obstacle !== null) return
    folder = mkdtempSync(join(tmpdir(), 'kurir-window-'))
    args = [root, `--user-data-dir=${join(folder, 'user')}`]
    env = {
      ...(process.env as Record<string, string>),
      KURIR_HOME: join(folder, 'home'),
      KURIR_PORT: String(await freePort()),
      KURIR_WEBHOOK_PORT: String(await freePort()),
    }
    app = await _electron.launch({ executablePath: executable ?? '', args, env })
    page = await app.firstWindow()
    await page.waitForLoadState('domcontentloaded')
  })

  afterAll(async () => {
    if (obstacle !== null) return
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test("opens the server's pages as the owner, without the token in the address", async () => {
    expect(page.url()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${env.KURIR_PORT}/`))
    expect(page.url()).not.toContain('token')
    expect(await page.evaluate(async () => (await fetch('/api/senders')).status)).toBe(200)
  })

  test('gives its pages the bridge and nothing of Node', async () => {
    const bridge = await page.evaluate<string[]>('Object.keys(kurirDesktop)')
    const node = await page.evaluate<string[]>(
      '["require", "process", "Buffer", "module"].filter((name) => name in globalThis)',
    )
    expect(node).toEqual([])
    expect(bridge.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'checkForUpdate',
      'confirmPasskey',
      'getLoginItem',
      'getUpdate',
      'installUpdate',
      'platform',
      'setLoginItem',
      'version',
    ])
  })

  test('stays where it is when a page wants to leave or to open another', async () => {
    const before = page.url()
    await page.evaluate('open("about:blank"); location.href = "http://127.0.0.1:1/"; undefined')
    // The page still answers, which it could not after a navigation.
    expect(await page.evaluate('location.href')).toBe(before)
    expect(app.windows()).toHaveLength(1)
  })

  test('a second start ends at once', async () => {
    const second = spawn(executable ?? '', args, { env, stdio: 'ignore' })
    const [code] = await once(second, 'exit')
    expect(code).toBe(0)
  })

  test('closing the window hides it and keeps the server', async () => {
    const visible = await app.evaluate(({ BrowserWindow }) => {
      const window = BrowserWindow.getAllWindows()[0]
      window?.close()
      return window?.isVisible()
    })
    expect(visible).toBe(false)
    expect((await fetch(`http://127.0.0.1:${env.KURIR_PORT}/health`)).status).toBe(200)
  })
})

/** Electron's npm package holds no runtime, and importing it would start a download: so its own note is read. */
function findRuntime(): string | null {
  const home = dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  const pointer = join(home, 'path.txt')
  if (!existsSync(pointer)) return null
  const file = join(home, 'dist', readFileSync(pointer, 'utf8'))
  return existsSync(file) ? file : null
}

function whyNot(): string | null {
  if (!executable) return "Electron's runtime is not installed"
  if (!existsSync(join(root, 'dist', 'server', 'main.js'))) return 'nothing is built'
  if (process.platform !== 'linux') return null
  if (process.getuid?.() === 0) return "Chromium's sandbox does not run as root"
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? null : 'there is no screen'
}
