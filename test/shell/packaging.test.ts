import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, posix, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { extractAll, extractFile, listPackage, statFile } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { makeStandInElectron } from './support/stand-in-electron.ts'

const root = join(import.meta.dirname, '..', '..')
const require = createRequire(import.meta.url)
const lock: { packages: Record<string, { version: string; dev?: boolean }> } = require('../../package-lock.json')
/** The builder moves packages, so they are identified by name and version, not by place. */
const production = new Set(
  Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
)

// The stand-in is laid out like Electron for Linux; the release workflow packs on each system with the real one.
describe.skipIf(process.platform !== 'linux')('the packed program (Linux only: it needs the stand-in runtime)', () => {
  let work: string
  let archive: string
  let files: string[]

  beforeAll(async () => {
    if (!existsSync(join(root, 'dist', 'main', 'main.js'))) throw new Error('Nothing is built yet: npm run build')
    work = mkdtempSync(join(tmpdir(), 'kurir-packed-'))
    await makeStandInElectron(join(work, 'electron'), require('electron/package.json').version)
    const built = spawnSync(
      process.execPath,
      [
        require.resolve('electron-builder/cli.js'),
        '--dir',
        `-c.electronDist=${join(work, 'electron', 'dist')}`,
        `-c.directories.output=${join(work, 'out')}`,
      ],
      { cwd: root, encoding: 'utf8' },
    )
    if (built.status !== 0) throw new Error(`The builder failed:\n${built.stdout}\n${built.stderr}`)
    archive = join(work, 'out', unpackedFolder(), 'resources', 'app.asar')
    files = listPackage(archive, { isPack: false })
      .map((file) => file.replaceAll(sep, posix.sep).slice(1))
      .filter((file) => !('files' in statFile(archive, file)))
  })

  afterAll(() => rmSync(work, { recursive: true, force: true }))

  test('holds the built files, the production dependencies and nothing else', () => {
    expect(files).toContain('package.json')
    expect(files).toContain('dist/main/main.js')
    expect(files).toContain('dist/main/preload.cjs')
    expect(files).toContain('dist/main/icons/normal.png')
    expect(files).toContain('node_modules/express/package.json')
    expect(files.filter((file) => !/^(package\.json$|dist\/|node_modules\/)/.test(file))).toEqual([])
    expect(files.filter((file) => file.startsWith('dist/') && /\.[cm]?tsx?$/.test(file))).toEqual([])
  })

  test('holds no development dependency, no bundled Node, no types and no source maps', () => {
    const packed = files
      .filter((file) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => JSON.parse(extractFile(archive, file).toString()))
      .map(({ name, version }: { name: string; version: string }) => `${name}@${version}`)
    expect(packed.filter((name) => name.startsWith('express@'))).toHaveLength(1)
    expect(packed.filter((name) => !production.has(name))).toEqual([])
    expect(packed.filter((name) => /^node-(linux|win)-/.test(name))).toEqual([])
    expect(files.filter((file) => /\.(d\.[cm]?ts|map)$/.test(file))).toEqual([])
  })

  test("unpacks the native module, and carries this system's only", () => {
    const native = files.filter((file) => file.endsWith('.node'))
    expect(native).toEqual([`node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`])
    for (const file of native) expect(existsSync(join(`${archive}.unpacked`, file))).toBe(true)
    expect(files.filter((file) => /\.(so|dll|dylib|exe)(\.\d+)*$/.test(file))).toEqual([])
  })

  test("has Electron's debugging switches off", () => {
    const binary = readFileSync(join(work, 'out', unpackedFolder(), 'kurir'))
    const wire = binary.indexOf('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX') + 34
    const [runAsNode, cookieEncryption, nodeOptions, inspect, asarIntegrity, onlyAsar, ownSnapshot, filePrivileges] =
      binary.toString('latin1', wire, wire + 8)
    expect({ runAsNode, nodeOptions, inspect, filePrivileges, ownSnapshot }).toEqual({
      runAsNode: '0',
      nodeOptions: '0',
      inspect: '0',
      filePrivileges: '0',
      ownSnapshot: '0',
    })
    expect({ cookieEncryption, asarIntegrity, onlyAsar }).toEqual({
      cookieEncryption: '1',
      asarIntegrity: '1',
      onlyAsar: '1',
    })
  })

  test('brings its licence, and those of all that is in it, where people can read them', () => {
    const resources = join(archive, '..')
    const licence = readFileSync(join(root, 'LICENSE'), 'utf8')
    expect(readFileSync(join(resources, 'LICENSE.txt'), 'utf8')).toBe(licence)
    const notices = readFileSync(join(resources, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    const packed = files
      .filter((file) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => JSON.parse(extractFile(archive, file).toString()))
      .map(({ name, version }: { name: string; version: string }) => `\n${name} ${version} (`)
    expect(packed.length).toBeGreaterThan(100)
    expect(packed.filter((title) => !notices.includes(title))).toEqual([])
  })

  test('brings no place for updates, so that it never looks for them', () => {
    expect(existsSync(join(archive, '..', 'app-update.yml'))).toBe(false)
  })

  test('starts its server from the packed files alone', async () => {
    expect(files).toContain('dist/server/main.js')
    const extracted = join(work, 'extracted')
    extractAll(archive, extracted)
    const [port, webhookPort] = [await freePort(), await freePort()]
    const server = spawn(process.execPath, [join(extracted, 'dist', 'server', 'main.js')], {
      cwd: extracted,
      env: {
        KURIR_HOME: join(work, 'home'),
        KURIR_PORT: String(port),
        KURIR_WEBHOOK_PORT: String(webhookPort),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<number | null>((resolve) => server.on('exit', resolve))
    try {
      await lineWith(server.stdout, `:${port}`)
      const health = await fetch(`http://127.0.0.1:${port}/health`)
      expect(health.status).toBe(200)
      const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
      expect(page.headers.get('content-type')).toMatch(/html/)
    } finally {
      server.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
  })
})

function unpackedFolder(): string {
  return process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`
}

/** Waits for a line that holds `text`. @throws if the output ends before */
async function lineWith(output: NodeJS.ReadableStream, text: string): Promise<void> {
  const seen: string[] = []
  for await (const line of createInterface({ input: output })) {
    seen.push(line)
    if (line.includes(text)) return
  }
  throw new Error(`No line with ${text} in:\n${seen.join('\n')}`)
}
