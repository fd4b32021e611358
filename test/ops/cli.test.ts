import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { isBuilt } from '../../scripts/lib/built.mjs'
import { createClient } from '../../server/cli/client.ts'
import { linkSender } from '../../server/cli/link.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { COMMAND, commandIn, VERSION } from '../../server/lib/program.ts'
import { createProver, type Instance } from '../../server/lib/proof.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { startHttpServer } from '../support/http-server.ts'
import { ROOT } from '../support/markdown.ts'
import { startProvedServer } from '../support/proved-server.ts'
import { startRelay } from '../support/relay.ts'
import { hasProgram, run } from '../support/run.ts'
import { codeOf } from '../support/session.ts'
import { SHOP, startShop } from '../support/shop.ts'

const program = programFile('cli')
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kurir-cli-'))
  folders.push(folder)
  return folder
}

const start = (home: string, args: string[], env = {}) =>
  spawn(process.execPath, [program, ...args], { env: { ...SPARSE_ENV, KURIR_HOME: home, ...env } })

const OWNER = 'owner-token-of-the-commands-0123456789'
const INSTANCE = { id: 'this start', token: OWNER }

/** As a Kurir leaves them in its folder that runs, or was killed. */
function writePlace(home: string, url: string): void {
  writeFileSync(join(home, 'address.json'), JSON.stringify({ url, instance: INSTANCE.id }))
  writeFileSync(join(home, 'owner.token'), OWNER)
}

/** Runs a command to its end. */
async function kurir(home: string, args: string[], input = '') {
  const child = start(home, args)
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, code: code as number, json: () => JSON.parse(out) }
}

test('status says whether Kurir runs and how its senders are', async () => {
  const app = await startApp()
  const shown = await kurir(app.home, ['status'])
  expect(shown.code, shown.err).toBe(0)
  expect(shown.out).toContain('Kurir is ready.')
  expect(shown.out).toContain('Your choice: No number is linked yet. Link the number of your shop with a QR code.')
  expect(shown.out).toMatch(/SND-SANDBOX +Sandbox +sandbox +connected/)
  const { json } = await kurir(app.home, ['status', '--json'])
  expect(json()).toMatchObject({
    status: 'ready',
    concerns: [{ code: 'nothing_linked' }],
    senders: [{ sender_code: SANDBOX }],
  })
})

test('a command that Kurir names can be typed in its folder', async () => {
  const checkout = createFolder()
  writeFileSync(join(checkout, 'package-lock.json'), '{}')
  const archive = createFolder()
  mkdirSync(join(archive, 'packaging'))
  writeFileSync(join(archive, 'packaging', 'kurir'), '')
  expect([checkout, archive, createFolder()].map(commandIn)).toEqual(['npx kurir', 'packaging/kurir', 'kurir'])
})

test.skipIf(process.platform === 'win32' || !isBuilt() || !hasProgram('npx'))(
  'the command that Kurir names runs in a checkout',
  async () => {
    const { err } = await kurir(createFolder(), ['senders', 'list'])
    const [, named = ''] = /start it here with: (.+) start\./.exec(err) ?? []
    // Nothing is fetched: it is Kurir's own.
    const env = { ...process.env, npm_config_offline: 'true', npm_config_update_notifier: 'false' }
    const typed = await run(['sh', '-c', `${named} --version`], { env, cwd: ROOT })
    expect(typed).toMatchObject({ code: 0, out: `${VERSION}\n` })
  },
)

test('without a Kurir that runs every command ends with 3 and says how to start it', async () => {
  const home = createFolder()
  const never = await kurir(home, ['senders', 'list'])
  expect([never.code, never.out]).toEqual([3, ''])
  expect(never.err).toContain(`${COMMAND} start`)
  // As a Kurir leaves it behind that was killed.
  const gone = await startHttpServer(() => undefined)
  await gone.close()
  writePlace(home, gone.url)
  const killed = await kurir(home, ['status'])
  expect(killed.code).toBe(3)
  expect(killed.err).toContain(`nothing answers at ${gone.url}`)
})

