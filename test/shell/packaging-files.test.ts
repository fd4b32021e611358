import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { AppInfo, Packager } from 'electron-builder'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { releaseFiles } from '../../scripts/lib/release-files.mjs'
import { readConfig } from '../../server/settings/config.ts'
import { temporaryFolder } from './support/shell.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const require = createRequire(import.meta.url)
const serve = 'dist/server/main.js'

describe('electron-builder.yml', () => {
  const config = parse(read('electron-builder.yml'))

  test("fits the builder's own schema", () => {
    const validate = new Ajv({ strict: false }).compile(require('app-builder-lib/scheme.json'))
    validate(config)
    expect(validate.errors).toBeNull()
    expect(validate({ ...config, electronFuse: {} })).toBe(false)
  })

  test('makes per-user, dmg, AppImage and deb programs for both processors, of icons that exist', () => {
    expect(config.nsis.perMachine).toBe(false)
    const targets = [...config.win.target, ...config.mac.target, ...config.linux.target]
    expect(targets.map(({ target }: { target: string }) => target)).toEqual(['nsis', 'dmg', 'zip', 'AppImage', 'deb'])
    expect(targets.map(({ arch }: { arch: string[] }) => arch)).toEqual(targets.map(() => ['x64', 'arm64']))
    const named = [config.win.icon, config.mac.icon, `${config.linux.icon}/512x512.png`, config.mac.entitlements]
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  test('signs ad hoc after the fuses are flipped: Apple silicon starts nothing whose signature is broken', () => {
    expect(config.electronFuses.resetAdHocDarwinSignature).toBe(true)
    expect(config.mac.hardenedRuntime).toBe(true)
  })

  test('names a page for the deb, also where nobody publishes it', async () => {
    const pageOf = async (homepage?: string) => {
      const given = homepage === undefined ? {} : { config: { extraMetadata: { homepage } } }
      const packager = new Packager({ projectDir: root, ...given })
      await packager.validateConfig()
      return new AppInfo(packager, null).computePackageUrl()
    }
    expect(await pageOf()).toBe('http://127.0.0.1:7420/docs')
    expect(await pageOf('https://kurir.example')).toBe('https://kurir.example')
    expect(config.linux.maintainer).toMatch(/^.+ <\S+@\S+>$/)
  })

  test('makes the files that a release expects, and no others', () => {
    const archName: Record<string, Record<string, string>> = {
      AppImage: { x64: 'x86_64' },
      deb: { x64: 'amd64' },
    }
    const systems = { win: config.nsis, mac: config.mac, linux: config.linux }
    const made = Object.entries(systems).flatMap(([system, { artifactName }]) =>
      config[system].target.flatMap(({ target, arch }: { target: string; arch: string[] }) =>
        arch.map((one) =>
          artifactName
            .replace(/\$\{version\}/, '1.2.3')
            .replace(/\$\{arch\}/, archName[target]?.[one] ?? one)
            .replace(/\$\{ext\}/, target === 'nsis' ? 'exe' : target),
        ),
      ),
    )
    const desktop = releaseFiles('1.2.3').filter((name) => name.startsWith('Kurir-'))
    expect(made.toSorted()).toEqual(desktop.toSorted())
  })
})

describe('without a screen', () => {
  const unit = read('packaging/kurir.service')

  test('the unit runs what `npm run serve` runs, with the Node that came along, as an account of its own', () => {
    expect(require('../../package.json').scripts.serve).toBe(`node ${serve}`)
    expect(unit).toMatch(new RegExp(`^ExecStart=/opt/kurir/node_modules/.bin/node /opt/kurir/${serve}$`, 'm'))
    for (const line of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=']) {
      expect(unit.split('\n')).toContain(line)
    }
  })

  test('the unit does not start Kurir again after the exit code of a Node that is too old', () => {
    const code = /process\.exit\((\d+)\)/.exec(read('server/process/first.ts'))?.[1]
    expect(unit.split('\n')).toContain(`RestartPreventExitStatus=${code}`)
  })

  test.skipIf(!hasProgram('systemd-analyze'))('systemd finds nothing wrong with the unit, and little to attack', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'kurir.service')
    // Its program is not installed here.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart="${process.execPath}"`))
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    expect([verified.status, verified.stderr]).toEqual([0, ''])
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=15', file])
    expect(security.status, security.stdout.toString()).toBe(0)
  })

  test('the image is pinned, runs the same, not as root, and keeps its data in a volume', () => {
    const file = read('packaging/Dockerfile')
    const bases = [...file.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base)
    expect(bases).toHaveLength(2)
    expect(new Set(bases).size).toBe(1)
    expect(bases[0]).toMatch(/^node:[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/)
    const lines = file.slice(file.lastIndexOf('\nFROM ')).split('\n')
    expect(lines).toContain(`CMD ["node", "${serve}"]`)
    expect(lines.indexOf('USER node')).toBeGreaterThan(0)
    expect(lines).toContain('VOLUME /data')
    expect(lines.filter((line) => /^COPY (?!--from=build)/.test(line))).toEqual([])
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['node_modules', '.git', 'dist']))
  })

  test('Compose runs that image on the network of the computer, without rights that it does not need', () => {
    const { services, volumes } = parse(read('packaging/compose.yml'))
    expect(services.kurir).toMatchObject({
      build: { dockerfile: 'packaging/Dockerfile' },
      network_mode: 'host',
      read_only: true,
      cap_drop: ['ALL'],
      volumes: ['data:/data'],
    })
    expect(Object.keys(volumes)).toEqual(['data'])
  })

  test('Compose for several nodes gives each settings that Kurir takes, and its load balancer knows them', () => {
    const { services } = parse(read('packaging/compose.cluster.yml'), { merge: true })
    const names = Object.keys(services).filter((name) => name.startsWith('node'))
    const given: NodeJS.ProcessEnv = { POSTGRES_PASSWORD: 'p', KURIR_OWNER_TOKEN: '5f1c0d2b9a7e4836b1d0c94e7fa26385' }
    for (const name of names) {
      const settings: [string, string | number][] = Object.entries(services[name].environment)
      const env = settings.map(([key, value]) => [
        key,
        String(value).replace(/\$\{(\w+):\?\}/, (_, of) => given[of] ?? ''),
      ])
      const { config, warnings } = readConfig(Object.fromEntries(env))
      expect(warnings).toEqual([])
      expect(config).toMatchObject({
        host: '0.0.0.0',
        port: 7420,
        webhookHost: '0.0.0.0',
        ownerToken: given.KURIR_OWNER_TOKEN,
      })
      expect(config.cluster).toMatchObject({ databaseUrl: 'postgresql://kurir:p@database/kurir', node: name })
    }
    for (const { ports = [], image = 'built here' } of Object.values<{ ports?: string[]; image?: string }>(services)) {
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
      expect(image).toMatch(/^\$\{KURIR_IMAGE|:\d+(\.\d+)+$/)
    }
    const balanced = [...read('packaging/nginx.cluster.conf').matchAll(/server (\S+) max_fails/g)].map(
      ([, place]) => place,
    )
    expect(balanced).toEqual(['7420', '7421'].flatMap((port) => names.map((name) => `${name}:${port}`)))
  })
})

function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined
}
