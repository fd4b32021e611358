import { totalmem } from 'node:os'
import type { Diagnostics } from '../contract/diagnostics.ts'
import { isoTime } from '../lib/clock.ts'
import type { LogPart } from '../lib/logger.ts'
import { scrub } from '../lib/scrub.ts'
import { areAllPaused } from '../messages/all-paused.ts'
import { shownState } from '../senders/view.ts'
import type { HealthContext } from './context.ts'
import { countConcerns, readConcerns } from './overview.ts'

/** The newest lines of the log, or those after a position: without secrets, numbers and names. */
export function readLog({ logger }: HealthContext, position?: string): LogPart {
  const part = logger.linesAfter(position)
  return { ...part, lines: part.lines.map((line) => scrub(line.trimEnd())) }
}

/** For a person who helps the owner: no secret, no number, no name, no text of a message. */
export async function readDiagnostics(context: HealthContext): Promise<Diagnostics> {
  const { store, run, official, clock } = context
  const { allowed_hosts, cors_origins, media_allowed_hosts, public_webhook_url, file_folders, ...settings } =
    context.settings()
  const { versions, bytes } = await store.about()
  return {
    made_at: isoTime(clock.now()),
    version: run.version,
    uptime_seconds: Math.round(run.uptime() / 1000),
    runtime: { ...process.versions },
    platform: `${process.platform} ${process.arch}`,
    memory: { total_bytes: totalmem(), used_by_kurir_bytes: process.memoryUsage.rss() },
    disk: { database_bytes: bytes, free_bytes: run.freeBytes() },
    database_versions: versions,
    // Host names are private, and folders hold the names of people: report counts only.
    settings: {
      ...settings,
      allowed_hosts: allowed_hosts.length,
      cors_origins: cors_origins.length,
      media_allowed_hosts: media_allowed_hosts.length,
      public_webhook_url: public_webhook_url !== null,
      file_folders: file_folders.length,
    },
    concerns: countConcerns(await readConcerns(context), clock.now()),
    senders: store.senders.list().map((sender) => ({
      sender_code: sender.code,
      kind: sender.kind,
      state: shownState(sender, areAllPaused(store)),
      reason: sender.reason,
      since: isoTime(sender.since),
      waiting: store.queues.waiting(sender.id),
    })),
    webhooks: store.endpoints.list().map(({ id, enabled, disabledReason, lastError }) => ({
      webhook_id: String(id),
      enabled,
      disabled_reason: disabledReason,
      last_error: lastError === null ? null : scrub(lastError),
    })),
    callbacks: (await store.deliveries.counts()).map(({ endpointId, state, count }) => ({
      webhook_id: String(endpointId),
      state,
      count,
    })),
    meta_fields_ignored: official.ignoredFields(),
    log: readLog(context).lines,
  }
}
