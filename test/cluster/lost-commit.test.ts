import { expect, test } from 'vitest'
import { StorageError } from '../../server/lib/storage-error.ts'
import type { Connection, Pool } from '../../server/store/postgres/pool.ts'
import { createTransactions } from '../../server/store/postgres/transactions.ts'

const BEGUN_ON = '00000001'

/** A server that is lost while it commits. What it says of the transaction afterwards, one answer for each question. */
function writesWith(answers: { timeline: string | null; status: string | null }[]) {
  const rows = (...all: object[]) => ({ rows: all, rowCount: all.length })
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const connection = {
    async query(asked: string | { name: string }) {
      if (asked === 'COMMIT') throw lost
      return typeof asked === 'string' ? rows() : rows({ id: '7', timeline: BEGUN_ON })
    },
    release: () => undefined,
  }
  const pool = {
    connect: async () => connection as unknown as Connection,
    query: async () => rows(answers.shift() ?? {}),
    end: async () => undefined,
  } as unknown as Pool
  const fenced = () => new StorageError('not_holder', 'db.example')
  return createTransactions({ pool, place: 'db.example', fenced, beforeCommit: () => [] })
}

test('a commit whose answer was lost is asked for until the server knows', async () => {
  const { write } = writesWith([
    { timeline: null, status: null },
    { timeline: BEGUN_ON, status: 'in progress' },
    { timeline: BEGUN_ON, status: 'committed' },
  ])
  expect(await write(() => 'written')).toBe('written')
  const aborted = writesWith([{ timeline: BEGUN_ON, status: 'aborted' }])
  await expect(aborted.write(() => 'written')).rejects.toThrow(/does not answer/)
})

test('a standby that has taken over is not believed: it gives the number to another transaction', async () => {
  const { write, problem } = writesWith([{ timeline: '00000002', status: null }])
  await expect(write(() => 'written')).rejects.toThrow(/does not say whether it is written/)
  expect(problem()).toBe('in_doubt')
})
