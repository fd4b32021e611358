import { totalmem } from 'node:os'
import type { Concern } from '../contract/concerns.ts'
import type { Diagnostics } from '../contract/diagnostics.ts'
import type { Settings } from '../contract/settings.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { LogPart, RootLogger } from '../lib/logger.ts'
import { scrub } from '../lib/scrub.ts'
import { shownState } from '../senders/view.ts'
import type { Store } from '../store/index.ts'
import { countConcerns } from './concern-counts.ts'

export interface DiagnosticsDeps {
  store: {
    senders: Store['senders']
    messages: Store['messages']
    endpoints: Store['endpoints']
    deliveries: Store['deliveries']
  } & Store
  allPaused: () => boolean
  settings: () => Settings
  concerns: () => Promise<Concern[]>
  /** Fields of Meta's callbacks that nothing was done about since the start. */
  ignoredFields: () => { field: string; count: number }[]
  freeBytes: () => number | null
  log: Log
  version: string
  /** Milliseconds. */
  uptime: () => number
  clock: Clock
}

type Log = Pick<RootLogger, 'linesAfter'>

/** The newest lines of the log, or those after a position: without secrets, numbers and names. */
export function readLog(log: Log, position?: string): LogPart {
  const part = log.linesAfter(position)
  return { ...part, lines: part.lines.map((line) => scrub(line.trimEnd())) }
}

/** For a person who helps the owner: no secret, no number, no name, no text of a message. */
export async function readDiagnostics(deps: DiagnosticsDeps): Promise<Diagnostics> {
  const { store, clock } = deps
  const { allowed_hosts, cors_origins, media_allowed_hosts, public_webhook_url, file_folders, ...settings } =
    deps.settings()
  return {
    made_at: isoTime(clock.now()),
    version: deps.version,
    uptime_seconds: Math.round(deps.uptime() / 1000),
    runtime: { ...process.versions },
    platform: `${process.platform} ${process.arch}`,
    memory: { total_bytes: totalmem(), used_by_kurir_bytes: process.memoryUsage.rss() },
    disk: { database_bytes: await store.bytes(), free_bytes: deps.freeBytes() },
    database_versions: store.versions(),
    // Host names are private, and folders hold the names of people: report counts only.
    settings: {
      ...settings,
      allowed_hosts: allowed_hosts.length,
      cors_origins: cors_origins.length,
      media_allowed_hosts: media_allowed_hosts.length,
      public_webhook_url: public_webhook_url !== null,
      file_folders: file_folders.length,
    },
    concerns: countConcerns(await deps.concerns(), clock.now()),
    senders: store.senders.list().map((sender) => ({
      sender_code: sender.code,
      kind: sender.kind,
      state: shownState(sender, deps.allPaused()),
      reason: sender.reason,
      since: isoTime(sender.since),
      waiting: store.messages.waiting(sender.id),
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
    meta_fields_ignored: deps.ignoredFields(),
    log: readLog(deps.log).lines,
  }
}
