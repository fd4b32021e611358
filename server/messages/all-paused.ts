import type { Store } from '../store/index.ts'
import type { AcceptContext } from './context.ts'

/** True while the owner wants no sender to send. It is kept over restarts. */
export const areAllPaused = ({ meta }: Store): boolean => meta.get('all_paused') === 'true'

/** Resolves when it is on disk. What was paused one by one stays as it is. */
export async function setAllPaused({ store, bus }: AcceptContext, on: boolean): Promise<void> {
  await store.meta.save('all_paused', String(on))
  for (const { id, code } of store.senders.list()) {
    bus.emit('sender', { code })
    bus.emit('lane', { senderId: id })
  }
}