describe('another program that has the port of a Kurir which is gone', () => {
  /** What it got, and how the command ended. */
  async function askAt(answer: (nonce: string) => string | { redirect: string }) {
    const home = createFolder()
    const got: { url: string | undefined; authorization: string | undefined; method: string | undefined }[] = []
    const squatter = await startHttpServer((req, res) => {
      got.push({ url: req.url, authorization: req.headers.authorization, method: req.method })
      const given = answer(new URLSearchParams(req.url?.split('?')[1]).get('nonce') ?? '')
      if (typeof given === 'string') res.end(given)
      else res.writeHead(307, { location: given.redirect }).end()
    })
    writePlace(home, squatter.url)
    const ended = await kurir(home, ['keys', 'list'])
    await squatter.close()
    return { got, ended }
  }

  const expectNothingGiven = ({ got, ended }: Awaited<ReturnType<typeof askAt>>) => {
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({ authorization: undefined, method: 'GET' })
    expect(got[0]?.url).toMatch(/^\/api\/proof\?nonce=[\w-]{32}$/)
    expect([ended.code, ended.out]).toEqual([3, ''])
  }

  test('gets neither the token nor a command', async () => {
    const asked = await askAt(() => '<html>')
    expectNothingGiven(asked)
    expect(asked.ended.err).toContain('is not the Kurir of this data folder')
  })

  test('cannot prove with another secret, nor with the proof of another start', async () => {
    const greetingOf = (instance: Instance) => (nonce: string) =>
      JSON.stringify({ success: true, data: createProver(instance, systemClock.elapsed).greet(nonce) })
    expectNothingGiven(await askAt(greetingOf({ ...INSTANCE, token: 'another secret' })))
    expectNothingGiven(await askAt(greetingOf({ ...INSTANCE, id: 'an earlier start' })))
  })

  test('cannot pass on what it is asked to another Kurir with the same token', async () => {
    const other = await startApp({ env: { KURIR_OWNER_TOKEN: OWNER } })
    const relay = await startRelay(Number(new URL(other.url).port))
    const home = createFolder()
    writePlace(home, relay.url)
    const { code, err } = await kurir(home, ['keys', 'create', 'stolen'])
    expect([code, err]).toEqual([3, expect.stringContaining('is not the Kurir of this data folder')])
    expect(other.app.store.keys.list()).toEqual([])
    expect(relay.asked().match(/^[A-Z]+ .* HTTP/gm)).toEqual([expect.stringMatching(/^GET \/api\/proof\?/)])
  })

  test('cannot lead elsewhere', async () => {
    const app = await startApp()
    expectNothingGiven(await askAt((nonce) => ({ redirect: `${app.url}/api/proof?nonce=${nonce}` })))
  })
})

test('open prints a link that logs a browser in once', async () => {
  const app = await startApp()
  const { out, code } = await kurir(app.home, ['open'])
  expect(code).toBe(0)
  expect(out).toMatch(new RegExp(`^${app.url}/#code=[\\w-]+\n$`))
  const logIn = () => app.fetch('/api/sessions', { body: { code: codeOf(out.trim()) } })
  expect([(await logIn()).status, (await logIn()).status]).toEqual([200, 403])
})

test('a wrong setting ends the start with 78: starting again changes nothing', async () => {
  const child = start(createFolder(), ['start'], { KURIR_PORT: 'http' })
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(code).toBe(78)
  expect(err).toContain('KURIR_PORT')
})

test('wrong usage ends with 2, help with 0', async () => {
  const home = createFolder()
  expect((await kurir(home, ['keys', 'create'])).code).toBe(2)
  expect((await kurir(home, ['dance'])).code).toBe(2)
  expect((await kurir(home, ['senders', 'link', 'SND-1', '--code'])).err).toContain('--phone')
  const help = await kurir(home, ['--help'])
  expect([help.code, help.out]).toEqual([0, expect.stringContaining('backup')])
  expect(help.out).toMatch(/Examples:[\s\S]*KURIR_HOME[\s\S]*3 Kurir does not run/)
  const ofCreate = await kurir(home, ['help', 'keys', 'create'])
  expect([ofCreate.code, ofCreate.out]).toEqual([0, expect.stringContaining('--device <sender_code>')])
  expect(await kurir(home, ['help', 'keys', 'dance'])).toMatchObject({ code: 2, out: '' })
})

test('with --json a program reads why a command failed', async () => {
  const app = await startApp()
  const refused = await kurir(app.home, ['messages', 'show', 'none', '--json'])
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(JSON.parse(refused.err)).toMatchObject({ success: false, error: { code: 'message_not_found' } })
  const away = await kurir(createFolder(), ['status', '--json'])
  expect(away.code).toBe(3)
  expect(JSON.parse(away.err)).toMatchObject({ success: false, error: { code: 'not_running' } })
  for (const args of [
    ['messages', 'list', '--colour'],
    ['messages', 'show'],
    ['logs', '--colour'],
  ]) {
    const wrong = await kurir(app.home, [...args, '--json'])
    expect([wrong.code, wrong.out]).toEqual([2, ''])
    expect(JSON.parse(wrong.err)).toMatchObject({ message: expect.any(String), error: { code: 'usage' } })
  }
})

