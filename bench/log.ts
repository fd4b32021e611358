import { createUuid7 } from '../server/lib/uuid7.ts'
import { openStore } from '../server/store/index.ts'
import { temporaryFolder } from './support/processes.ts'
import { median, ratio, table } from './support/table.ts'

const ROWS = 1_000_000
const BATCH = 2_000
const STATUSES = ['read', 'delivered', 'sent', 'failed'] as const

/**
 * Measures a log of a million messages, half of them templates: accepting at its end relative to
 * its beginning, and the first page of every filter. The pages are in milliseconds because their
 * aim is absolute: 20 ms.
 */
export async function benchLog(): Promise<string> {
  const folder = temporaryFolder()
  let now = Date.UTC(2026, 0, 1)
  const store = await openStore({ home: folder.path, now: () => now })
  const newId = createUuid7(() => now)
  const settings = { name: 'Bench', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
  const { id: senderId } = await store.senders.add({
    code: 'SND-BENCH',
    kind: 'sandbox',
    state: 'connected',
    official: null,
    createdAt: now,
    settings: { ...settings, country_code: null, second_road: null },
  })
  const batches: number[] = []
  for (let from = 0; from < ROWS; from += BATCH) {
    const began = performance.now()
    const rows = Array.from({ length: BATCH }, (_, i) => {
      const n = from + i
      now += 20_000
      const template = n % 2 === 0
      const name = n % 100_000 === 0 ? 'rare_one' : 'invoice_ready'
      return store.messages.accept(
        {
          id: newId(),
          senderId,
          laneId: senderId,
          keyNumber: null,
          channel: template ? 'template' : 'standard',
          recipient: `62812${String(n % 50_000).padStart(7, '0')}`,
          body: template ? null : `Invoice INV-${n} is ready, thank you`,
          file: null,
          filename: null,
          fileSha256: null,
          priority: 'normal',
          purpose: 'transactional',
          template: template ? { name, language: 'id', components: [] } : null,
          referenceId: `INV-${n}`,
          metadata: null,
          unknownMembers: null,
          status: STATUSES[Math.floor(n / 2) % 4] ?? 'read',
          createdAt: now,
          dueAt: now,
          expiresAt: now,
          dueNamed: false,
          endNamed: 'no',
          nextAt: null,
          providerMessageId: null,
          attemptBegins: false,
        },
        { unique: false },
      )
    })
    await Promise.all(rows)
    batches.push(performance.now() - began)
  }
  while (await store.search.step());

  const filters = {
    'newest first': {},
    'API Message Logs (templates)': { channel: 'template' },
    'a number': { recipient: '628120012345' },
    'a reference': { referenceId: 'INV-1234' },
    'a common template': { channel: 'template', templateName: 'invoice_ready' },
    'a rare template': { channel: 'template', templateName: 'rare_one' },
    'failed templates': { channel: 'template', statuses: ['failed'] },
    'a day a year ago': { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 2) },
    'a part of a number': { text: '0012345' },
    'a word of half of all texts': { text: 'invoice' },
    'words of a text': { text: 'invoice INV-99999' },
  } as const
  const rows: string[][] = []
  for (const [name, filter] of Object.entries(filters)) {
    const times: number[] = []
    for (let round = 0; round < 7; round += 1) {
      const began = performance.now()
      await store.messages.list({ ...filter, limit: 50 })
      times.push(performance.now() - began)
    }
    rows.push([name, median(times).toFixed(1), Math.max(...times).toFixed(1)])
  }
  await store.close()
  folder.remove()
  const slowdown = median(batches.slice(-25)) / median(batches.slice(0, 25))
  const accepts = table(
    ['accepting 2,000 messages at once', 'time, ratio'],
    [['after a million, against the first', ratio(slowdown)]],
  )
  return `${accepts}\n\n${table(['of a million messages', 'ms', 'worst of 7'], rows)}`
}

if (import.meta.main) console.log(await benchLog())
