import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canInstall, isNodeNewEnough } from '../../scripts/lib/node-version.mjs'
import { temporaryFolder } from './support/shell.ts'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..', '..')
const scripts = join(root, 'scripts')
const LOCK = {
  packages: { '': {}, 'node_modules/zod': { version: '4.0.0' }, 'node_modules/other': { optional: true } },
}

/** Root gets no window, and tests may run as root. */
const NOT_ROOT = 'data:text/javascript,process.getuid=()=>1000'

/** A checkout whose npm, build and download only write down that they were asked. */
function createCheckout() {
  const root = temporaryFolder()
  const log = join(root, 'log')
  const path = (file: string) => join(root, ...file.split('/'))
  const write = (file: string, content: string | object) => {
    mkdirSync(dirname(path(file)), { recursive: true })
    writeFileSync(path(file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const fake = (name: string, then = '') =>
    `import { appendFileSync, writeFileSync } from 'node:fs'
     appendFileSync(${JSON.stringify(log)}, ['${name}', ...process.argv.slice(2)].join(' ') + '\\n')
     ${then}`

  cpSync(scripts, path('scripts'), { recursive: true })
  write('npm.mjs', fake('npm'))
  write('scripts/build.mjs', fake('build', `writeFileSync(${JSON.stringify(path('dist/.built'))}, '')`))
  write('scripts/fetch-electron.mjs', fake('fetch', 'process.exitCode = 1'))
  write('package-lock.json', LOCK)
  write('node_modules/.package-lock.json', LOCK)
  write('node_modules/electron/package.json', { version: '45.4.1' })
  write('package.json', {})
  write('main/main.ts', '')
  write('dist/.built', '')

  return {
    path,
    write,
    remove: (file: string) => rmSync(path(file), { recursive: true }),
    /** Makes a file look as if it had been saved so many seconds from now. */
    touch: (file: string, seconds: number) => {
      const at = new Date(Date.now() + seconds * 1000)
      utimesSync(path(file), at, at)
    },
    /** Puts a program in place of Electron's runtime. */
    installElectron(program: string) {
      write('node_modules/electron/path.txt', 'electron')
      write('node_modules/electron/dist/program.js', program)
      // A first line with #! may not hold the spaces of a folder.
      const words = [process.execPath, path('node_modules/electron/dist/program.js')].map((word) => `'${word}'`)
      write('node_modules/electron/dist/electron', `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
      chmodSync(path('node_modules/electron/dist/electron'), 0o755)
    },
    /** Runs start.mjs. @returns its lines, those of the server or of Electron among them */
    start(env: Record<string, string>) {
      write('dist/server/main.js', 'console.log("the server runs")')
      const run = spawnSync(process.execPath, ['--import', NOT_ROOT, path('scripts/start.mjs')], {
        encoding: 'utf8',
        env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', ...env },
      })
      return { lines: run.stdout.trim().split('\n'), status: run.status }
    },
    /** Runs ensure.mjs. @returns what it asked of others, and its words */
    ensure(args: string[], { nodeArgs = [] as string[], env = {} } = {}) {
      rmSync(log, { force: true })
      const run = spawnSync(process.execPath, [...nodeArgs, path('scripts/ensure.mjs'), ...args], {
        encoding: 'utf8',
        env: { ...process.env, npm_execpath: path('npm.mjs'), npm_node_execpath: process.execPath, ...env },
      })
      const asked = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
      return { asked, status: run.status, stderr: run.stderr.trim() }
    },
  }
}

const NOTHING = { asked: [], status: 0, stderr: '' }

describe('installing', () => {
  test('is not done where everything is there; optional packages of other systems may be missing', () => {
    expect(createCheckout().ensure([])).toEqual(NOTHING)
  })

  test.skipIf(process.platform === 'win32')('is done when nothing is there, or the lockfile moved on', () => {
    const checkout = createCheckout()
    checkout.write('package-lock.json', { packages: { 'node_modules/zod': { version: '4.0.1' } } })
    expect(checkout.ensure([]).asked).toEqual([
      'npm ci --include=dev --include=optional --ignore-scripts --loglevel=error',
    ])

    checkout.remove('node_modules')
    expect(checkout.ensure([]).asked).toEqual([
      'npm ci --include=dev --include=optional --ignore-scripts --loglevel=error',
    ])
  })

  test('that fails says what to do', () => {
    const checkout = createCheckout()
    checkout.remove('node_modules')
    checkout.write('npm.mjs', 'process.exit(1)')
    expect(checkout.ensure([])).toMatchObject({ status: 1, stderr: expect.stringContaining('internet connection') })
  })
})

test('a folder that may not be written to is named before anything is installed', () => {
  const checkout = createCheckout()
  checkout.remove('node_modules')
  // Root may write everywhere, and tests may run as root.
  const refuse = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    fs.accessSync = () => { throw new Error('EACCES') }
    syncBuiltinESMExports()`
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(refuse)}`]
  const { asked, status, stderr } = checkout.ensure([], { nodeArgs })
  expect({ asked, status }).toEqual({ asked: [], status: 1 })
  expect(stderr).toMatch(/^This account may not write to .+: give the folder to it/)
})

describe('a Node that is too old', () => {
  const pretend = (version: string) => [
    '--import',
    `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`)}`,
  ]
  const nodeArgs = pretend('20.20.2')
  const bundled = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

  test('gets one sentence before anything is installed, where no other Node will come along', () => {
    const checkout = createCheckout()
    checkout.remove('node_modules')
    const { asked, status, stderr } = checkout.ensure([], { nodeArgs })
    expect(asked).toEqual([])
    expect(status).toBe(78)
    expect(stderr).toMatch(/^Kurir needs a newer Node than v[\d.]+: install Node 24 LTS .*$/)
  })

  test('installs where another Node comes along', () => {
    const checkout = createCheckout()
    checkout.write('package.json', { optionalDependencies: { [bundled]: '24.0.0' } })
    checkout.remove('node_modules')
    expect(checkout.ensure([], { nodeArgs }).asked).toHaveLength(1)
  })

  test.each([
    ['18.20.8', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['21.7.3', false],
    ['22.11.0', false],
    ['22.12.0', true],
    ['23.11.1', true],
    ['24.0.0', true],
  ])('%s installs what the build needs: %s', (version, enough) => {
    // npm leaves an optional package out, and says nothing, where its Node is too old for it.
    const { packages } = require('../../package-lock.json')
    const bundler = packages['node_modules/@rolldown/binding-linux-x64-gnu']
    expect(bundler).toMatchObject({ optional: true, engines: { node: '^20.19.0 || >=22.12.0' } })
    expect(canInstall(version)).toBe(enough)
  })

  test('is named by package.json to npm', () => {
    expect(require('../../package.json').engines.node).toBe('^22.19.0 || >=24.0.0')
  })

  test.each([
    ['20.20.2', false],
    ['22.18.0', false],
    ['22.19.0', true],
    ['23.11.1', false],
    ['24.0.0', true],
    ['26.1.0', true],
  ])('is one for the scripts and the program alike: %s is new enough: %s', (version, enough) => {
    expect(isNodeNewEnough(version)).toBe(enough)
    const entry = join(root, 'server', 'process', 'first.ts')
    const { status, stderr } = spawnSync(process.execPath, [...pretend(version), entry], { encoding: 'utf8' })
    expect(status).toBe(enough ? 0 : 78)
    expect(stderr).toMatch(enough ? /^$/ : /^Kurir needs Node 22\.19 or newer .*\n$/)
  })

  /** As if this Node had nothing that a program may import, which it sees before it runs the first line. */
  const withoutModules = [
    '--import',
    `data:text/javascript,${encodeURIComponent(`
      import { registerHooks } from 'node:module'
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier.startsWith('.') || specifier.startsWith('file:')) return next(specifier, context)
          throw new SyntaxError('This Node has no ' + specifier)
        },
      })`)}`,
  ]
  test.each(['server/main.ts', 'server/cli.ts', 'scripts/ensure.mjs'])(
    'is looked for before %s links what an old Node does not have',
    (entry) => {
      const start = (version: string) =>
        spawnSync(process.execPath, [...pretend(version), ...withoutModules, join(root, entry), '--version'], {
          encoding: 'utf8',
        })
      for (const version of ['12.22.12', '14.21.3']) {
        const { status, stderr } = start(version)
        expect({ status, stderr }).toEqual({ status: 78, stderr: expect.stringMatching(/^Kurir needs .*\n$/) })
      }
      // A newer one goes on to what this one lacks: nothing above is due to chance.
      expect(start('24.0.0')).toMatchObject({ status: 1, stderr: expect.stringContaining('This Node has no ') })
    },
  )

  test('can read the lines that look for it', () => {
    const read = ['server/process/first.ts', 'server/main.ts', 'server/cli.ts']
    for (const file of [...read, 'scripts/ensure.mjs', 'scripts/lib/node-version.mjs']) {
      const code = readFileSync(join(root, file), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')
      expect(code, file).not.toMatch(/\?\?|\?\.|\|\|=|^await\b|[({=] await\b/m)
    }
  })
})

describe('building', () => {
  test('is done once after a source was changed', () => {
    const checkout = createCheckout()
    checkout.touch('dist/.built', 60)
    expect(checkout.ensure(['--build'])).toEqual(NOTHING)

    checkout.touch('main/main.ts', 120)
    expect(checkout.ensure(['--build']).asked).toEqual(['build'])
    checkout.touch('dist/.built', 180)
    expect(checkout.ensure(['--build'])).toEqual(NOTHING)
  })

  test('is done after a source was deleted', () => {
    const checkout = createCheckout()
    checkout.touch('dist/.built', -60)
    checkout.touch('package-lock.json', -120)
    checkout.touch('main/main.ts', -120)
    checkout.remove('main/main.ts')
    expect(checkout.ensure(['--build']).asked).toEqual(['build'])
  })

  test('that fails stops the start', () => {
    const checkout = createCheckout()
    checkout.remove('dist')
    checkout.write('scripts/build.mjs', 'process.exit(2)')
    expect(checkout.ensure(['--build'])).toMatchObject({ status: 1, stderr: expect.stringContaining('build failed') })
  })
})

describe("Electron's runtime", () => {
  const screen = { nodeArgs: ['--import', NOT_ROOT], env: { DISPLAY: ':0' } }

  test('is tried once an hour, and at once for another version', () => {
    const checkout = createCheckout()
    expect(checkout.ensure(['--electron'], screen).asked).toEqual(['fetch'])
    expect(checkout.ensure(['--electron'], screen)).toEqual(NOTHING)
    checkout.touch('node_modules/.kurir-electron-failed', -3601)
    expect(checkout.ensure(['--electron'], screen).asked).toEqual(['fetch'])
    expect(checkout.ensure(['--electron'], screen)).toEqual(NOTHING)
    checkout.write('node_modules/electron/package.json', { version: '46.0.0' })
    expect(checkout.ensure(['--electron'], screen).asked).toEqual(['fetch'])
  })

  test.skipIf(process.platform !== 'linux')('is not fetched where there is no screen', () => {
    const env = { DISPLAY: '', WAYLAND_DISPLAY: '' }
    expect(createCheckout().ensure(['--electron'], { env })).toEqual(NOTHING)
  })
})

describe.skipIf(process.platform !== 'linux')('npm start', () => {
  const instead = (why: string) =>
    `Electron opens no window here (${why}): serving the same pages to your browser instead.`

  test('opens the window', () => {
    const checkout = createCheckout()
    checkout.installElectron('console.log("the window opens", process.argv[2])')
    const { lines, status } = checkout.start({ DISPLAY: ':0' })
    expect(lines).toEqual([expect.stringContaining(`the window opens ${checkout.path('')}`)])
    expect(status).toBe(0)
  })

  test('serves to a browser, with one line of why, where Electron is missing or there is no screen', () => {
    const checkout = createCheckout()
    const missing = checkout.start({ DISPLAY: ':0' })
    expect(missing.lines).toEqual([
      instead('its runtime is not installed; fetch it with: npx install-electron'),
      'the server runs',
    ])

    checkout.installElectron('')
    const screenless = checkout.start({})
    expect(screenless.lines).toEqual([instead('this computer has no screen'), 'the server runs'])
  })

  test('serves to a browser where Electron cannot run', () => {
    const checkout = createCheckout()
    checkout.installElectron('process.exit(9)')
    const { lines } = checkout.start({ DISPLAY: ':0' })
    expect(lines).toEqual([instead('Electron ended at once with 9'), 'the server runs'])
  })

  test.each(['SIGINT', 'SIGTERM'])('ends with %s, also while the window has only just opened', (signal) => {
    const checkout = createCheckout()
    checkout.installElectron(
      `console.log('the window opens'); setInterval(() => {}, 1000); process.kill(process.ppid, '${signal}')`,
    )
    const { lines, status } = checkout.start({ DISPLAY: ':0' })
    expect([lines, status]).toEqual([['the window opens'], 1])
  })
})
