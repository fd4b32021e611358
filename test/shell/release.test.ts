import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noticesText, shippedPackages } from '../../scripts/lib/notices.mjs'
import { homepage, packageSettings } from '../../scripts/lib/package-settings.mjs'
import { packageVersion, releaseFiles } from '../../scripts/lib/release-files.mjs'
import { sbomText } from '../../scripts/lib/sbom.mjs'
import { temporaryFolder } from './support/shell.ts'

const root = join(import.meta.dirname, '..', '..')
const require = createRequire(import.meta.url)
const version = packageVersion()

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'release', script), ...args], { encoding: 'utf8' })

describe('what the builder is given', () => {
  const repository = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'toko/kurir' }
  const none = { CSC_LINK: '', CSC_KEY_PASSWORD: '', APPLE_ID: '', APPLE_APP_SPECIFIC_PASSWORD: '', APPLE_TEAM_ID: '' }

  test('has no empty certificate: the builder would take it for a file', () => {
    const { env } = packageSettings({ ...none, PATH: '/bin', EMPTY: '' }, 'darwin')
    expect(env).toEqual({ PATH: '/bin', EMPTY: '' })
    expect(packageSettings({ ...none, CSC_LINK: 'abc' }, 'darwin').env).toEqual({ CSC_LINK: 'abc' })
  })

  test('names a place for updates only where the build is signed', () => {
    const publishes = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform) =>
      packageSettings(env, platform).args.some((arg) => arg.startsWith('-c.publish'))
    for (const platform of ['win32', 'darwin', 'linux'] as const) {
      expect(publishes({ ...repository, ...none }, platform)).toBe(false)
      expect(publishes({ ...repository, CSC_LINK: 'abc' }, platform)).toBe(platform !== 'linux')
    }
    expect(publishes({ CSC_LINK: 'abc' }, 'win32')).toBe(false)
  })

  test('never uploads', () => {
    expect(packageSettings({ ...repository, CSC_LINK: 'abc' }, 'win32').args.slice(0, 2)).toEqual([
      '--publish',
      'never',
    ])
  })

  test('names the page and the maintainer of the repository that it runs in', () => {
    expect(packageSettings({}, 'linux').args).toEqual(['--publish', 'never'])
    expect(packageSettings(repository, 'linux').args.slice(2)).toEqual([
      '-c.extraMetadata.homepage=https://git.example/toko/kurir',
      '-c.linux.maintainer=toko <toko@users.noreply.github.com>',
    ])
    expect(homepage({ ...repository, KURIR_HOMEPAGE: 'https://kurir.example' })).toBe('https://kurir.example')
  })
})

describe('the licences of others', () => {
  const shipped = shippedPackages()
  const lock: { packages: Record<string, { name?: string; dev?: boolean; peer?: boolean; optional?: boolean }> } =
    require('../../package-lock.json')

  test('are those of every production package and of what the pages are made of', () => {
    const names = new Set(shipped.map(({ name }) => name))
    const production = Object.entries(lock.packages)
      .filter(([path, { dev, peer, optional }]) => path !== '' && !dev && !peer && !optional)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
      .filter((name) => !name.startsWith('@types/'))
    expect(production.length).toBeGreaterThan(100)
    expect(production.filter((name) => !names.has(name))).toEqual([])
    for (const name of ['react', 'react-dom', '@mantine/core', '@fontsource-variable/inter', 'scheduler']) {
      expect(names).toContain(name)
    }
    for (const tool of ['vite', 'typescript', 'vitest', 'electron', 'sharp']) expect(names).not.toContain(tool)
  })

  test('go together with the GPL', () => {
    const known =
      /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|OFL-1\.1|GPL-3\.0|Python-2\.0|Unlicense|CC0-1\.0)$/
    const parts = ({ license }: { license: string }) => license.replace(/[()]/g, '').split(/ (?:AND|OR) /)
    expect(shipped.filter((one) => !parts(one).every((part) => known.test(part)))).toEqual([])
  })

  test('are in the text, each with its package, after where the source of Kurir is', () => {
    const text = noticesText(shipped, { version: '1.2.3', homepage: 'https://kurir.example' })
    expect(text).toContain('tag v1.2.3 at https://kurir.example')
    for (const one of shipped) {
      expect(text).toContain(`${one.name} ${one.version} (${one.license})`)
      expect(text).toContain(one.text)
    }
    expect(shipped.filter(({ text: own }) => own === '').length).toBeLessThan(10)
  })
})

