import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createDataFolder,
  emptyTemporaryFolder,
  findRunning,
  openOnWindows,
  ownerToken,
  writeAddress,
} from '../../server/settings/data-folder.ts'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startProgram } from '../support/program.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  test('is for its user alone, also one that was there before', () => {
    const home = join(temporaryFolder(), 'kurir')
    expect(createDataFolder(home)).toBeUndefined()
    expect(modeOf(home)).toBe(0o700)
    chmodSync(home, 0o755)
    expect(createDataFolder(home)).toBeUndefined()
    expect(modeOf(home)).toBe(0o700)
  })

  test.skipIf(process.getuid?.() === 0)('of another user that all can read is said so', () => {
    const warning = createDataFolder('/')
    expect(warning).toContain('Other users of this computer can read /')
  })

  test.skipIf(process.getuid?.() === 0)('opens though a temporary file in it cannot be removed', () => {
    const home = temporaryFolder()
    const held = join(home, 'tmp', 'held')
    mkdirSync(held, { recursive: true })
    writeFileSync(join(held, 'file'), '')
    chmodSync(held, 0o500)
    onTestFinished(() => chmodSync(held, 0o700))
    expect(emptyTemporaryFolder(home)).toMatchObject({ code: 'EACCES' })
  })

  test('holds only files of its user, the database included, whatever the umask was', async () => {
    const before = process.umask(0o022)
    onTestFinished(() => void process.umask(before))
    const program = await startProgram({})
    onTestFinished(program.kill)
    const open = readdirSync(program.home).filter((name) => (modeOf(join(program.home, name)) & 0o077) !== 0)
    expect(open).toEqual([])
    expect(readdirSync(program.home)).toContain('kurir.db')
  })

  const mayMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'full', '/mnt']).status === 0

  test.skipIf(!mayMount)('on a full disk is not said to be closed to its user', () => {
    const module = join(import.meta.dirname, '../../server/settings/data-folder.ts')
    const write = `import { writeAddress } from ${JSON.stringify(module)}
      try { writeAddress('/mnt', {}) } catch (error) { console.log(error.problem) }`
    const onFullDisk = `mount -t tmpfs -o size=4k full /mnt && echo > /mnt/filler && exec "$0" --input-type=module -e "$1"`
    const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', onFullDisk, process.execPath, write])
    expect(`${stdout}${stderr}`).toBe('full\n')
  })

  test('that was open to others is closed at the start', async () => {
    const home = join(temporaryFolder(), 'kurir')
    mkdirSync(home, { mode: 0o755 })
    const app = await startApp({ home })
    expect(modeOf(home)).toBe(0o700)
    expect(app.logs()).not.toContain('Other users')
  })
})

test.each([
  ['C:\\Users\\Budi\\AppData\\Roaming\\Kurir', false],
  ['C:\\Users\\Budi', false],
  ['C:\\Users\\Ani\\Kurir', true],
  ['D:\\Kurir', true],
])('on Windows %s is outside of the user’s own folder: %s', (home, outside) => {
  expect(openOnWindows(home, 'C:\\Users\\Budi') !== undefined).toBe(outside)
})

test('no Kurir runs where its address or token is missing, or torn', () => {
  const home = temporaryFolder()
  expect(findRunning(home)).toBeUndefined()
  const remove = writeAddress(home, { url: 'http://127.0.0.1:7420', instance: 'a' })
  expect(findRunning(home)).toBeUndefined()
  const token = ownerToken(home, undefined)
  expect(findRunning(home)).toEqual({ url: 'http://127.0.0.1:7420', instance: { id: 'a', token } })
  for (const torn of ['', '{"url":"http://127.0', '{}', '{"url":"http://127.0.0.1:7420"}']) {
    writeFileSync(join(home, 'address.json'), torn)
    expect(findRunning(home), torn).toBeUndefined()
  }
  remove()
  expect(findRunning(home)).toBeUndefined()
  rmSync(join(home, 'owner.token'))
})
