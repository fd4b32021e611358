import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inRoot } from './paths.mjs'

const TOKEN = 'a-token-of-the-measured-walk-0123456789'
const LAST_EVENT = 'message.read'
/** Left out of the result, because V8 collects garbage at unpredictable times. */
const BY_CHANCE = 'lib/heap.ts'

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: [{ startOffset: number; count: number }] }[] }[]
}

/**
 * Lists the files of `server/`, relative to it, in which a function ran only because one sandbox
 * message was sent and reported to a webhook. Runs the built program under V8's coverage twice:
 * with the message and without it.
 */
export async function measureWalk(): Promise<string[]> {
  const without = await functionsThatRan(false)
  const withMessage = await functionsThatRan(true)
  const files = [...withMessage].filter((name) => !without.has(name)).map((name) => name.split(':')[0] ?? '')
  return [...new Set(files)].filter((file) => file !== BY_CHANCE).sort()
}

/** Returns the functions that ran, as `file:name:offset`. */
async function functionsThatRan(sendsMessage: boolean): Promise<Set<string>> {
  const home = mkdtempSync(join(tmpdir(), 'kurir-walk-'))
  const coverage = join(home, 'coverage')
  const program = spawn(process.execPath, [inRoot('dist/server/main.js')], {
    env: {
      PATH: process.env.PATH,
      NODE_V8_COVERAGE: coverage,
      KURIR_HOME: join(home, 'data'),
      KURIR_PORT: '0',
      KURIR_WEBHOOK_PORT: '0',
      KURIR_OWNER_TOKEN: TOKEN,
      KURIR_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(program, 'exit')
  try {
    const url = await addressOf(program.stderr)
    await playMessage(url, sendsMessage)
    program.kill('SIGTERM')
    await ended
    return new Set(readdirSync(coverage).flatMap((file) => functionsIn(join(coverage, file))))
  } finally {
    program.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let said = ''
  for await (const chunk of output) {
    said += String(chunk)
    const address = /http:\/\/127\.0\.0\.1:\d+(?=\/)/.exec(said)?.[0]
    if (address !== undefined) {
      output.resume()
      return address
    }
  }
  throw new Error(`Kurir did not start: ${said}`)
}

/** Creates the key and the webhook in both runs, so that only the message differs. */
async function playMessage(url: string, sendsMessage: boolean): Promise<void> {
  const read = Promise.withResolvers<void>()
  const receiver = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString()
    res.end()
    if ((JSON.parse(body) as { type: string }).type === LAST_EVENT) read.resolve()
  }).listen(0, '127.0.0.1')
  try {
    await once(receiver, 'listening')
    const call = async <D>(path: string, body?: unknown, key = TOKEN): Promise<D> => {
      const answer = await fetch(url + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
      return ((await answer.json()) as { data: D }).data
    }
    const senders = await call<{ sender_code: string; kind: string }[]>('/api/senders')
    const sandbox = senders.find(({ kind }) => kind === 'sandbox')?.sender_code
    const { key } = await call<{ key: string }>('/api/keys', { kind: 'device', name: 'walk', sender_code: sandbox })
    const { port } = receiver.address() as AddressInfo
    await call('/api/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['message.sent', LAST_EVENT] })
    if (!sendsMessage) return
    await call('/send', { phone: '6281234567890', message: 'Hello', reference_id: 'INV-1' }, key)
    await read.promise
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}

function functionsIn(file: string): string[] {
  const folder = `${pathToFileURL(inRoot('dist/server')).href}/`
  const { result } = JSON.parse(readFileSync(file, 'utf8')) as Coverage
  return result
    .filter(({ url }) => url.startsWith(folder))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [whole] }) => whole.count > 0)
        .map(({ functionName, ranges: [whole] }) =>
          [url.slice(folder.length).replace(/\.js$/, '.ts'), functionName, whole.startOffset].join(':'),
        ),
    )
}