describe('the list of parts', () => {
  const bom = JSON.parse(sbomText('1.2.3')) as {
    metadata: object
    components: { name: string; version: string; purl: string; hashes?: object[]; licenses: { expression: string }[] }[]
  }
  const named = bom.components.map(({ name, version }) => `${name}@${version}`)

  test('has every package of the notices, and the programs that run them, once and with a hash', () => {
    const shipped = shippedPackages().map(({ name, version }) => `${name}@${version}`)
    const runtimes = named.filter((name) => /^(electron|node-linux-(x64|arm64))@/.test(name))
    expect(runtimes).toHaveLength(3)
    expect(named.toSorted()).toEqual([...runtimes, ...shipped].toSorted())
    expect(new Set(named).size).toBe(named.length)
    for (const { name, hashes, licenses } of bom.components) {
      expect(hashes, name).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
      expect(licenses, name).toEqual([{ expression: expect.stringMatching(/^[\w.()-]+( (AND|OR) [\w.()-]+)*$/) }])
    }
    const scoped = bom.components.find(({ name }) => name === '@mantine/core')
    expect(scoped?.purl).toBe(`pkg:npm/%40mantine/core@${scoped?.version}`)
  })

  test('names Kurir, and is the same each time', () => {
    expect(bom.metadata).toMatchObject({ component: { name: 'kurir', version: '1.2.3' } })
    expect(sbomText('1.2.3')).toBe(sbomText('1.2.3'))
  })

  test('is written under the name that a release expects', () => {
    const { status, stdout } = run('sbom.mjs', temporaryFolder())
    expect(status).toBe(0)
    expect(releaseFiles(version)).toContain(basename(stdout.trim()))
    expect(readFileSync(stdout.trim(), 'utf8')).toBe(sbomText(version))
  })
})

describe('a tag', () => {
  test('that is the version prints what the change log says of it', () => {
    const { status, stdout } = run('check-tag.mjs', `v${version}`)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^### For programs$/m)
    expect(stdout).not.toMatch(/^## /m)
  })

  test('of another version is refused', () => {
    const { status, stderr } = run('check-tag.mjs', 'v99.0.0')
    expect(status).toBe(1)
    expect(stderr).toContain(`package.json says ${version}`)
  })
})

describe('the files of a release', () => {
  const createFiles = (...names: string[]): string => {
    const folder = join(temporaryFolder(), 'files')
    mkdirSync(folder)
    for (const name of names) writeFileSync(join(folder, name), name)
    return folder
  }
  const all = releaseFiles(version)

  test('get their checksums when all are there', () => {
    const folder = createFiles(...all, 'Kurir.exe.blockmap')
    expect(run('complete.mjs', folder).status).toBe(0)
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
    expect(sums).toHaveLength(all.length + 1)
    const first = all[0] ?? ''
    expect(sums).toContain(`${createHash('sha256').update(first).digest('hex')}  ${first}`)
  })

  test.each([
    ['a missing file', all.slice(1), `missing: ${all[0]}`],
    ['a file that nobody expects', [...all, 'Kurir Setup.exe'], 'not expected: Kurir Setup.exe'],
  ])('are refused with %s', (_what, names, sentence) => {
    const { status, stderr } = run('complete.mjs', createFiles(...names))
    expect(status).toBe(1)
    expect(stderr).toContain(sentence)
  })

  test('are refused when the updater would look for another file, or one is empty', () => {
    const folder = createFiles(...all)
    writeFileSync(join(folder, 'latest.yml'), 'version: 1.2.3\nfiles:\n  - url: Kurir-old.exe\n    sha512: x\n')
    writeFileSync(join(folder, all[1] ?? ''), '')
    const { status, stderr } = run('complete.mjs', folder)
    expect(status).toBe(1)
    expect(stderr).toContain('latest.yml names Kurir-old.exe, which is missing')
    expect(stderr).toContain(`empty: ${all[1]}`)
  })
})

describe('the look whether a packed program starts', () => {
  const programs = {
    accepts: `require('node:http').createServer((_, res) => res.end('{}')).listen(process.env.KURIR_PORT, '127.0.0.1')`,
    ends: 'console.error("no library"); process.exitCode = 3',
  }

  test('sees one that accepts messages, and ends it', () => {
    const { status, stdout } = run('smoke.mjs', process.execPath, '-e', programs.accepts)
    expect(stdout).toContain('accepts messages')
    expect(status).toBe(0)
  })

  test('sees one that ends, and what it printed', () => {
    const { status, stderr } = run('smoke.mjs', process.execPath, '-e', programs.ends)
    expect(status).toBe(1)
    expect(stderr).toContain('no library')
  })
})
