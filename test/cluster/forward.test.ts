import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/operation.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import type { OwnerAct } from '../../server/slices/owner-acts/contract.ts'
import { startProgram } from '../crash/program.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { closeAfter } from '../support/cleanup.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startHttpServer } from '../support/http-server.ts'
import { startRelay } from '../support/relay.ts'
import { openSession } from '../support/session.ts'
import { keyFileIn } from './key-file.ts'

/** Two nodes, each on a port of its own; one of them holds the sandbox. */
async function twoNodes(tokens: [string, string]): Promise<[TestApp, TestApp]> {
  const url = await databaseOf(temporaryFolder())
  const start = async (name: string, token: string) => {
    const port = await freePort()
    const place = { KURIR_PORT: String(port), KURIR_NODE_URL: `http://127.0.0.1:${port}` }
    return startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: name, KURIR_OWNER_TOKEN: token, ...place } })
  }
  return [await start('a', tokens[0]), await start('b', tokens[1])]
}

const pause = async (app: TestApp) => {
  const { headers } = await openSession(app)
  return app.fetch<SenderView>(`/api/senders/${SANDBOX}/pause`, { method: 'POST', headers })
}

test("what a window does with a sender is done by the node that holds it, whichever node's window it is", async () => {
  for (const app of await twoNodes([OWNER_TOKEN, OWNER_TOKEN])) {
    const { status, body } = await pause(app)
    expect([status, body.data?.state], body.message).toEqual([200, 'paused'])
    // It says so of the window, not of the node that passed it on.
    const acts = (await app.owner<OwnerAct[]>('/api/owner-acts')).body.data
    expect(acts[0]).toMatchObject({ act: 'POST /api/senders/{code}/pause', by: 'window', done: true })
  }
})

test('nodes with owner’s tokens that differ say so, and who is not the owner is passed on by none', async () => {
  const answers = []
  for (const app of await twoNodes([OWNER_TOKEN, `other-${OWNER_TOKEN}`])) {
    answers.push(await pause(app))
    const { status } = await app.fetch(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    expect(status).toBe(403)
  }
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body.message).toMatch(/the same KURIR_OWNER_TOKEN/)
})

/** A node that held the sandbox and was killed a moment ago, and another one; what is at its address now. */
async function afterACrash() {
  const folder = temporaryFolder()
  const shared = { KURIR_DATABASE_URL: await databaseOf(folder), KURIR_VAULT_KEY_FILE: keyFileIn(folder) }
  const port = await freePort()
  const dead = await startProgram(join(folder, 'dead'), {
    ...shared,
    KURIR_NODE: 'dead',
    KURIR_OWNER_TOKEN: OWNER_TOKEN,
    KURIR_PORT: String(port),
    KURIR_NODE_URL: `http://127.0.0.1:${port}`,
  })
  onTestFinished(dead.kill)
  const app = await startApp({ env: { ...shared, KURIR_NODE: 'other' } })
  await eventually(async () => {
    const nodes = (await app.owner<NodeView[]>('/api/nodes')).body.data
    return nodes.some(({ name, senders }) => name === 'dead' && senders === 1) && nodes.length === 2
  })
  await dead.kill()
  return { app, port }
}

const rename = { name: 'Toko Melati' }

test('who has the address of a node that was killed gets nothing of use, and its answers are passed on by none', async () => {
  const { app, port } = await afterACrash()
  const got: { line: string; head: string; body: string }[] = []
  const impostor = await startHttpServer(async (req, res) => {
    got.push({
      line: `${req.method} ${req.url}`,
      head: JSON.stringify(req.rawHeaders),
      body: (await buffer(req)).toString(),
    })
    res.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `kurir_session_${port}=x` }).end('<b>Hi</b>')
  }, port)
  closeAfter('test', impostor.close)
  const answers = [
    await app.owner(`/api/senders/${SANDBOX}`),
    await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: rename }),
  ]
  for (const { status, headers, body } of answers) {
    expect([status, body.message]).toEqual([409, expect.stringContaining('is not that node')])
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-frame-options': 'DENY' })
    expect(headers['set-cookie']).toBeUndefined()
  }
  expect(got.map(({ line }) => line)).toEqual(answers.map(() => expect.stringMatching(/^GET \/api\/proof\?nonce=/)))
  expect(JSON.stringify(got)).not.toMatch(new RegExp(`${OWNER_TOKEN}|Melati|authorization`, 'i'))
})

test('who passes on to a living node what one that was killed is asked reaches nothing there', async () => {
  const { app, port } = await afterACrash()
  const relay = await startRelay(Number(new URL(app.url).port), undefined, port)
  const before = app.app.store.senders.byCode(SANDBOX)
  const { status, body } = await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: rename })
  expect([status, body.message]).toEqual([409, expect.stringContaining('is not that node')])
  expect(relay.asked().match(/^[A-Z]+ .* HTTP/gm)).toEqual([expect.stringMatching(/^GET \/api\/proof\?/)])
  expect(app.app.store.senders.byCode(SANDBOX)).toEqual(before)
})

test('a node that nobody reaches is answered for in JSON', async () => {
  const { app } = await afterACrash()
  const answer = await app.owner(`/api/senders/${SANDBOX}`, { method: 'PATCH', body: rename })
  expect([answer.status, answer.body.error?.code]).toEqual([409, 'conflict'])
  expect(answer.body.message).toContain('did not answer')
})

test('a node knows the name by which the others call it', async () => {
  const app = await startApp({
    env: {
      KURIR_DATABASE_URL: await databaseOf(temporaryFolder()),
      KURIR_NODE: 'a',
      KURIR_NODE_URL: 'http://node-a.internal:7420',
    },
  })
  const statusFor = async (host: string) => (await app.fetch('/health', { headers: { host } })).status
  expect(await statusFor('node-a.internal:7420')).toBe(200)
  expect([await statusFor('node-a.internal:7421'), await statusFor('node-b.internal:7420')]).toEqual([403, 403])
})
