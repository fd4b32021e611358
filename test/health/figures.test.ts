import { expect, test } from 'vitest'
import type { Overview } from '../../server/contract/operation.ts'
import type { CustomerView, SummaryView } from '../../server/contract/summary.ts'
import { localDay } from '../../server/lib/local-time.ts'
import type { TestApp } from '../support/app.ts'
import { applied, sendTemplate, startOfficial } from '../support/official.ts'
import { CUSTOMER, startShop } from '../support/shop.ts'

/** The last day of Home's chart, and the sums of the other places that count messages, which have to say the same. */
async function figures(app: TestApp, customer: string) {
  const { figures: shown } = (await app.owner<Overview>('/api/overview')).body.data
  const { day = '', ...chart } = shown?.days.at(-1) ?? {}
  const month = (await app.owner<SummaryView>(`/api/summary?month=${day.slice(0, 7)}`)).body.data
  const { counts } = (await app.owner<CustomerView>(`/api/customers/${customer}`)).body.data
  const table = (await app.owner('/api/messages/export.csv?sandbox=without')).text.trim().split('\r\n').slice(1)
  const inTable = (status: string) => table.filter((line) => line.split(',').includes(status)).length
  expect(day).toBe(localDay(Date.now()))
  expect(counts).toEqual(month.counts)
  for (const status of ['accepted', 'sent', 'delivered', 'read', 'failed'] as const) {
    expect(inTable(status), status).toBe(counts[status] ?? 0)
  }
  const arrived = (counts.sent ?? 0) + (counts.delivered ?? 0) + (counts.read ?? 0)
  expect(chart).toEqual({
    sent: arrived,
    delivered: (counts.delivered ?? 0) + (counts.read ?? 0),
    read: counts.read ?? 0,
    failed: counts.failed ?? 0,
  })
  expect(shown?.today).toMatchObject({ sent: arrived, failed: counts.failed ?? 0 })
  return chart
}

test('what Meta reports as delivered or read without more has been sent, in every figure', async () => {
  const { app, meta } = await startOfficial()
  const send = async () => (await sendTemplate(app)).body.data as { id: string; messageId: string }
  const [delivered, read, failed, late] = [await send(), await send(), await send(), await send(), await send()]
  if (delivered === undefined || read === undefined || failed === undefined || late === undefined) return
  // A day counts what happened on it as Meta says.
  const report = (wamid: string, status: string) => meta.status({ wamid, status, at: Date.now() })
  await report(delivered.messageId, 'delivered')
  await report(read.messageId, 'read')
  for (const status of ['sent', 'failed']) await report(failed.messageId, status)
  for (const status of ['sent', 'failed', 'delivered']) await report(late.messageId, status)
  await applied(app)
  expect(await figures(app, '6281234567890')).toEqual({ sent: 3, delivered: 3, read: 1, failed: 1 })
})

test('what a phone reports before WhatsApp has acknowledged it has been sent, in every figure', async () => {
  const shop = await startShop()
  await shop.link()
  shop.peer.faults.acknowledge('lost', { next: 1 })
  await shop.app.reached(await shop.send({}), 'read')
  const plain = await shop.send({ message: 'lagi' })
  await shop.app.reached(plain, 'read')
  expect(await figures(shop.app, CUSTOMER)).toEqual({ sent: 2, delivered: 2, read: 2, failed: 0 })
})
