import type { Concern } from '../../contract/concerns.ts'
import { concern } from '../../health/concerns/concern.ts'

export interface DropFolderFacts {
  folder: string
  /** Why files wait in it. */
  problem: 'away' | 'not_writable' | 'no_sender' | 'limit' | 'full' | 'tables_full' | 'stuck' | null
  waiting: number
  /** Files that were not sent, and lie there still. */
  failed: number
}

/** Concerns of the drop folder. Pure. */
export function dropFolderConcerns({ folder, problem, waiting, failed }: DropFolderFacts): Concern[] {
  const page = '/settings#folder'
  const found = failed === 0 ? [] : [concern('drop_files_failed', { count: failed, page })]
  if (problem === null) return found
  if (problem === 'away') return [concern('drop_folder_away', { detail: folder, page }), ...found]
  if (problem === 'limit') return [concern('drop_limit', { count: waiting, page }), ...found]
  return [concern('drop_folder_stopped', { count: waiting > 0 ? waiting : null, detail: problem, page }), ...found]
}
