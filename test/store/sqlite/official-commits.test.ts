import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HOUR } from '../../../server/lib/clock.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestClock } from '../../support/clock.ts'
import { commitsIn } from '../../support/commits.ts'
import { newRow } from '../../support/new-message.ts'
import { applied, startOfficial } from '../../support/official.ts'

// What may wait for company waits until something else is committed.
const overrides = { soon: HOUR }

/** Messages of the sender that Meta has accepted: `m-0` is `wamid.0`, and so on. */
async function accepted(app: TestApp, code: string, count: number): Promise<void> {
  const { store } = app.app
  const senderId = store.senders.byCode(code)?.id ?? 0
  const row = (n: number) =>
    newRow({
      id: `m-${n}`,
      senderId,
      channel: 'template',
      status: 'accepted',
      nextAt: null,
      providerMessageId: `wamid.${n}`,
    })
  await Promise.all(Array.from({ length: count }, (_, n) => store.messages.accept(row(n), { unique: false })))
}

const delivered = (n: number) => ({ wamid: `wamid.${n}`, status: 'delivered' }) as const

test('statuses one by one share their commits with the bodies that come after them', async () => {
  const { app, code, meta } = await startOfficial({ overrides })
  const count = 40
  await accepted(app, code, count)
  const before = commitsIn(app.home, 'kurir.db')
  for (let n = 0; n < count; n += 1) {
    expect((await meta.status(delivered(n))).status).toBe(200)
    // More than a commit waits for others: Meta does not call in the same moment again.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  }
  const perStatus = (commitsIn(app.home, 'kurir.db') - before) / count
  expect(perStatus).toBeLessThanOrEqual(1.2)

  while ((await app.app.store.inbox.waiting(1)).length > 0) await app.app.store.probe()
  for (let n = 0; n < count; n += 1) expect((await app.message(`m-${n}`)).status).toBe('delivered')
})

test('a large body waits for nothing', async () => {
  // Nothing else is written while the time stands still.
  const { app, code, meta } = await startOfficial({ overrides, clock: createTestClock() })
  const count = 600
  await accepted(app, code, count)
  await meta.statuses(Array.from({ length: count }, (_, n) => delivered(n)))
  await applied(app)
  expect((await app.message(`m-${count - 1}`)).status).toBe('delivered')
})
