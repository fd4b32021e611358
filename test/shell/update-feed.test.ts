import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { namesPublisher, refuseUnchecked, type Updater } from '../../main/updates.ts'
import { startHttpServer } from '../support/http-server.ts'
import { openShell, SERVER_URL, temporaryFolder } from './support/shell.ts'

/** The updater that a signed build for Windows has, and the executor that it makes requests with. */
const require = createRequire(import.meta.url)
const { NsisUpdater } = require('electron-updater')
const { HttpExecutor } = createRequire(require.resolve('electron-updater'))('builder-util-runtime')

/** A package is hashed, and its signature asked for: how long depends on the machine. */
const SOON = { timeout: 120_000 }
const PUBLISHER = 'CN=Toko Melati, O=Toko Melati, C=ID'
const INSTALLER = Buffer.from('MZ an installer of Kurir')
const NAME = 'Kurir-1.3.0-windows-x64.exe'

/** Electron's own executor with Node's requests in place of Chromium's. */
class NodeExecutor extends HttpExecutor {
  createRequest(options: RequestOptions, callback: (response: IncomingMessage) => void) {
    return request(options, callback)
  }

  async download(url: URL, destination: string, options: { cancellationToken: Cancellable }) {
    return await options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const where = { hostname: url.hostname, port: url.port, path: url.pathname }
      const callback = (error?: Error | null) => (error == null ? resolve(destination) : reject(error))
      this.doDownload(where, { destination, options, onCancel, callback, responseHandler: null }, 0)
    })
  }
}
interface Cancellable {
  createPromise<T>(work: (resolve: (value: T) => void, reject: (error: Error) => void, onCancel: unknown) => void): T
}

interface Feed {
  version: string
  /** The bytes that the server has under the name in the feed. */
  installer: Buffer
  /** The signer of the installer, as Windows reads it; null: electron-updater asks PowerShell itself. */
  signer?: string | null
}

/** A signed Kurir 1.2.0 whose place for updates is a server on this PC. */
async function openWithFeed({ version, installer, signer = PUBLISHER }: Feed) {
  const sha512 = createHash('sha512').update(INSTALLER).digest('base64')
  const feed = `version: ${version}\nfiles:\n  - url: ${NAME}\n    sha512: ${sha512}\n    size: ${INSTALLER.length}\npath: ${NAME}\nsha512: ${sha512}\n`
  const server = await startHttpServer((req, res) => {
    if (/^\/latest(-linux(-arm64)?|-mac)?\.yml/.test(req.url ?? '')) res.end(feed)
    else if (req.url === `/${NAME}`) res.end(installer)
    else res.writeHead(404).end()
  })
  onTestFinished(server.close)
  const home = temporaryFolder()
  const config = join(home, 'app-update.yml')
  writeFileSync(
    config,
    `provider: generic\nurl: ${server.url}\nupdaterCacheDirName: kurir\npublisherName:\n  - '${PUBLISHER}'\n`,
  )
  const quits: ((exitCode: number) => void)[] = []
  const updater = new NsisUpdater(null, {
    ...{ version: '1.2.0', name: 'Kurir', isPackaged: true },
    ...{ appUpdateConfigPath: config, userDataPath: home, baseCachePath: home },
    ...{ whenReady: async () => undefined, relaunch: () => undefined, quit: () => undefined },
    onQuit: (handler: (exitCode: number) => void) => void quits.push(handler),
  })
  updater.httpExecutor = new NodeExecutor()
  updater.disableDifferentialDownload = true
  updater.logger = null
  // PowerShell reads the certificate on Windows; here the test says whose it is.
  if (signer !== null)
    updater.verifyUpdateCodeSignature = async (publishers: string[], file: string) => {
      expect(readFileSync(file)).toEqual(INSTALLER)
      return publishers.includes(signer) ? null : `signed by ${signer}`
    }
  refuseUnchecked(updater)
  const installed: string[] = []
  updater.doInstall = () => installed.push(updater.installerPath)
  const shell = await openShell(undefined, { loadUpdater: async () => updater as Updater })
  shell.serverGetsReady()
  const ask = (call: string) => shell.fake.ipc.get(call)?.({ senderFrame: { url: SERVER_URL } }, undefined)
  await ask('update:check')
  return {
    shell,
    updater,
    ask,
    installed,
    quits,
    state: () => ask('update:get') as { state: string; message?: string },
  }
}

test('a newer version is fetched, and installed when Kurir quits', async () => {
  const { state, installed, quits, shell } = await openWithFeed({ version: '1.3.0', installer: INSTALLER })
  await vi.waitFor(() => expect(state()).toEqual({ state: 'ready', version: '1.3.0' }), SOON)
  expect(shell.server().received).toContainEqual({ type: 'update-ready', version: '1.3.0' })
  expect(installed).toEqual([])
  for (const quit of quits) quit(0)
  expect(installed.map((file) => readFileSync(file))).toEqual([INSTALLER])
})

test.each([
  ['the same version', { version: '1.2.0', installer: INSTALLER }],
  ['an older version', { version: '1.1.9', installer: INSTALLER }],
])('%s is not taken', async (_what, feed) => {
  const { state, installed, quits } = await openWithFeed(feed)
  await vi.waitFor(() => expect(state()).toEqual({ state: 'current' }), SOON)
  expect([installed, quits]).toEqual([[], []])
})

test.each([
  ['damaged', { installer: Buffer.from('MZ an installer of Somebody'), says: /sha512 checksum mismatch/ }],
  ['cut off', { installer: INSTALLER.subarray(0, 10), says: /sha512 checksum mismatch/ }],
  [
    'signed by somebody else',
    { installer: INSTALLER, signer: 'CN=Somebody', says: /not signed by the application owner/ },
  ],
])('a package that is %s is refused, and nothing of it is installed', async (_what, { says, ...package_ }) => {
  const { state, installed, quits, updater, shell } = await openWithFeed({ version: '1.3.0', ...package_ })
  await vi.waitFor(() => expect(state()).toEqual({ state: 'failed', message: expect.stringMatching(says) }), SOON)
  for (const quit of quits) quit(0)
  expect(installed).toEqual([])
  expect(existsSync(updater.installerPath ?? join(temporaryFolder(), 'none'))).toBe(false)
  expect(shell.server().hasReceived('update-ready')).toBe(false)
})

test.skipIf(process.platform === 'win32')(
  'a package is refused where PowerShell cannot say who signed it',
  async () => {
    // The shell of this system takes cmd.exe's `>NUL` for a file.
    onTestFinished(() => rmSync('NUL', { force: true }))
    const { state } = await openWithFeed({ version: '1.3.0', installer: INSTALLER, signer: null })
    const message = expect.stringContaining('its signature could not be checked')
    await vi.waitFor(() => expect(state()).toEqual({ state: 'failed', message }), SOON)
  },
)

test('a program without the name of its publisher does not look for updates on Windows', () => {
  const config = 'provider: github\nowner: toko\nrepo: kurir\nupdaterCacheDirName: kurir-updater\n'
  expect(namesPublisher(config, 'win32')).toBe(false)
  expect(namesPublisher(`${config}publisherName:\n  - '${PUBLISHER}'\n`, 'win32')).toBe(true)
  expect(namesPublisher(config, 'darwin')).toBe(true)
})
