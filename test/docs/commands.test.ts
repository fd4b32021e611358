import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { programFile } from '../support/built.ts'
import { readBatch } from '../support/cmd-exe.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startHttpServer } from '../support/http-server.ts'
import { type Fence, fencesOf, PAGES, ROOT } from '../support/markdown.ts'
import { hasProgram, run } from '../support/run.ts'
import { samples } from '../support/samples.ts'

const RUN = ['sh', 'bat']
/** Data and programs, which other tests read or run. */
const NOT_COMMANDS = ['', 'text', 'json', 'nginx', 'php', 'javascript', 'python', 'ts']

const fences = PAGES.flatMap(fencesOf)
const runnable = fences.filter(({ language, notRun }) => RUN.includes(language) && notRun === undefined)
const inShell = (page: string): Fence[] => runnable.filter((one) => one.page === page && one.language === 'sh')

test('every command of every page is run here, or says why it is not', () => {
  const silent = fences.filter(({ language, notRun }) => ![...RUN, ...NOT_COMMANDS].includes(language) && !notRun)
  expect(silent).toEqual([])
  const notRun = fences.filter((one) => one.notRun !== undefined)
  console.info(
    [`${runnable.length} blocks of commands are run; these are not:`]
      .concat(notRun.map(({ page, line, notRun: why }) => `  ${page}:${line} ${why}`))
      .join('\n'),
  )
  expect(runnable.length).toBeGreaterThan(8)
})

test('every block of JSON is JSON', () => {
  for (const { page, line, code } of fences.filter(({ language }) => language === 'json')) {
    expect(() => JSON.parse(code), `${page}:${line}`).not.toThrow()
  }
})

const shellPages = [...new Set(runnable.filter(({ language }) => language === 'sh').map(({ page }) => page))]
const windows = process.platform === 'win32'

describe.skipIf(windows)('the commands for a shell in', () => {
  // These two have tests of their own: below, and test/connections/official/guide.test.ts, with a stand-in for Meta.
  const elsewhere = ['docs/install.md', 'docs/official-api.md']
  test.each(shellPages.filter((page) => !elsewhere.includes(page)))('%s', async (page) => {
    const reader = await startReader(startApp)
    const { env, cwd } = computerOf(reader.app)
    const script = inShell(page).map(({ line, code }) => `echo "line ${line}" >&2\n${runnableHere(reader.fill(code))}`)
    const { code, out, err } = await run(['bash', '-euo', 'pipefail', '-c', script.join('\n')], { env, cwd })
    expect(code, `${err}\n${out}`).toBe(0)
    // Fonnte's answers are 200 also where they refuse.
    expect(out).not.toMatch(/"status":\s*false/)
  })
})

test('what a newcomer copies first names no file that he does not have', () => {
  for (const page of ['README.md', 'README.id.md', 'docs/id/pesan-pertama.md', 'docs/clients/README.md'])
    expect(
      inShell(page)
        .map(({ code }) => code)
        .join('\n'),
      page,
    ).not.toContain('.example')
})

const batchFences = runnable.filter(({ language }) => language === 'bat')

test.each(batchFences.map((fence) => [`${fence.page}:${fence.line}`, fence] as const))(
  'the command for cmd.exe in %s is what curl understands',
  async (_where, { code }) => {
    const reader = await startReader(startApp)
    const { app } = reader
    const env = { KURIR_KEY: reader.key, KURIR_URL: app.url }
    const commands = readBatch(reader.fill(code), env)
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands.flatMap(insideBatchFile)) {
      const [program = '', ...args] = command.argv
      expect(program).toMatch(/^curl(\.exe)?$/)
      const { out, err } = await run(['curl', '--silent', '--show-error', ...args], { env: process.env, cwd: ROOT })
      expect(JSON.parse(out), err).toMatchObject({ success: true, data: { status: 'queued' } })
    }
    const messages = (await app.owner<unknown[]>('/messages')).body.data
    expect(messages).toHaveLength(commands.length)
  },
)

