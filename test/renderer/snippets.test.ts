import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiCall, callOf, SNIPPET_LANGUAGES, snippet } from '../../renderer/model/snippets.ts'
import { cmdArguments } from './support/cmd.ts'
import { messageRow } from './support/rows.ts'

/** What breaks a quotation in one language or another. */
const NASTY = [
  `It's "quoted" and 'single'''`,
  `money $5 $HOME \${HOME} $(id) \`id\` {$x}`,
  'line one\nline two\r\nJSON\n\'@\n"@\n',
  'percent %PATH% %1 100%% !important! ^caret & pipe | < > ( )',
  'emoji 🙏🏽 守 ‘curly’ \u2028 end',
  'back\\slash \\n \\" trailing\\',
  '#{x} <?php ?> */ // -- ; ',
  '@file',
]

const KEY = 'kurir_g_AbC123-_x'
const BODY = {
  sender_code: 'SND-SANDBOX',
  phone: '6281234567890',
  message: NASTY.join(' | '),
  metadata: { ['__proto__']: 'kept', "it's": ['"', null, 1.5, true], '%key%': {} },
}
Object.defineProperty(BODY.metadata, '__proto__', { value: 'kept', enumerable: true })

interface Seen {
  headers: IncomingHttpHeaders
  method: string | undefined
  body: string
}

let url = ''
const seen: Seen[] = []
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (part: string) => {
    body += part
  })
  request.on('end', () => {
    seen.push({ headers: request.headers, method: request.method, body })
    response.end('{"success":true}')
  })
})
const folder = mkdtempSync(join(tmpdir(), 'kurir-snippets-'))

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const call = (): ApiCall => ({ url, body: BODY })

/** Runs a program to its end; the server of this test answers meanwhile. */
function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { PATH: process.env.PATH ?? '', HOME: folder, ...env } })
    let output = ''
    child.stdout.on('data', (part) => {
      output += String(part)
    })
    child.stderr.on('data', (part) => {
      output += String(part)
    })
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** The one call that came, compared letter by letter: what a JSON parser would forgive is seen as well. */
function expectOneCall(output: string): void {
  expect(seen.length, output).toBe(1)
  const [first] = seen.splice(0)
  expect(first?.method).toBe('POST')
  expect(first?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(first?.headers['content-type']).toMatch(/^application\/json/)
  expect(JSON.stringify(JSON.parse(first?.body ?? ''))).toBe(JSON.stringify(BODY))
}

const RUNTIMES = [
  { language: 'curl', program: 'bash', args: (text: string) => ['-c', text] },
  { language: 'php', program: 'php', args: (text: string) => [file('call.php', text)] },
  { language: 'javascript', program: process.execPath, args: (text: string) => [file('call.mjs', text)] },
  { language: 'python', program: 'python3', args: (text: string) => [file('call.py', text)] },
] as const

describe.each(RUNTIMES)('the call in $language, run by $program', ({ language, program, args }) => {
  const missing = spawnSync(program, ['--version']).error !== undefined
  if (missing) console.warn(`${program} is not installed: the call in ${language} is not run.`)

  test.skipIf(missing)('with the key in it', async () => {
    expectOneCall(await run(program, args(snippet(language, call(), KEY))))
  })

  test.skipIf(missing)('with the key in the environment', async () => {
    expectOneCall(await run(program, args(snippet(language, call())), { KURIR_KEY: KEY }))
  })
})

describe('the call for cmd.exe', () => {
  test.each([
    ['with the key in it', KEY],
    ['with the key in the environment', undefined],
  ])('gives curl its arguments as they are meant: %s', async (_, key) => {
    const env = { KURIR_KEY: KEY, PATH: 'C:\\secret', key: 'x' }
    const text = snippet('cmd', call(), key)
    const [program, ...args] = cmdArguments(text, env)
    expect(program).toBe('curl')
    expectOneCall(await run('curl', ['-s', ...args]))
  })

  test('a batch file and delayed expansion find nothing to expand in the texts of the call', () => {
    const body = /-d "(.*)"$/s.exec(snippet('cmd', call(), KEY))?.[1] ?? ''
    expect(body).not.toMatch(/[%!^&|<>()\n\r]/)
    expect([...body].every((character) => character < '\x7f')).toBe(true)
  })
})

describe('the call for PowerShell', () => {
  test('holds its body in a text in which nothing is replaced, and which ends where it should', () => {
    const lines = snippet('powershell', call(), KEY).split('\n')
    const start = lines.indexOf("$body = @'")
    const end = lines.findIndex((line, at) => at > start && line.startsWith("'@"))
    expect(JSON.stringify(JSON.parse(lines.slice(start + 1, end).join('\n')))).toBe(JSON.stringify(BODY))
    const rest = lines.slice(end + 1).join('\n')
    expect(rest).toContain(`-Uri '${url}'`)
    expect(rest).toContain(`"Bearer ${KEY}"`)
    // Windows PowerShell would send a text as Latin-1.
    expect(rest).toContain('[Text.Encoding]::UTF8.GetBytes($body)')
  })
})

test('every language names the variable of the key where none is given', () => {
  for (const language of SNIPPET_LANGUAGES) expect(snippet(language, call()), language).toContain('KURIR_KEY')
})

describe('the call that would make a message again', () => {
  test('a text with its file, reference and metadata', () => {
    const row = messageRow({ file: 'https://x.example/a.pdf', reference_id: 'INV-1', metadata: { a: 1 } })
    expect(callOf(row, 'http://kurir')).toEqual({
      url: 'http://kurir/send',
      body: {
        sender_code: 'SND-1',
        phone: '6281234567890',
        reference_id: 'INV-1',
        metadata: { a: 1 },
        message: 'halo',
        file: 'https://x.example/a.pdf',
      },
    })
  })

  test('a template', () => {
    const template = { name: 'invoice', language: 'id', components: [] }
    expect(callOf(messageRow({ channel: 'template', message: null, template }), 'http://kurir')).toEqual({
      url: 'http://kurir/waba/send-template',
      body: {
        sender_code: 'SND-1',
        phone: '6281234567890',
        template_name: 'invoice',
        language: 'id',
        components: [],
      },
    })
  })
})
