import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

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

  test('makes per-user, dmg and AppImage programs of icons that exist', () => {
    expect(config.nsis.perMachine).toBe(false)
    expect(config.mac).toMatchObject({
      hardenedRuntime: true,
      target: expect.arrayContaining([{ target: 'dmg', arch: ['x64', 'arm64'] }]),
    })
    expect(config.linux.target.map(({ target }: { target: string }) => target)).toEqual(['AppImage', 'deb'])
    const named = [config.win.icon, config.mac.icon, `${config.linux.icon}/512x512.png`, config.mac.entitlements]
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

test('the release workflow builds on the three systems, tests first and publishes a release', () => {
  const { on, jobs } = parse(read('.github/workflows/release.yml'))
  expect(on).toEqual({ push: { tags: ['v*'] } })
  expect(jobs.desktop.strategy.matrix.os).toEqual(['windows-latest', 'macos-latest', 'ubuntu-latest'])
  const commands: string[] = jobs.desktop.steps.flatMap(({ run }: { run?: string }) => run ?? [])
  expect(commands.slice(0, 3)).toEqual(['npm ci', 'npm run build', 'npm test'])
  expect(commands[3]).toContain('-c.publish.provider=github')
})

describe('without a screen', () => {
  test('the unit runs what `npm run serve` runs, as nobody in particular', () => {
    const unit = read('packaging/kurir.service')
    expect(require('../../package.json').scripts.serve).toBe(`node ${serve}`)
    expect(unit).toMatch(new RegExp(`^ExecStart=/usr/bin/node /opt/kurir/${serve}$`, 'm'))
    for (const line of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=']) {
      expect(unit.split('\n')).toContain(line)
    }
  })

  test('the image runs the same, not as root, and keeps its data in a volume', () => {
    const [, runtime = ''] = read('packaging/Dockerfile').split(/^FROM node:24-slim$/m)
    const lines = runtime.split('\n')
    expect(lines).toContain(`CMD ["node", "${serve}"]`)
    expect(lines.indexOf('USER node')).toBeGreaterThan(0)
    expect(lines).toContain('VOLUME /data')
    expect(runtime).not.toMatch(/^COPY (?!--from=build)/m)
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['node_modules', '.git', 'dist']))
  })
})
