import { createUuid7 } from '../server/lib/uuid7.ts'
import { openStore } from '../server/store/store.ts'
import { temporaryFolder } from './support/processes.ts'
import { median, table } from './support/table.ts'

const ROWS = 1_000_000
const BATCH = 2_000
const STATUSES = ['read', 'delivered', 'sent', 'failed'] as const

/** A log of a million messages, half of them templates: the first page of every filter, in milliseconds. */
export async function benchLog(): Promise<string> {
  const folder = temporaryFolder()
  let now = Date.UTC(2026, 0, 1)
  const store = await openStore(folder.path, () => now)
  const newId = createUuid7(() => now)
  const settings = { name: 'Bench', pacing: { min_seconds: 0, max_seconds: 0 }, daily_cap: null, quiet_hours: null }
  const { id: senderId } = await store.senders.add({
    ...{ code: 'SND-BENCH', kind: 'sandbox', state: 'connected', official: null, createdAt: now },
    settings: { ...settings, country_code: null },
  })
  for (let from = 0; from < ROWS; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, i) => {
      const n = from + i
      now += 20_000
      const template = n % 2 === 0
      return store.messages.accept(
        {
          ...{ id: newId(), senderId, keyNumber: null, channel: template ? 'template' : 'standard', file: null },
          recipient: `62812${String(n % 50_000).padStart(7, '0')}`,
          body: template ? null : `Invoice INV-${n} is ready, thank you`,
          template: template ? '{"name":"t","language":"id","components":[]}' : null,
          templateName: template ? (n % 100_000 === 0 ? 'rare_one' : 'invoice_ready') : null,
          ...{
            referenceId: `INV-${n}`,
            metadata: null,
            status: STATUSES[Math.floor(n / 2) % 4] ?? 'read',
            nextAt: null,
          },
          ...{ createdAt: now, dueAt: now, expiresAt: now },
        },
        false,
      )
    })
    await Promise.all(rows)
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
    'words of a text': { text: 'invoice INV-99999' },
  } as const
  const rows = Object.entries(filters).map(([name, filter]) => {
    const times = Array.from({ length: 7 }, () => {
      const began = performance.now()
      store.list.list({ ...filter, limit: 50 })
      return performance.now() - began
    })
    return [name, median(times).toFixed(1), Math.max(...times).toFixed(1)]
  })
  store.close()
  folder.remove()
  return table(['of a million messages', 'ms', 'worst of 7'], rows)
}

if (import.meta.main) console.log(await benchLog())
