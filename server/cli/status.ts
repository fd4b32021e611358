import type { Concern } from '../contract/concerns.ts'
import { type Health, health, type Overview } from '../contract/operation.ts'
import type { SenderView } from '../contract/senders.ts'
import { describeConcern } from '../words/concern-text.ts'
import { en } from '../words/en/index.ts'
import type { Client } from './client.ts'
import { EXIT } from './errors.ts'
import type { Output } from './output.ts'
import { senderTable } from './senders.ts'

/** Prints whether Kurir accepts messages, what needs the owner, and how its senders are. */
export async function showStatus(client: Client, out: Output): Promise<void> {
  const report = health.parse(await (await client.request('/health')).json())
  const { concerns, figures } = await client.call<Overview>('/api/overview')
  const senders = figures === null ? null : await client.call<SenderView[]>('/api/senders')
  await out.print({ ...report.data, concerns, senders }, () => describe(report, concerns, senders))
  if (!report.success) process.exitCode = EXIT.refused
}

function describe({ message, data }: Health, concerns: Concern[], senders: SenderView[] | null): string {
  const counts = [
    ...(data.waiting === null ? [] : [`${data.waiting} waiting`]),
    ...(data.callbacks_pending === null
      ? []
      : [`${data.callbacks_pending} ${data.callbacks_pending === 1 ? 'callback' : 'callbacks'} pending`]),
    ...(data.callbacks_dead ? [`${data.callbacks_dead} given up`] : []),
  ]
  return [
    `${message} ${[`Version ${data.version}`, ...counts].join(', ')}.`,
    ...concernLines(concerns, Date.now()),
    ...(senders === null ? [] : ['', senderTable(senders)]),
  ].join('\n')
}

const LABELS = { urgent: 'Urgent', warning: 'Warning', choice: 'Your choice', note: 'Note' } as const

/** One line for each concern: what happened and what to do. */
export const concernLines = (concerns: readonly Concern[], now: number): string[] =>
  concerns.map((concern) => {
    const { title, advice } = describeConcern(concern, en, now)
    return `${LABELS[concern.weight]}: ${title} ${advice}`
  })