test('a backup that cannot be written ends with a sentence', async () => {
  const app = await startApp()
  const file = join(createFolder(), 'away', 'kurir.backup')
  const { code, err } = await kurir(app.home, ['backup', file, '--passphrase-file', '-'], 'correct horse battery')
  expect(code).toBe(1)
  expect(err).toContain(`${file} cannot be written: its folder is not there.`)
})

test.skipIf(!existsSync('/dev/full'))('an output that takes nothing ends with a sentence', async () => {
  const app = await startApp()
  const command = ['sh', '-c', 'exec "$0" "$@" > /dev/full', process.execPath, program, 'status', '--json']
  const { code, err } = await run(command, { env: { ...SPARSE_ENV, KURIR_HOME: app.home } })
  expect([code, err]).toEqual([1, expect.stringMatching(/^The output cannot be written: .*\n$/)])
})

test.skipIf(process.platform === 'win32')('a backup is made although nobody reads what is said meanwhile', async () => {
  const app = await startApp()
  const file = join(createFolder(), 'my.kurirbackup')
  const child = start(app.home, ['backup', file, '--passphrase-file', '-'])
  child.stderr.destroy()
  child.stdin.end('long enough')
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect([code, out]).toEqual([0, expect.stringContaining(`Backup written to ${file}`)])
})

test('a sender is added and listed', async () => {
  const app = await startApp()
  const added = (await kurir(app.home, ['senders', 'add', 'Toko Budi', '--json'])).json()
  expect(added).toMatchObject({ name: 'Toko Budi', kind: 'linked', state: 'unlinked' })
  const { out } = await kurir(app.home, ['senders', 'list'])
  expect(out).toContain(added.sender_code)
})

test('a key that was made works until it is revoked; its secret is alone on standard output', async () => {
  const app = await startApp()
  const made = await kurir(app.home, ['keys', 'create', 'Kasir'])
  const key = made.out.trim()
  expect(key).toMatch(/^kurir_g_\S+$/)
  expect((await app.call(key, '/senders')).status).toBe(200)
  const device = (await kurir(app.home, ['keys', 'create', 'Till', '--device', SANDBOX, '--json'])).json()
  expect(device).toMatchObject({ kind: 'device', sender_code: SANDBOX, scopes: 'all' })
  const reader = (await kurir(app.home, ['keys', 'create', 'Prometheus', '--read'])).out.trim()
  expect((await app.call(reader, '/metrics')).status).toBe(200)
  expect((await app.call(reader, '/send', { phone: '6281234567890', message: 'x' })).status).toBe(403)

  const [row] = (await kurir(app.home, ['keys', 'list', '--json']))
    .json()
    .filter((k: { name: string }) => k.name === 'Kasir')
  expect((await kurir(app.home, ['keys', 'revoke', row.id])).code).toBe(0)
  expect((await app.call(key, '/senders')).status).toBe(401)
  expect((await kurir(app.home, ['keys', 'list'])).out).toMatch(/Kasir.*revoked/)
})

test('what Kurir refuses is said in its words, with 1', async () => {
  const app = await startApp()
  const { code, err } = await kurir(app.home, ['keys', 'create', 'Till', '--device', 'SND-NOBODY'])
  expect(code).toBe(1)
  expect(err).toContain('SND-NOBODY')
})

test('a backup is written whole and restored with its passphrase', async () => {
  const app = await startApp()
  const folder = createFolder()
  const file = join(folder, 'my.kurirbackup')
  // Somebody who may write there leads the unfinished file elsewhere.
  const other = join(createFolder(), 'other')
  writeFileSync(other, 'of somebody else')
  symlinkSync(other, `${file}.part`)
  const made = await kurir(app.home, ['backup', file, '--passphrase-file', '-', '--json'], 'long enough\n')
  expect(made.code, made.err).toBe(0)
  expect(made.json()).toEqual({ file, bytes: readFileSync(file).length })
  expect(readdirSync(folder)).toEqual(['my.kurirbackup'])
  expect(readFileSync(other, 'utf8')).toBe('of somebody else')

  // Nobody is asked for a passphrase in vain.
  const before = readFileSync(file)
  const again = await kurir(app.home, ['backup', file])
  expect([again.code, again.err]).toEqual([1, expect.stringContaining(`${file} is there already.`)])
  expect(readFileSync(file)).toEqual(before)
  const forced = await kurir(app.home, ['backup', file, '--force', '--passphrase-file', '-'], 'long enough')
  expect(forced.code, forced.err).toBe(0)
  expect(readFileSync(file)).not.toEqual(before)

  const wrong = await kurir(app.home, ['restore', file, '--passphrase-file', '-'], 'something else')
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('passphrase')])
  const right = await kurir(app.home, ['restore', file, '--passphrase-file', '-'], 'long enough')
  expect(right.code, right.err).toBe(0)
  expect(right.out).toContain('next start')
})

