import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { matching } from '../../../server/store/sqlite/search.ts'
import { SANDBOX, startApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'

test('the index is asked for the words of one sender alone', async () => {
  const app = await startApp({ clock: createTestClock() })
  const { store } = app.app
  const other = await app.sender('linked')
  const senderId = store.senders.byCode(other)?.id ?? 0
  const body = { phone: '6281234567890', message: 'Tagihan' }
  for (let i = 0; i < 30; i += 1) await app.owner('/send', { body: { ...body, sender_code: SANDBOX } })
  await app.owner('/send', { body: { ...body, sender_code: other } })
  while (await store.search.step());

  const reader = new Database(join(app.home, 'kurir.db'), { readonly: true })
  const inIndex = reader.prepare<[string], { rowid: number }>(
    'SELECT rowid FROM messages_words WHERE messages_words MATCH ?',
  )
  const [ofAll, ofOne] = [undefined, senderId].map((id) => inIndex.all(matching(['tagi'], id)))
  reader.close()
  expect(ofAll).toHaveLength(31)
  expect(ofOne).toEqual([{ rowid: 31 }])
})
