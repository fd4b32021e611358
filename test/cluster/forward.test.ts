import { expect, test } from 'vitest'
import type { SenderView } from '../../server/contract/senders.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/postgres-server.ts'
import { openSession } from '../support/session.ts'

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