test('start runs Kurir until it is stopped, and restarts by itself after a restore', async () => {
  const home = createFolder()
  const file = join(createFolder(), 'my.kurirbackup')
  const child = start(home, ['start'], { KURIR_PORT: '0', KURIR_WEBHOOK_PORT: '0' })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ready = async () => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('it ended before it was ready')
      if (JSON.parse(value).msg === 'ready') return
    }
  }
  await ready()
  await kurir(home, ['senders', 'add', 'In the backup'])
  await kurir(home, ['backup', file, '--passphrase-file', '-'], 'long enough')
  await kurir(home, ['senders', 'add', 'After it'])
  const restored = await kurir(home, ['restore', file, '--passphrase-file', '-'], 'long enough')
  expect(restored.out).toContain('restarts')
  await ready()
  const { out } = await kurir(home, ['senders', 'list'])
  expect(out).toContain('In the backup')
  expect(out).not.toContain('After it')
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  expect((await kurir(home, ['status'])).code).toBe(3)
})

test('a Kurir is found although another folder still has the address of one that ended with the power', async () => {
  const app = await startApp()
  const left = createFolder()
  const taken = await startHttpServer((_req, res) => void res.writeHead(404).end('{}'))
  for (const url of ['http://127.0.0.1:9', taken.url]) {
    writePlace(left, url)
    await expect(createClient([left]).call('/api/senders')).rejects.toThrow('Kurir does not run')
    expect(await createClient([left, app.home]).call('/api/senders'), url).toHaveLength(1)
  }
  await taken.close()
})

