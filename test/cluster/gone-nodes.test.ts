import { expect, test } from 'vitest'
import { findGone } from '../../server/cluster/nodes.ts'
import { HOUR, MINUTE } from '../../server/lib/clock.ts'

test('a node is gone that says nothing for a minute, unless nobody can say anything', async () => {
  const row = {
    ...{ instance: 'a', url: null, version: '1', startedAt: 1, seenAt: 1 },
    ...{ alive: false, senders: 0, takenOver: 0, fenced: 0 },
  }
  const list = async () => [
    { ...row, name: 'this', silentFor: HOUR },
    { ...row, name: 'quiet', silentFor: MINUTE - 1 },
    { ...row, name: 'gone', silentFor: MINUTE },
  ]
  const nodes = { name: 'this', list }
  expect(await findGone(nodes, null, HOUR)).toMatchObject([{ name: 'gone' }])
  expect(await findGone(nodes, 'standby', HOUR)).toEqual([])
  expect(await findGone(nodes, 'full', HOUR)).toEqual([])
  expect(await findGone(nodes, null, MINUTE - 1)).toEqual([])
})
