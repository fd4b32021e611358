import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { VERIFY_SNIPPETS } from '../../renderer/model/verify-snippets.ts'
import { signatureHeaders } from '../../server/webhooks/callback.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { asCgi } from '../support/cgi.ts'
import { readBatch } from '../support/cmd-exe.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startHttpServer } from '../support/http-server.ts'
import { OTHER_CLIENTS } from '../support/other-clients.ts'
import { startPoorLine } from '../support/poor-line.ts'
import { hasProgram, run } from '../support/run.ts'
import { samples } from '../support/samples.ts'

const clients = join(import.meta.dirname, '..', '..', 'docs', 'clients')
const file = (path: string): string => join(clients, ...path.split('/'))

const compiled = mkdtempSync(join(tmpdir(), 'kurir-clients-'))
afterAll(() => rmSync(compiled, { recursive: true, force: true }))
const exe = (name: string): string => join(compiled, `${name}.exe`)

interface Client {
  language: string
  /** Without this program its tests are skipped. */
  needs: string
  /** On Linux, without this one too. */
  needsFile?: string
  /** What must run before. */
  compile?: string[][]
  send?: string[]
  callback?: string[]
  /** The name under which it listens. */
  host?: string
}

// The compiler of the .NET Framework, which every Windows has, knows C# 5 and nothing newer.
const mcs = (name: string, ...libraries: string[]): string[] => [
  'mcs',
  '-langversion:5',
  `-out:${exe(name)}`,
  file(`csharp/${name}.cs`),
  ...libraries.map((library) => `-r:${library}.dll`),
]

const vbc = (name: string, ...libraries: string[]): string[] => [
  'vbc',
  `-out:${exe(`Vb${name}`)}`,
  file(`vbnet/${name}.vb`),
  ...libraries.map((library) => `-r:${library}.dll`),
]

const CLIENTS: Client[] = [
  { language: 'PHP', needs: 'php', send: ['php', file('php/send.php')] },
  {
    language: 'Python',
    needs: 'python3',
    send: ['python3', file('python/send.py')],
    callback: ['python3', file('python/callback.py')],
  },
  {
    language: 'JavaScript',
    needs: 'node',
    send: [process.execPath, file('javascript/send.mjs')],
    callback: [process.execPath, file('javascript/callback.mjs')],
  },
  {
    language: 'Java',
    needs: 'javac',
    compile: [['javac', '-d', compiled, file('java/Send.java'), file('java/Callback.java')]],
    send: ['java', '-cp', compiled, 'Send'],
    callback: ['java', '-cp', compiled, 'Callback'],
  },
  {
    language: 'C# (Mono)',
    needs: 'mcs',
    // Debian has Mono's libraries one by one.
    needsFile: '/usr/lib/mono/4.5/System.Net.Http.dll',
    compile: [mcs('Send', 'System.Net.Http', 'System.Runtime.Serialization'), mcs('Callback')],
    send: ['mono', exe('Send')],
    callback: ['mono', exe('Callback')],
    host: 'localhost',
  },
  {
    language: 'VB.NET (Mono)',
    // Not in Debian; the one of .NET's SDK runs under Mono.
    needs: 'vbc',
    compile: [vbc('Send', 'System.Net.Http', 'System.Runtime.Serialization', 'System.Xml'), vbc('Callback')],
    send: ['mono', exe('VbSend')],
    callback: ['mono', exe('VbCallback')],
    host: 'localhost',
  },
]

const NOT_RUN = {
  powershell: 'no PowerShell on Debian',
  vba: 'only on Windows',
  foxpro: 'only on Windows',
  mikrotik: 'no RouterOS on Debian',
  esp32: 'its core is not in Debian',
}

