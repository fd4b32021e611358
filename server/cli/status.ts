import { type Health, health } from '../contract/health.ts'
import type { SenderView } from '../contract/senders.ts'
import type { Client } from './client.ts'
import { EXIT } from './errors.ts'
import type { Output } from './output.ts'
import { senderTable } from './senders.ts'

/** Whether Kurir accepts messages, and how its senders are. */
export async function showStatus(client: Client, out: Output): Promise<void> {
  const report = health.parse(await (await client.request('/health')).json())
  const senders = await client.call<SenderView[]>('/api/senders')
  await out.print({ ...report.data, senders }, () => describe(report, senders))
  if (!report.success) process.exitCode = EXIT.refused
}

function describe({ message, data }: Health, senders: SenderView[]): string {
  const dead = data.callbacks_dead === 0 ? '' : `, ${data.callbacks_dead} given up`
  return [
    `${message} Version ${data.version}, ${data.waiting} waiting, ${data.callbacks_pending} callbacks pending${dead}.`,
    ...data.reasons.slice(1),
    ...data.warnings.map((warning) => `Note: ${warning}`),
    '',
    senderTable(senders),
  ].join('\n')
}
