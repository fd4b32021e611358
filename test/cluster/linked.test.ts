import { expect, onTestFinished, test } from 'vitest'
import type { NodeView } from '../../server/contract/nodes.ts'
import { ask } from '../crash/program.ts'
import { databaseOf } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { judge, judgeWriters } from './judge.ts'
import { startCluster } from './world.ts'

const NUMBERS = ['6281111111101', '6281111111102', '6281111111103']

test('three nodes send for three linked numbers; one is frozen, one is cut from the database, one is killed', {
  timeout: 600_000,
}, async () => {
  const cluster = await startCluster(await databaseOf(temporaryFolder()))
  onTestFinished(cluster.close)
  for (const name of ['first', 'second', 'third']) await cluster.start(name)
  await cluster.listen('first')
  const codes: string[] = []
  for (const number of NUMBERS) codes.push(await cluster.link('second', number))
  const tills = codes.map((code) => cluster.till(code))
  const allGoOn = () => Promise.all(tills.map((till) => till.after(5)))
  await allGoOn()

  const holder = async (code: string): Promise<string> => (await cluster.holderOf(code)) ?? ''
  const movesFrom = (name: string) =>
    eventually(async () => {
      const holders = await Promise.all(codes.map(cluster.holderOf))
      return holders.every((each) => each !== undefined && each !== name)
    })

  const frozen = await holder(codes[0] ?? '')
  cluster.programOf(frozen).freeze()
  await movesFrom(frozen)
  await allGoOn()
  cluster.programOf(frozen).thaw()
  await allGoOn()

  const cutOff = await holder(codes[1] ?? '')
  cluster.cut(cutOff)
  await movesFrom(cutOff)
  await allGoOn()
  cluster.join(cutOff)
  await allGoOn()

  const killed = await holder(codes[2] ?? '')
  await cluster.kill(killed)
  await movesFrom(killed)
  await allGoOn()
  await cluster.start(killed)
  await allGoOn()

  await Promise.all(tills.map((till) => till.close()))
  await cluster.settled(killed)
  await judge(cluster, 3)
  const nodes = await ask<NodeView[]>(cluster.programOf(killed), '/api/nodes')
  expect(nodes.map(({ name, alive }) => `${name} ${alive}`)).toEqual(['first true', 'second true', 'third true'])
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
