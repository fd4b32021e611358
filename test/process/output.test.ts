import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { OWNER_TOKEN, SANDBOX } from '../support/app.ts'
import { programFile, SPARSE_ENV } from '../support/built.ts'
import { temporaryFolder } from '../support/folder.ts'

/** The program with outputs that take nothing. */
async function startWith(stdio: [number | 'pipe', number | 'pipe']) {
  const home = join(temporaryFolder(), 'kurir')
  const child: ChildProcess = spawn(process.execPath, [programFile('main')], {
    env: {
      ...SPARSE_ENV,
      KURIR_HOME: home,
      KURIR_PORT: '0',
      KURIR_WEBHOOK_PORT: '0',
      KURIR_OWNER_TOKEN: OWNER_TOKEN,
      KURIR_LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', ...stdio],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const address = join(home, 'address.json')
  const ready = (async () => {
    const folder = watch(join(home, '..'), { recursive: true })
    while (!existsSync(address)) await once(folder, 'change')
    folder.close()
  })()
  await Promise.race([
    ready,
    exited.then(([code]) => {
      throw new Error(`it ended with ${code}`)
    }),
  ])
  const { url } = JSON.parse(readFileSync(address, 'utf8')) as { url: string }
  return {
    child,
    exited,
    async send(): Promise<number> {
      const answer = await fetch(`${url}/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ phone: '6281234567890', message: 'Halo', sender_code: SANDBOX }),
      })
      await answer.arrayBuffer()
      return answer.status
    },
  }
}

/** What a start says until it ends, or until it is ready where it is to stay. */
async function saidBy(home: string, { nodeArgs = [] as string[], stays = false } = {}): Promise<string> {
  const child = spawn(process.execPath, [...nodeArgs, programFile('main')], {
    env: { ...SPARSE_ENV, KURIR_HOME: home, KURIR_PORT: '0', KURIR_WEBHOOK_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await new Promise<void>((resolve) => {
    child.stderr.on('data', () => {
      if (!said.includes('Open its window')) return
      if (stays) resolve()
      else child.kill('SIGTERM')
    })
    child.once('close', () => resolve())
  })
  return said
}

test('a second start names the window of the first', async () => {
  const home = temporaryFolder()
  const first = /http:\S+/.exec(await saidBy(home, { stays: true }))?.[0] ?? ''
  const second = /^Kurir runs already\. Open its window within 10 minutes: (http:\S+)/m.exec(await saidBy(home))
  expect(second?.[1]).toContain(new URL(first).origin)
  expect(second?.[1]).not.toBe(first)
})

test('a start as root says that no root is needed', async () => {
  const asUser = (id: number) =>
    saidBy(temporaryFolder(), { nodeArgs: ['--import', `data:text/javascript,process.getuid=()=>${id}`] })
  expect(await asUser(0)).toContain('Kurir runs as root')
  expect(await asUser(1000)).not.toContain('as root')
})

describe.skipIf(process.platform === 'win32')('output that nobody takes', () => {
  test('on a full disk the program goes on, and ends when it is asked to', async () => {
    const full = openSync('/dev/full', 'w')
    const { child, exited, send } = await startWith([full, full])
    for (let n = 0; n < 10; n += 1) expect(await send()).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  test('a closed pipe does not end it', async () => {
    const { child, exited, send } = await startWith(['pipe', 'pipe'])
    child.stdout?.destroy()
    child.stderr?.destroy()
    for (let n = 0; n < 10; n += 1) expect(await send()).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  test('a pipe that nobody reads does not stop it: what it does not take is lost', async () => {
    const lines = `
      import { createLogOutput } from ${JSON.stringify(join(import.meta.dirname, '../../server/lib/logger.ts'))}
      const output = createLogOutput(1)
      for (let n = 0; n < 20_000; n += 1) output.write('x'.repeat(1_000) + '\\n')
      process.exit(0)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', lines], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
