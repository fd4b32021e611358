import type { Store } from '../store/index.ts'

/**
 * Codes of the senders that are paused since data was restored or moved back, also those that were
 * paused before.
 */
export const pausedByReturn = ({ meta }: Store): string[] => (meta.get('paused_by_return') ?? '').split(' ')

export async function forgetPausedByReturn(store: Store, code: string): Promise<void> {
  const all = pausedByReturn(store)
  if (!all.includes(code)) return
  await store.meta.save('paused_by_return', all.filter((other) => other !== code).join(' '))
}