/** `folder\file.cmd arguments` is the commands of that file. */
function insideBatchFile({ argv: [program = '', ...args], env }: ReturnType<typeof readBatch>[number]) {
  if (!program.endsWith('.cmd')) return [{ argv: [program, ...args], env }]
  const paths = args.map((arg) => arg.replaceAll('\\', '/'))
  return readBatch(readFileSync(join(ROOT, program.replaceAll('\\', '/')), 'utf8'), env, paths)
}

test.skipIf(windows)(
  'going back as docs/install.md says leaves the older version a database that it opens',
  async () => {
    const home = temporaryFolder()
    const older = await startApp({ home })
    const sender = await older.sender('sandbox', { name: 'From before' })
    await older.close()
    const file = join(home, 'kurir.db')
    // As a newer version leaves it: a copy, and a form that this one does not know.
    const db = new Database(file)
    const version = db.pragma('user_version', { simple: true }) as number
    await db.backup(`${file}.v${version}.bak`)
    db.pragma(`user_version = ${version + 1}`)
    db.close()
    await expect(startApp({ home })).rejects.toThrow('newer version of Kurir')

    const [commands] = inShell('docs/install.md')
    const script = commands?.code.replace('.v1.bak', `.v${version}.bak`) ?? ''
    expect(await run(['sh', '-eu', '-c', script], { env: { ...process.env, KURIR_HOME: home } })).toMatchObject({
      code: 0,
    })
    const back = await startApp({ home })
    expect((await back.owner(`/api/senders/${sender}`)).status).toBe(200)
  },
)

/** What the pages' placeholders stand for: a key, the addresses of Kurir, and a shop with an invoice to fetch. */
async function startReader(start: () => Promise<TestApp>) {
  const shop = await startHttpServer((_req, res) => res.setHeader('content-type', 'application/pdf').end(samples.pdf))
  onTestFinished(shop.close)
  const app = await start()
  const key = await app.key()
  await app.owner('/api/settings', { method: 'PATCH', body: { media_allowed_hosts: ['127.0.0.1'] } })
  return {
    app,
    key,
    fill: (code: string): string =>
      code
        .replaceAll('kurir_g_…', key)
        .replaceAll('http://127.0.0.1:7420', app.url)
        .replaceAll('https://shop.example', shop.url),
  }
}

/** Without the lines of languages that are not installed; test/docs/clients.test.ts names those. */
const runnableHere = (code: string): string =>
  code
    .split('\n')
    .filter((line) => ['php', 'python3', 'java'].every((one) => !line.startsWith(`${one} `) || hasProgram(one)))
    .join('\n')

/** A home folder and a PATH as on a computer where this Kurir runs; curl fails where Kurir refuses. */
function computerOf(app: TestApp) {
  const home = temporaryFolder()
  const bin = join(home, 'bin')
  mkdirSync(bin)
  mkdirSync(join(home, '.local', 'share'), { recursive: true })
  symlinkSync(app.home, join(home, '.local', 'share', 'kurir'))
  for (const name of readdirSync(ROOT)) symlinkSync(join(ROOT, name), join(home, name))
  const program = (name: string, line: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 })
  program('kurir', `"${process.execPath}" "${programFile('cli')}"`)
  program('curl', `${curl()} --silent --show-error --fail-with-body`)
  const env = {
    ...process.env,
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    KURIR_HOME: app.home,
    KURIR_URL: app.url,
  }
  // What runs the tests must not decide how these run.
  const own = Object.entries(env).filter(([name]) => !/^(VITEST|npm_|NODE_)/.test(name))
  return { env: { ...Object.fromEntries(own), LC_ALL: 'C.UTF-8' }, cwd: home }
}

function curl(): string {
  const folder = (process.env.PATH ?? '').split(':').find((one) => existsSync(join(one, 'curl')))
  if (folder === undefined) throw new Error('curl is not installed')
  return join(folder, 'curl')
}
