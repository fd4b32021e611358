import { expect, onTestFinished, test } from 'vitest'
import { PAGE_TOKEN_HEADER } from '../../server/contract/page-token.ts'
import { OWNER_TOKEN, SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasNginx, startNginx } from '../support/nginx.ts'
import { codeOf } from '../support/session.ts'

const portOf = (url: string) => Number(new URL(url).port)

/** Three nodes behind nginx, as the Compose file has them. */
async function balanced(names = ['node1', 'node2', 'node3']) {
  const url = await databaseOf(temporaryFolder())
  const nodes: TestApp[] = []
  for (const name of names) nodes.push(await startApp({ env: { KURIR_DATABASE_URL: url, KURIR_NODE: name } }))
  const nginx = await startNginx(
    nodes.map(({ app }) => ({ api: portOf(app.apiUrl()), webhook: portOf(app.webhookUrl()) })),
  )
  onTestFinished(nginx.close)
  const [first] = nodes
  return { nodes, nginx, first: first ?? expect.unreachable() }
}

test.skipIf(!hasNginx())('a load balancer passes no message over while a node is stopped', async () => {
  const { nginx, first } = await balanced()
  const key = await first.key()
  const send = (reference_id: string) =>
    nginx.ask('/send', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ sender_code: SANDBOX, phone: '6281234567890', message: 'a', reference_id }),
    })
  // Every node knows the key by then.
  await expect
    .poll(async () => (await Promise.all(['a', 'b', 'c'].map(send))).map(({ status }) => status))
    .toEqual([200, 200, 200])
  const closed = first.close()
  const statuses: number[] = []
  for (let n = 0; n < 30; n += 1) statuses.push((await send(String(n))).status)
  await closed
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test.skipIf(!hasNginx())('the window and Meta reach the nodes through it', async () => {
  const { nginx, first } = await balanced()
  const asOwner = { authorization: `Bearer ${OWNER_TOKEN}` }
  const events = () => nginx.ask('/api/events', { headers: asOwner })
  expect((await events()).status, 'from elsewhere, unless the owner allows it').toBe(403)
  await first.owner('/api/settings', { method: 'PATCH', body: { remote_administration: true } })
  await expect.poll(async () => (await events()).status).toBe(200)
  const stream = (await events()).body?.getReader()
  expect(new TextDecoder().decode((await stream?.read())?.value), 'at once').toMatch(/^id: /m)
  await stream?.cancel()

  const unsigned = await fetch(`${nginx.webhookUrl}/waba/webhook`, { method: 'POST', body: '{}' })
  const direct = await fetch(first.app.webhookUrl(), { method: 'POST', body: '{}' })
  expect([unsigned.status, await unsigned.text()]).toEqual([direct.status, await direct.text()])
  expect((await fetch(`${nginx.webhookUrl}/health`)).status, 'nothing but the webhook').toBe(404)
})

test.skipIf(!hasNginx())('a browser logs in through it, over TLS', async () => {
  const { nginx, first } = await balanced(['node1'])
  await first.owner('/api/settings', { method: 'PATCH', body: { remote_administration: true } })
  const page = { origin: nginx.apiUrl, 'content-type': 'application/json' }
  const code = codeOf(first.app.newWindowLink().url)
  const opened = await nginx.ask('/api/sessions', { method: 'POST', headers: page, body: JSON.stringify({ code }) })
  const { data } = (await opened.json()) as { data: { page_token: string } }
  const [cookie = ''] = opened.headers.getSetCookie()
  expect([opened.status, cookie]).toEqual([200, expect.stringContaining('Secure')])
  const headers = { ...page, cookie: cookie.split(';')[0] ?? '', [PAGE_TOKEN_HEADER]: data.page_token }
  expect((await nginx.ask('/api/keys', { headers })).status).toBe(200)
  await expect(fetch(`${nginx.apiUrl.replace('https', 'http')}/health`).then(({ status }) => status)).resolves.toBe(400)
})
