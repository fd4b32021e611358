import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../server/store/index.ts'
import { createPool } from '../../server/store/postgres/pool.ts'
import { databaseOf } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { accepted, judgeMessages, startNode } from './node-alone.ts'

test.skipIf(!hasPgBouncer())('a node sends through a pooler that gives it connections of its own', async () => {
  const databaseUrl = await databaseOf(temporaryFolder())
  const pooler = await startPgBouncer(databaseUrl, 'session')
  onTestFinished(pooler.close)
  const node = await startNode(pooler.url)
  const texts = ['one', 'two', 'three']
  for (const text of texts) await accepted(node, text)
  await judgeMessages(node, databaseUrl, texts)
})

test.skipIf(!hasPgBouncer()).each([
  ['the one it got back last', false],
  ['each in turn', true],
])('one that gives each transaction another connection, %s, is refused with what to do', async (_, inTurn) => {
  const pooler = await startPgBouncer(await databaseOf(temporaryFolder()), 'transaction', { inTurn })
  onTestFinished(pooler.close)
  const opened = openStore({ home: temporaryFolder(), databaseUrl: pooler.url, node: 'node', now: Date.now })
  await expect(opened).rejects.toThrow(/gives each transaction another connection.*pool_mode = session/)
})

test('every connection has its limits, which go out after its first words: a pooler would refuse them there', async () => {
  const pool = createPool({ url: await databaseOf(temporaryFolder()), connections: 1, answerWithin: 8_000 })
  onTestFinished(pool.end)
  const limitOf = async (name: string) => (await pool.query(`SHOW ${name}`)).rows[0]?.[name]
  expect(await limitOf('statement_timeout')).toBe('5s')
  expect(await limitOf('idle_in_transaction_session_timeout')).toBe('10s')
})