test.each(['Send', 'Callback'])('%s in VB.NET does what it does in C#, call by call, with the same texts', (name) => {
  // What either language needs for itself.
  const own = /^(If|Or|Sub|New|CInt|DirectCast|GetType|ToInt32|Byte|String|Task|DataMember|KurirRefused)$/
  const partsOf = (path: string, comment: RegExp) => {
    const code = readFileSync(file(path), 'utf8').replace(comment, '')
    const [, body = ''] = code.split(/(?:static class|Public Module) (?:Kurir|Callback)\b/)
    const bare = body.replace(/"[^"\n]*"/g, '').replace(/\(Of \w+\)/g, '')
    const calls = [...bare.matchAll(/\b([A-Z]\w+)\s*\(/g)].map(([, call = '']) => call)
    const texts = [...body.matchAll(/"([^"\n]+)"(?!c)/g)].map(([, text]) => text)
    return { calls: calls.filter((call) => !own.test(call)), texts }
  }
  const [inCSharp, inBasic] = [
    partsOf(`csharp/${name}.cs`, /(^|\s)\/\/.*$/gm),
    partsOf(`vbnet/${name}.vb`, /(^|\s)'.*$/gm),
  ]
  expect(inCSharp.calls.length).toBeGreaterThan(20)
  expect(inBasic).toEqual(inCSharp)
})

test('every example is run here, or named as one that is not', () => {
  const folders = readdirSync(clients, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const run = ['php', 'python', 'javascript', 'java', 'csharp', 'vbnet', 'curl']
  const elsewhere = OTHER_CLIENTS.map(({ folder }) => folder)
  expect(folders.map(({ name }) => name).toSorted()).toEqual([...run, ...elsewhere, ...Object.keys(NOT_RUN)].toSorted())
})

// Mono 6.8 hangs about once in a hundred times when a program has ended, after its last line (a dump shows no thread of ours).
const retryOf = ({ send, callback }: (typeof CLIENTS)[number]) => ((send ?? callback)?.[0] === 'mono' ? 2 : 0)

describe.each(CLIENTS.map((client) => ({ ...client, retry: retryOf(client) })))(
  '$language',
  ({ retry, needs, needsFile, compile = [], send, callback, host = '127.0.0.1' }) => {
    const lacksFile = process.platform === 'linux' && needsFile !== undefined && !existsSync(needsFile)
    const missing = !hasProgram(needs) || lacksFile
    let app: TestApp

    beforeAll(async () => {
      if (missing) return
      for (const command of compile) expect(await run(command, { env: process.env })).toMatchObject({ code: 0 })
      app = await startApp({ lives: 'file' })
    })

    const environment = async (url: string) => ({
      // Java and Mono read arguments in the letters of the locale.
      ...{ PATH: process.env.PATH, HOME: compiled, LC_ALL: 'C.UTF-8' },
      ...{ KURIR_URL: url, KURIR_KEY: await app.key(), KURIR_SENDER: SANDBOX },
    })
    // What is tried again must not find what the first try has sent.
    const newReference = (): string => `INV-${randomUUID()}`
    const countOf = async (reference: string): Promise<number> =>
      (await app.owner<unknown[]>(`/messages?reference_id=${reference}`)).body.data.length

    if (send !== undefined) {
      test.skipIf(missing)('sends a text and the address of a file, in any letters', { retry }, async () => {
        const env = await environment(app.url)
        const message = 'Terima kasih, "Bu Sri" \\ Rp 10.000\n\t– 100 % 🙏'
        const words = ['+62 812-3456-0002', message, 'INV-1', 'http://127.0.0.1:9/inv-1.pdf']
        const { out, err, code } = await run([...send, ...words], { env })
        expect({ code, err }).toEqual({ code: 0, err: '' })
        const { data } = (await app.owner(`/messages/${out.trim()}`)).body
        expect(data).toMatchObject({ message, recipient: '6281234560002', reference_id: 'INV-1', file: words[3] })
      })

      test.skipIf(missing)('sends a file of its own PC, once for a reference', { retry }, async () => {
        const reference = newReference()
        const path = invoice('Nota – kafé 9.pdf')
        const env = await environment(app.url)
        const message = 'Terima kasih, "Bu Sri" 🙏'
        const call = () => run([...send, '6281234560002', message, reference, path], { env })
        const [first, again] = [await call(), await call()]
        expect(first).toMatchObject({ code: 0, err: '' })
        expect(again.out).toBe(first.out)
        await hasInvoice(app, first.out.trim(), { message, reference_id: reference })
        expect(await countOf(reference)).toBe(1)
      })

      test.skipIf(missing)('sends its file once where an answer is lost', { retry }, async () => {
        const reference = newReference()
        const line = await startPoorLine(app.url)
        const words = ['6281234560002', 'Nota', reference, invoice('inv-10.pdf')]
        const { out, err, code } = await run([...send, ...words], { env: await environment(line.url) })
        expect({ code, err }).toEqual({ code: 0, err: '' })
        expect(line.calls()).toBe(3)
        expect(await countOf(reference)).toBe(1)
        await hasInvoice(app, out.trim(), { reference_id: reference }, 'inv-10.pdf')
      })

      test.skipIf(missing)('says that there is no such file, and sends nothing', { retry }, async () => {
        const path = join(temporaryFolder(), 'inv-11.pdf')
        const { err, code } = await run([...send, '6281234560002', 'Nota', 'INV-11', path], {
          env: await environment(app.url),
        })
        expect(code).toBe(1)
        expect(err).toContain('inv-11.pdf')
        expect(await countOf('INV-11')).toBe(0)
      })

      test.skipIf(missing)('sends once where an answer is lost and another says "later"', { retry }, async () => {
        const reference = newReference()
        const line = await startPoorLine(app.url)
        const words = ['6281234560002', 'Lunas', reference]
        const { out, err, code } = await run([...send, ...words], { env: await environment(line.url) })
        expect({ code, err }).toEqual({ code: 0, err: '' })
        expect(line.calls()).toBe(3)
        expect(await countOf(reference)).toBe(1)
        expect((await app.owner(`/messages/${out.trim()}`)).status).toBe(200)
      })

      test.skipIf(missing)('says why Kurir refuses, and does not ask again', { retry }, async () => {
        const line = await startPoorLine(app.url, [])
        const { err, code } = await run([...send, '12', 'Lunas', 'INV-3'], { env: await environment(line.url) })
        expect(code).toBe(1)
        expect(err).toMatch(/invalid_request: .*phone/)
        expect(line.calls()).toBe(1)
      })

      test.skipIf(missing)('says in one line what it takes', { retry }, async () => {
        const { out, err, code } = await run(send, { env: await environment(app.url) })
        expect({ out, code }).toEqual({ out: '', code: 1 })
        expect(err).toMatch(/^Usage: .*<phone> <message> <reference> .*\r?\n$/)
      })
    }

    if (callback !== undefined) {
      const startReceiver = async (endpoint: Endpoint, url: string): Promise<void> => {
        const env = { ...process.env, KURIR_WEBHOOK_SECRET: endpoint.secret, KURIR_INBOX: endpoint.inbox }
        await startProgram(callback, { ...env, PORT: new URL(url).port }, url)
      }

      test.skipIf(missing)('keeps what Kurir signs, and refuses everything else', { retry }, async () => {
        const url = `http://${host}:${await freePort()}/`
        const endpoint = await createEndpoint(app, url)
        await startReceiver(endpoint, url)
        await endpoint.testCall()
        await refuses(url, endpoint)
      })

      test.skipIf(missing)('does not take what it cannot keep', { retry }, async () => {
        const url = `http://${host}:${await freePort()}/`
        const endpoint = await createEndpoint(app, url)
        writeFileSync(endpoint.inbox, 'no folder')
        await startReceiver(endpoint, url)
        await takesNothing(url, endpoint)
      })
    }
  },
)

// Without php.ini: no extension that is a file, warnings are printed and nothing holds them back.
describe.each(['php', 'php-cgi'])('the receiver in PHP under %s', (program) => {
  const startReceiver = async ({ secret, inbox }: Endpoint, url: string): Promise<void> => {
    const env = { ...process.env, KURIR_WEBHOOK_SECRET: secret, KURIR_INBOX: inbox }
    const { host, port } = new URL(url)
    const script = file('php/callback.php')
    if (program === 'php') return startProgram(['php', '-n', '-S', host, script], env, url)
    const server = await startHttpServer(asCgi(['php-cgi', '-n'], script, env), Number(port))
    onTestFinished(server.close)
  }

  test.skipIf(!hasProgram(program))('keeps what Kurir signs, and refuses everything else', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`
    const endpoint = await createEndpoint(await startApp(), url)
    await startReceiver(endpoint, url)
    await endpoint.testCall()
    await refuses(url, endpoint)
  })

  test.skipIf(!hasProgram(program))('does not take what it cannot keep', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`
    const endpoint = await createEndpoint(await startApp(), url)
    writeFileSync(endpoint.inbox, 'no folder')
    await startReceiver(endpoint, url)
    await takesNothing(url, endpoint)
  })
})

test('the receivers check signatures with the lines that the window shows', () => {
  const receivers = { php: 'php/callback.php', javascript: 'javascript/callback.mjs', python: 'python/callback.py' }
  for (const [language, path] of Object.entries(receivers)) {
    const shown = VERIFY_SNIPPETS.standard[language as keyof typeof VERIFY_SNIPPETS.standard]
    const lines = shown.slice(shown.search(/^(export )?(function|def) /m))
    expect(readFileSync(file(path), 'utf8'), path).toContain(lines)
  }
})

test.skipIf(process.platform === 'win32')('curl sends a file of its own PC, once for a reference', async () => {
  const app = await startApp()
  const env = { PATH: process.env.PATH, KURIR_URL: app.url, KURIR_KEY: await app.key(), KURIR_SENDER: SANDBOX }
  const text = join(temporaryFolder(), 'text.txt')
  const message = 'Terima kasih, "Bu Sri" \\ 100 % 🙏'
  writeFileSync(text, message)
  const words = ['6281234560002', text, 'INV-9', invoice('Nota – kafé 9.pdf')]
  const call = () => run([file('curl/send-file.sh'), ...words], { env })
  const [first, again] = [await call(), await call()]
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(again.out).toBe(first.out)
  const { id } = (JSON.parse(first.out) as { data: { id: string } }).data
  await hasInvoice(app, id, { message, reference_id: 'INV-9' })
})

test.skipIf(process.platform === 'win32').each(['send', 'send-file'])(
  '%s.sh says in one line what it takes',
  async (name) => {
    const { err, code } = await run([file(`curl/${name}.sh`)], { env: { PATH: process.env.PATH } })
    expect([code, err]).toEqual([1, expect.stringMatching(/^Usage: \S+\.sh .*\n$/)])
  },
)

test.skipIf(process.platform === 'win32').each([
  ['send', ['none.json', 'INV-1']],
  ['send-file', ['628111', 'none.txt', 'INV-1', file('curl/text.txt')]],
  ['send-file', ['628111', file('curl/text.txt'), 'INV-1', 'none.pdf']],
])('%s.sh %j names the file that is not there, and ends before curl', async (name, args) => {
  const { err, code } = await run([file(`curl/${name}.sh`), ...args], { env: { PATH: process.env.PATH } })
  expect([code, err]).toEqual([1, `There is no file ${args.find((arg) => arg.startsWith('none'))}.\n`])
})

test.each([
  ['send', ['none.json', 'INV-1']],
  ['send-file', ['628111', 'none.txt', 'INV-1', file('curl/text.txt')]],
  ['send-file', ['628111', file('curl/text.txt'), 'INV-1', 'none.pdf']],
])('%s.cmd %j names the file that is not there, and ends before curl', (name, args) => {
  const [first, second] = readBatch(readFileSync(file(`curl/${name}.cmd`), 'utf8'), {}, args)
  expect(first?.argv.join(' ')).toBe(`echo There is no file ${args.find((arg) => arg.startsWith('none'))}.`)
  expect(second?.argv.join(' ')).toBe('exit /b 1')
})

test.each(['send', 'send-file'])('%s.cmd says what it takes, and ends before curl', (name) => {
  const [first, second] = readBatch(readFileSync(file(`curl/${name}.cmd`), 'utf8'))
  expect(first?.argv.join(' ')).toMatch(/^echo Usage: \S+\.cmd /)
  expect(second?.argv.join(' ')).toBe('exit /b 1')
})

/** An invoice on this PC. */
function invoice(name: string): string {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, samples.pdf)
  return path
}

/** The message has the bytes of the invoice, and its name. */
async function hasInvoice(app: TestApp, id: string, members: object, name = 'Nota – kafé 9.pdf'): Promise<void> {
  const { data } = (await app.owner<{ file: string; file_sha256: string }>(`/messages/${id}`)).body
  expect(data).toMatchObject(members)
  expect(data.file_sha256).toBe(createHash('sha256').update(samples.pdf).digest('hex'))
  const upload = await app.app.store.uploads.get(data.file.replace(/^upload:/, ''))
  expect(upload?.name).toBe(name)
}

interface Endpoint {
  secret: string
  /** Where the receiver keeps what came: not there yet. */
  inbox: string
  /** Sends a test call, and sees whether it was kept. */
  testCall(): Promise<void>
}

async function createEndpoint(app: TestApp, url: string): Promise<Endpoint> {
  const inbox = join(temporaryFolder(), 'inbox')
  const { id, secret } = (await app.owner<{ id: string; secret: string }>('/api/webhooks', { body: { url } })).body.data
  return {
    secret,
    inbox,
    async testCall(): Promise<void> {
      await app.owner(`/api/webhooks/${id}/test`, { method: 'POST' })
      await eventually(async () => {
        const [newest] = await app.app.store.deliveries.list({ endpointId: Number(id), limit: 1 })
        return newest?.state !== 'pending'
      })
      const [delivery] = (await app.owner<{ state: string }[]>(`/api/deliveries?webhook_id=${id}`)).body.data
      expect(delivery).toMatchObject({ state: 'delivered' })
      const kept = readdirSync(inbox)
      expect(kept).toHaveLength(1)
      expect(JSON.parse(readFileSync(join(inbox, kept[0] ?? ''), 'utf8'))).toMatchObject({ type: 'webhook.test' })
    },
  }
}

/** Starts a receiver that listens at the address, and ends it with the test. */
async function startProgram([program = '', ...args]: string[], env: NodeJS.ProcessEnv, url: string): Promise<void> {
  const receiver = spawn(program, args, { env, stdio: 'ignore' })
  onTestFinished(async () => {
    receiver.kill('SIGKILL')
    if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, 'close')
  })
  await isListening(url)
}