describe('linking in the terminal', () => {
  test('links a number with the code that the command printed', async () => {
    const { app, phone, sender } = await startShop()
    const child = start(app.home, ['senders', 'link', sender, '--json'])
    const ended = once(child, 'exit')
    const steps: { qr: string | null; state: string; phone: string | null }[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      const step = JSON.parse(line)
      steps.push(step)
      if (step.qr !== null) await phone.scan(step.qr)
    }
    expect((await ended)[0]).toBe(0)
    expect(steps.at(-1)).toMatchObject({ state: 'connected', phone: SHOP, qr: null })

    const again = await kurir(app.home, ['senders', 'link', sender])
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`linked already (${SHOP})`)])
  })

  test('says that a number is linked whose sender is paused, as after a restore', async () => {
    const { app, phone, sender } = await startShop()
    await app.owner(`/api/senders/${sender}/pause`, { method: 'POST' })
    const child = start(app.home, ['senders', 'link', sender, '--json'])
    const ended = once(child, 'exit')
    const complaint = text(child.stderr)
    const steps: { qr: string | null; phone: string | null }[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      const step = JSON.parse(line)
      steps.push(step)
      if (step.qr !== null) await phone.scan(step.qr)
    }
    expect((await ended)[0], await complaint).toBe(0)
    expect(steps.at(-1)).toMatchObject({ phone: SHOP, qr: null })
  })

  const sender = {
    sender_code: 'SND-A',
    name: 'Toko',
    kind: 'linked',
    reason: null,
    phone: null,
    pairing_code: null,
    linking: null,
  }
  const codes = { ...sender, state: 'linking', expires_at: '2026-11-21T08:01:00.000Z' }

  /** A Kurir whose sender goes through these views, one each time it is read. */
  async function kurirWith(views: object[]) {
    const home = createFolder()
    const asked: { path: string; body: string }[] = []
    const server = await startProvedServer(INSTANCE, (req, body) => {
      if (req.method === 'POST') asked.push({ path: req.url ?? '', body })
      const view: { state?: string } = (req.method === 'POST' || views.length === 1 ? views[0] : views.shift()) ?? {}
      return { success: true, data: { ...view, connection: view.state } }
    })
    writePlace(home, server.url)
    return { home, asked, close: server.close }
  }

  test('shows each QR code once until the phone has linked the number', async () => {
    const unlinked = { ...sender, state: 'unlinked', qr: null, expires_at: null }
    const steps = [
      ...[unlinked, unlinked, { ...codes, qr: 'first' }, { ...codes, qr: 'first' }, { ...codes, qr: 'second' }],
      ...[
        { ...codes, state: 'connecting', qr: null },
        { ...unlinked, state: 'connected', phone: '6281234567890' },
      ],
    ]
    const { home, asked, close } = await kurirWith(structuredClone(steps))
    const { code, out, err } = await kurir(home, ['senders', 'link', 'SND-A'])
    await close()
    expect(code, err).toBe(0)
    expect(asked).toEqual([{ path: '/api/senders/SND-A/link', body: '{"method":"qr"}' }])
    expect(out.match(/Scan the code/g)).toHaveLength(2)
    expect(out).toMatch(/[▀▄█]{10}/)
    expect(out).toContain('SND-A is linked to 6281234567890')
  })

  test('shows a pairing code, and as JSON one line for each step', async () => {
    const unlinked = { ...sender, state: 'unlinked', qr: null, expires_at: null }
    const steps = [
      ...[unlinked, { ...codes, qr: null, pairing_code: 'ABCD1234' }],
      { ...unlinked, state: 'connected', phone: '6281234567890' },
    ]
    const { home, asked, close } = await kurirWith(steps)
    const args = ['senders', 'link', 'SND-A', '--code', '--phone', '6281234567890', '--json']
    const { code, out } = await kurir(home, args)
    await close()
    expect(code).toBe(0)
    expect(asked[0]?.body).toBe('{"method":"code","phone":"6281234567890"}')
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([{ pairing_code: 'ABCD1234' }, { state: 'connected' }])
  })

  test('says where to give a passkey, and which code to compare', async () => {
    const unlinked = { ...sender, state: 'unlinked', qr: null, expires_at: null }
    const asked = (step: string, more: object = {}) => ({
      ...codes,
      qr: null,
      linking: {
        reason: 'passkey_required',
        passkey: { options: { challenge: 'x' }, until: '2026-11-21T08:10:00.000Z', step },
        passkey_code: null,
        ...more,
      },
    })
    const { home, close } = await kurirWith([
      ...[
        unlinked,
        asked('asked'),
        asked('asked'),
        asked('asked', { reason: 'passkey_refused', reason_detail: '400' }),
      ],
      ...[asked('checking'), asked('compare', { passkey_code: 'ABCD-1234' })],
      { ...unlinked, state: 'connected', phone: '6281234567890' },
    ])
    const { code, out, err } = await kurir(home, ['senders', 'link', 'SND-A'])
    await close()
    expect(code, err).toBe(0)
    expect(out.match(/asks for the passkey of this account. Open \/senders\/SND-A\/link/g)).toHaveLength(2)
    expect(out).toContain('did not take the passkey (400)')
    expect(out).toContain('ABCD-1234')
  })

  test('ends when WhatsApp gives no code within a minute, and says before what it waits for', async () => {
    const { home, close } = await kurirWith([{ ...codes, qr: null, state: 'offline', linking: null }])
    const notes: [afterMs: number, note: string][] = []
    let waited = 0
    const out = { print: async () => expect.unreachable(), note: (note: string) => void notes.push([waited, note]) }
    const pause = async (ms: number) => {
      waited += ms
      // It would go on for ever; the test must not.
      if (waited > 300_000) throw new Error('still waiting')
    }
    const ended = linkSender(createClient([home]), out, 'SND-A', { method: 'qr' }, pause)
    await expect(ended).rejects.toThrow(/^WhatsApp gave no code for SND-A within a minute\. Check the internet/)
    await close()
    expect([waited, notes]).toEqual([60_000, [[5_000, 'Waiting for WhatsApp to give a code…']]])
  })

  test('a code that nobody scanned ends with 1 and says so', async () => {
    const unlinked = { ...sender, state: 'unlinked', reason: 'not_scanned', qr: null, expires_at: null }
    const { home, close } = await kurirWith([unlinked, { ...codes, qr: 'first' }, unlinked])
    const { code, err } = await kurir(home, ['senders', 'link', 'SND-A'])
    await close()
    expect(code).toBe(1)
    expect(err).toContain('was not linked (unlinked: not_scanned)')
  })
})
