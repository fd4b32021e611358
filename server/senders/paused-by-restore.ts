import { z } from 'zod'
import type { Store } from '../store/index.ts'

const codes = z.array(z.string())

/** Codes of the senders that are paused since a restore, also those that were paused before. */
export const pausedByRestore = ({ meta }: Store): string[] =>
  codes.parse(JSON.parse(meta.get('paused_by_restore') ?? '[]'))

export async function forgetPausedByRestore(store: Store, code: string): Promise<void> {
  const all = pausedByRestore(store)
  if (!all.includes(code)) return
  await store.meta.save('paused_by_restore', JSON.stringify(all.filter((other) => other !== code)))
}