/** A call that it cannot keep is never a success: Kurir would not repeat it. */
async function takesNothing(url: string, { secret }: Endpoint): Promise<void> {
  const body = '{"type":"message.failed"}'
  const post = async (headers: object): Promise<number> => {
    const answer = await fetch(url, { method: 'POST', headers: { ...headers }, body }).catch(() => null)
    return answer?.status ?? 0
  }
  // No answer at all is one of them.
  expect([0, 500]).toContain(await post(signatureHeaders('msg_1', Date.now(), body, [secret])))
  expect(await post({})).toBe(401)
}

/** A repeated call is one file; forged, old and bare ones are 401. */
async function refuses(url: string, { secret, inbox }: Endpoint): Promise<void> {
  const body = '{"type":"message.sent","data":{"metadata":{"name":"Sari – 守"}}}'
  const other = `whsec_${Buffer.from('another secret').toString('base64')}`
  const post = async (headers: Record<string, string>, text = body) =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text }))
      .status
  const signed = (id: string, { at = Date.now(), by = [secret] } = {}) => ({ ...signatureHeaders(id, at, body, by) })
  const without = (name: string) => {
    const { [name]: _, ...rest }: Record<string, string> = signed('msg_bare')
    return rest
  }
  const before = readdirSync(inbox).length
  // As during a rotation: the receiver knows the second secret.
  expect(await post(signed('msg_1', { by: [other, secret] }))).toBe(204)
  expect(await post(signed('msg_1'))).toBe(204)
  expect(readFileSync(join(inbox, 'msg_1.json'), 'utf8')).toBe(body)
  expect(await post(signed('msg_2', { by: [other] }))).toBe(401)
  expect(await post(signed('msg_3', { at: Date.now() - 3_600_000 }))).toBe(401)
  expect(await post(signed('msg_4'), body.replace('Sari', 'Budi'))).toBe(401)
  expect(await post({ ...signed('msg_5'), 'webhook-timestamp': 'today' })).toBe(401)
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    expect(await post(without(name))).toBe(401)
  expect(await post({})).toBe(401)
  expect(readdirSync(inbox)).toHaveLength(before + 1)
}

/** Knocks until somebody listens: these programs say nothing when they are ready. */
async function isListening(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { method: 'POST' }).catch(() => null)
    if (answer !== null) return
    await setTimeout(20)
  }
}
