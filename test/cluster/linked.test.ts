import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/operation.ts'
import { ask } from '../crash/program.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { judge, judgeWriters } from './judge.ts'
import { startCluster } from './world.ts'

const NODES = ['first', 'second', 'third']
const NUMBERS = ['6281111111101', '6281111111102', '6281111111103']

// Of each number in a second; the long run posts at full speed.
const POSTS = 10

test('three nodes send for three linked numbers; one is frozen and one killed, the last is cut from the database', {
  timeout: 600_000,
}, async () => {
  const cluster = await startCluster(await databaseOf(temporaryFolder()))
  onTestFinished(cluster.close)
  for (const name of NODES) await cluster.start(name)
  await cluster.listen('first')
  const codes: string[] = []
  for (const number of NUMBERS) codes.push(await cluster.link('second', number))
  const tills = codes.map((code) => cluster.till(code, 1_000 / POSTS))
  const allGoOn = () => Promise.all(tills.map((till) => till.after(5)))
  await allGoOn()

  const holdersNow = () => Promise.all(codes.map(cluster.holderOf))
  const movesFrom = (...names: string[]) =>
    eventually(async () => (await holdersNow()).every((each) => each !== undefined && !names.includes(each)))

  const [frozen = 'first'] = await holdersNow()
  const [killed = '', last = ''] = NODES.filter((name) => name !== frozen)
  cluster.programOf(frozen).freeze()
  await cluster.kill(killed)
  await movesFrom(frozen, killed)
  await allGoOn()
  cluster.programOf(frozen).thaw()
  await cluster.start(killed)
  await allGoOn()

  cluster.cut(last)
  await movesFrom(last)
  await allGoOn()
  cluster.join(last)
  await allGoOn()

  await Promise.all(tills.map((till) => till.close()))
  await cluster.settled(killed)
  await judge(cluster, 3)
  // The one that was cut off says so with its next renewal.
  await eventually(async () => {
    const nodes = await ask<NodeView[]>(cluster.programOf(killed), '/api/nodes')
    return nodes.length === NODES.length && nodes.every(({ alive }) => alive)
  })
  for (const code of codes) {
    expect(
      await ask(cluster.programOf('first'), `/api/senders/${code}`),
      'nobody else is said to use it',
    ).toMatchObject({
      state: 'connected',
    })
  }
})

test('the judge sees a connection that writes for a number after a later one did', () => {
  const account = '6281111111101'
  expect(() => judgeWriters([1, 2, 1].map((link) => ({ account, link })))).toThrow(/connections that wrote/)
})
