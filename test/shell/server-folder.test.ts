import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'

const root = join(import.meta.dirname, '..', '..')

// What the archive for servers and the image hold; both are for Linux.
describe.skipIf(process.platform !== 'linux')('Kurir without a window (Linux only)', () => {
  let work: string
  let folder: string

  const layOut = (into: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts', 'release', 'server-folder.mjs'), into, ...args], {
      encoding: 'utf8',
    })
  const files = (of: string): string[] =>
    readdirSync(of, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(of.length + 1))

  beforeAll(() => {
    if (!existsSync(join(root, 'dist', 'server', 'main.js'))) throw new Error('Nothing is built yet: npm run build')
    work = mkdtempSync(join(tmpdir(), 'kurir-server-'))
    folder = join(work, 'kurir')
    const { status, stderr } = layOut(folder, '--with-node')
    if (status !== 0) throw new Error(stderr)
  })
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  test('holds no development part, no sharp, and the binaries of one system', () => {
    const all = files(folder)
    expect(all).toEqual(
      expect.arrayContaining(['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'packaging/kurir', 'packaging/kurir.service']),
    )
    expect(all.filter((file) => /\.(d\.[cm]?ts|map|md)$|^dist\/main\//.test(file))).toEqual([])
    expect(all.filter((file) => file.endsWith('.node'))).toEqual([
      `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
    ])
    const packages = readdirSync(join(folder, 'node_modules'))
    for (const name of ['sharp', '@img', 'vitest', 'electron', 'react']) expect(packages).not.toContain(name)
    expect(existsSync(join(folder, 'node_modules', '.bin', 'node'))).toBe(true)
  })

  test('is laid out for another processor as well, for an image that brings its own Node', () => {
    const other = join(work, 'other')
    expect(layOut(other, '--arch=arm64').stderr).toBe('')
    const all = files(other)
    expect(all.filter((file) => file.endsWith('.node'))).toEqual([
      'node_modules/better-sqlite3/prebuilds/linux-arm64.node',
    ])
    expect(all.filter((file) => /^node_modules\/node-(linux|win)-/.test(file))).toEqual([])
  })

  test('starts on its own Node; `kurir status` finds it on any port, as the image is asked for its health', async () => {
    const home = join(work, 'home')
    const port = await freePort()
    // A PATH without Node, and the command as /usr/local/bin would hold it.
    const command = join(work, 'command')
    symlinkSync(join(folder, 'packaging', 'kurir'), command)
    const env = { PATH: '/usr/bin:/bin', KURIR_HOME: home, KURIR_PORT: String(port), KURIR_WEBHOOK_PORT: '0' }
    const kurir = (...args: string[]) => spawnSync(command, args, { env, encoding: 'utf8' })
    expect(kurir('--version').stdout.trim()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
    expect(kurir('status').status).toBe(3)

    const node = join(folder, 'node_modules', '.bin', 'node')
    const server = spawn(node, [join(folder, 'dist', 'server', 'main.js')], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      for await (const line of createInterface({ input: server.stdout })) if (line.includes('"ready"')) break
      const { status, stdout } = kurir('status')
      expect(stdout).toContain('Kurir is ready.')
      expect(status).toBe(0)
      const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
      expect(page.headers.get('content-type')).toMatch(/html/)
      await page.body?.cancel()
    } finally {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }
  })
})
