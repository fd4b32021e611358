import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { ask, OWNER_TOKEN, type Program, startProgram } from '../crash/program.ts'
import { startCutWire } from '../support/cut-wire.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { keyFileIn } from './key-file.ts'

/** A node on a server of this test alone. */
async function startNode(url: string): Promise<Program> {
  const home = temporaryFolder()
  const program = await startProgram(join(home, 'node'), {
    KURIR_DATABASE_URL: url,
    KURIR_VAULT_KEY_FILE: keyFileIn(home),
    KURIR_NODE: 'node',
    KURIR_LOG_LEVEL: 'silent',
  })
  onTestFinished(program.kill)
  return program
}

/** One attempt to have a message accepted, as a program on the LAN makes it. */
async function post(
  program: Program,
  text: string,
): Promise<{ status: number; body: { message: string; data: unknown } }> {
  const answer = await fetch(`${program.url}/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json', 'idempotency-key': text },
    body: JSON.stringify({ sender_code: 'SND-SANDBOX', phone: '6281234567890', message: text }),
  })
  return { status: answer.status, body: (await answer.json()) as { message: string; data: unknown } }
}

async function accepted(program: Program, text: string): Promise<void> {
  await eventually(async () => (await post(program, text)).status === 200)
}

/** Every message is in the database once, and was sent. */
async function judgeMessages(program: Program, url: string, texts: readonly string[]): Promise<void> {
  await eventually(async () => {
    const open = await ask<unknown[]>(program, '/messages?status=queued,sending,sent,delivered&limit=1')
    return open.length === 0
  })
  const home = join(temporaryFolder(), 'judge')
  mkdirSync(home)
  const store = await openStore({ home, databaseUrl: url, node: 'judge', now: Date.now })
  onTestFinished(store.close)
  const rows = await store.messages.after(0, 1_000)
  expect(rows.map(({ body, status }) => `${body} ${status}`)).toEqual(texts.map((text) => `${text} read`))
}

test('the server is gone and comes back, then a standby takes over: what was answered with 200 is there, and all goes on', {
  timeout: 300_000,
}, async () => {
  const server = await startPostgres({ wal_level: 'replica', max_wal_senders: '4' })
  onTestFinished(server.close)
  const wire = await startCutWire(Number(new URL(server.url).port))
  onTestFinished(wire.close)
  const url = new URL(server.url)
  url.port = String(wire.port)
  const node = await startNode(url.href)
  await accepted(node, 'before')

  await server.stop('immediate')
  const refused = await post(node, 'meanwhile')
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'storage_unavailable' } } })
  expect(refused.body.message).toMatch(/The database server does not answer.*Nothing was accepted/)
  const health = await fetch(`${node.url}/health`)
  expect(health.status).toBe(503)
  await server.start()
  for (const text of ['meanwhile', 'after']) await accepted(node, text)

  const follower = await server.follow()
  onTestFinished(follower.close)
  await accepted(node, 'on both')
  await server.stop('immediate')
  wire.lead(follower.port)
  // It answers questions, and takes nothing yet.
  await eventually(async () => /it is a standby/.test((await post(node, 'promoted')).body.message))
  await follower.promote()
  await accepted(node, 'promoted')
  const promoted = new URL(server.url)
  promoted.port = String(follower.port)
  await judgeMessages(node, promoted.href, ['before', 'meanwhile', 'after', 'on both', 'promoted'])
})
