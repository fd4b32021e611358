import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { DroppedOutcome, DroppedTable } from '../../contract/dropped-tables.ts'
import { type ApiError, passes } from '../../contract/errors.ts'
import type { Settings } from '../../contract/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import { startOfDay } from '../../lib/local-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { openLocalFile } from '../../media/local-file.ts'
import type { MessageContext } from '../../messages/context.ts'
import { refuseFile } from '../../messages/files.ts'
import type { DropFolderSettings, DropProblem, DropReason } from './contract.ts'
import type { Found } from './folder.ts'
import type { DropStore } from './store.ts'

export interface DropParts {
  messaging: MessageContext
  tables: {
    take(table: DroppedTable): Promise<DroppedOutcome>
    find(id: string): Promise<{ id: string; plannedAt: number | null } | undefined>
    forgetUnsent(id: string): Promise<boolean>
  }
  home: string
  settings: () => Settings
  clock: Clock
  logger: Logger
}

export interface DropContext extends DropParts {
  drops: DropStore
}

/** Returns one hash of a file's name and content, under which a file is known. */
export const digestOf = (name: string, sha256: string): string =>
  createHash('sha256').update(`${name}\0${sha256}`).digest('hex')

/** @throws Held if `count` more messages would exceed today's limit */
export async function refuseOverLimit(
  { messaging: { now }, drops }: DropContext,
  { daily_limit }: DropFolderSettings,
  count = 1,
): Promise<void> {
  if ((await drops.takenSince(startOfDay(now()))) + count > daily_limit) throw new Held('limit')
}

/** Opens a file for reading; its content may still change. */
export async function openContent(
  { home }: DropContext,
  { name }: Found,
  { folder }: DropFolderSettings,
): Promise<Readable> {
  const address = pathToFileURL(join(folder ?? '', name)).href
  return (await openLocalFile(address, { folders: [folder ?? ''], home }).catch(refuseFile)).content
}

/**
 * Decision on a file. `id`: its row in `drops`, which a refused file may not have yet. `lines`:
 * more sentences for the explanation.
 */
export type Verdict =
  | { to: 'sent'; id: string; refusedRows: string[] }
  | { to: 'failed'; id: string | null; reason: DropReason; lines: string[] }

export const sent = (id: string, refusedRows: string[] = []): Verdict => ({ to: 'sent', id, refusedRows })

export const refuse = (reason: DropReason, id: string | null = null, lines: string[] = []): Verdict => ({
  ...{ to: 'failed', id, reason, lines },
})

/** No file can be accepted for a while; all files stay in the folder. */
export class Held extends Error {
  readonly problem: DropProblem

  constructor(problem: DropProblem) {
    super(problem)
    this.problem = problem
  }
}

/** @throws Held if the error is temporary */
export function waitFor(error: ApiError): void {
  if (error.code === 'sender_not_found') throw new Held('no_sender')
  if (passes(error)) throw new Held('full')
}
