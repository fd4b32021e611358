import { expect, onTestFinished, test } from 'vitest'
import { startCutWire } from '../support/cut-wire.ts'
import { eventually } from '../support/eventually.ts'
import { canFollow, startPostgres } from '../support/postgres-server.ts'
import { accepted, concernsOf, judgeMessages, post, startNode } from './node-alone.ts'

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
  expect(await concernsOf(node)).toEqual(['storage_server_away'])
  await server.start()
  for (const text of ['meanwhile', 'after']) await accepted(node, text)

  // Some packages have the server alone, and nothing that copies it.
  if (!canFollow()) return judgeMessages(node, server.url, ['before', 'meanwhile', 'after'])
  const follower = await server.follow()
  onTestFinished(follower.close)
  await accepted(node, 'on both')
  await server.stop('immediate')
  wire.lead(follower.port)
  // It answers questions, and takes nothing yet.
  await eventually(async () => /it is a standby/.test((await post(node, 'promoted')).body.message))
  await eventually(async () => (await concernsOf(node)).join() === 'storage_server_refuses')
  await follower.promote()
  await accepted(node, 'promoted')
  const promoted = new URL(server.url)
  promoted.port = String(follower.port)
  await judgeMessages(node, promoted.href, ['before', 'meanwhile', 'after', 'on both', 'promoted'])
})
