import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Health } from '../../server/contract/operation.ts'
import { openStore } from '../../server/store/index.ts'
import { ask, OWNER_TOKEN, type Program, startProgram } from '../crash/program.ts'
import { startCutWire } from '../support/cut-wire.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { keyFileIn } from './key-file.ts'

/** A wire to a database, for this test, and the address that leads through it. */
export async function startWireTo(databaseUrl: string) {
  const through = new URL(databaseUrl)
  const wire = await startCutWire(Number(through.port))
  onTestFinished(wire.close)
  through.port = String(wire.port)
  return { wire, url: through.href }
}

/** A node on a server of this test alone. */
export async function startNode(url: string): Promise<Program> {
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
export async function post(
  program: Program,
  text: string,
): Promise<{ status: number; body: { message: string; data: unknown } }> {
  const answer = await fetch(`${program.url}/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER_TOKEN}`,
      'content-type': 'application/json',
      connection: 'close',
      'idempotency-key': text.slice(0, 50),
    },
    body: JSON.stringify({ sender_code: 'SND-SANDBOX', phone: '6281234567890', message: text }),
  })
  return { status: answer.status, body: (await answer.json()) as { message: string; data: unknown } }
}

export async function accepted(program: Program, text: string): Promise<void> {
  await eventually(async () => (await post(program, text)).status === 200)
}

/** What `/health` says of the database while messages cannot be stored. */
export async function concernsOf(node: Program): Promise<string[]> {
  const answer = await fetch(`${node.url}/health`, { headers: { connection: 'close' } })
  const { data } = (await answer.json()) as Health
  expect(answer.status).toBe(503)
  return data.concerns.map(({ code }) => code).filter((code) => code.startsWith('storage_'))
}

/** Every message is in the database once, and was sent. */
export async function judgeMessages(program: Program, url: string, texts: readonly string[]): Promise<void> {
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
