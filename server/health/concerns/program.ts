import type { Concern, ConcernCode } from '../../contract/concerns.ts'
import { isoTimeOrNull } from '../../lib/clock.ts'
import { DAY } from '../../lib/time.ts'
import { BACKUP_IS_OLD, CLOCK_NEWS_FOR, LOW_DISK_BYTES, NODE_NEWS_FOR } from '../thresholds.ts'
import { concern } from './concern.ts'
import type { BackupPlanFacts, ConcernFacts, DropFolderFacts, EndpointFacts, PrinterFacts } from './facts.ts'

/** Concerns about storage, now or soon. Pure. */
export function storageConcerns({ storage, filesWork, freeBytes }: ConcernFacts): Concern[] {
  if (storage !== null) return [concern(storage)]
  const found = filesWork ? [] : [concern('files_unavailable')]
  const isLow = freeBytes !== null && freeBytes < LOW_DISK_BYTES
  return isLow ? [...found, concern('disk_nearly_full', { count: freeBytes, page: '/settings#log' })] : found
}

/** Concerns of the program as a whole. Pure. */
export function programConcerns(facts: ConcernFacts): Concern[] {
  const { now, clockWrongAt, graphVersionEndsAt, update, backupAt } = facts
  const found: Concern[] = []
  const at = (section: string) => ({ page: `/settings#${section}` })
  if (clockWrongAt !== null && now - clockWrongAt < CLOCK_NEWS_FOR)
    found.push(concern('clock_off', { since: clockWrongAt }))
  if (graphVersionEndsAt != null)
    found.push(concern('graph_version_ends', { until: graphVersionEndsAt, ...at('about') }))
  if (facts.ownerPagesOpen) found.push(concern('owner_pages_open', at('network')))
  else if (facts.lanOpen) found.push(concern('lan_open', at('network')))
  if (update !== null) found.push(concern('update_available', { detail: update, ...at('about') }))
  if (facts.backupPlan !== undefined) found.push(...planConcerns(facts.backupPlan, now))
  else if (backupAt === null) found.push(concern('backup_never', at('backup')))
  else if (backupAt !== undefined && now - backupAt > BACKUP_IS_OLD) {
    found.push(concern('backup_old', { since: backupAt, count: Math.floor((now - backupAt) / DAY), ...at('backup') }))
  }
  if (facts.printer !== undefined) found.push(...printerConcerns(facts.printer))
  if (facts.dropFolder !== undefined) found.push(...dropFolderConcerns(facts.dropFolder))
  if (facts.keptForEver) found.push(concern('retention_never', at('log')))
  return found
}

function printerConcerns({ problem, port, troubled, since }: PrinterFacts): Concern[] {
  const page = '/prints'
  const found = troubled === 0 || since === null ? [] : [concern('prints_wait', { count: troubled, since, page })]
  if (problem === null) return found
  const code = problem === 'full' ? 'prints_full' : 'printer_closed'
  return [concern(code, { detail: String(port), page }), ...found]
}

function dropFolderConcerns({ folder, problem, waiting, failed }: DropFolderFacts): Concern[] {
  const page = '/settings#folder'
  const found = failed === 0 ? [] : [concern('drop_files_failed', { count: failed, page })]
  if (problem === null) return found
  if (problem === 'away') return [concern('drop_folder_away', { detail: folder, page }), ...found]
  if (problem === 'limit') return [concern('drop_limit', { count: waiting, page }), ...found]
  return [concern('drop_folder_stopped', { count: waiting > 0 ? waiting : null, detail: problem, page }), ...found]
}

/** Tells of automatic backups: one fault is one concern. */
function planConcerns({ folder, since, failed, isLate }: BackupPlanFacts, now: number): Concern[] {
  const days = Math.floor((now - since) / DAY)
  const parts = { count: days > 0 ? days : null, detail: folder, page: '/settings#backup' }
  // A drive that is put in now and then is no alarm until it is missed.
  if (failed === 'away') return [concern('backup_folder_away', { ...parts, ...(isLate ? {} : { weight: 'note' }) })]
  if (failed !== null) return [concern('backup_failed', { ...parts, detail: failed })]
  return isLate ? [concern('backup_late', parts)] : []
}

/**
 * Nodes that ended without saying so. After a day it is no news: a container never comes back under
 * its name. Pure.
 */
export const nodeConcerns = ({ goneNodes = [] }: ConcernFacts): Concern[] =>
  goneNodes.map(({ name, seenAt, silentFor }) =>
    concern('node_gone', {
      id: `node_gone/${name}`,
      detail: name,
      since: seenAt,
      page: '/nodes',
      ...(silentFor < NODE_NEWS_FOR ? {} : { weight: 'note' }),
    }),
  )

/** Concerns of programs that call and are refused. Pure. */
export const callerConcerns = ({ refusals = [], programs = [] }: ConcernFacts): Concern[] => [
  ...refusals.map(({ id, key, code, times, since }) =>
    concern('calls_refused', {
      id: `calls_refused/${id}`,
      program: key,
      detail: code,
      count: times,
      since,
      page: `/refused-calls?open=${id}`,
    }),
  ),
  ...programs.map(({ name, way, times, since }) =>
    concern(way === 'slip' ? 'program_nearly_right' : 'program_of_another_gateway', {
      id: `program/${name}`,
      detail: name,
      count: times,
      since,
      page: `/?program=${encodeURIComponent(name)}`,
      ...(way === 'none' ? { action: 'what_to_do' } : {}),
    }),
  ),
]

/** One receiver is one concern. */
export function endpointConcerns({
  id,
  host,
  isGone,
  enabled,
  isFailing: fails,
  failingSince: since,
  pending,
  dead,
}: EndpointFacts): Concern[] {
  const of = (code: ConcernCode, count: number, page = `/webhooks?open=${id}`) =>
    concern(code, { id: `${code}/${id}`, webhook_id: String(id), host, count: count > 0 ? count : null, page })
  if (isGone) return [of('endpoint_gone', pending)]
  if (enabled && fails && pending > 0) return [{ ...of('endpoint_failing', pending), since: isoTimeOrNull(since) }]
  return enabled && dead > 0 ? [of('callbacks_dead', dead, '/webhooks?state=dead')] : []
}
