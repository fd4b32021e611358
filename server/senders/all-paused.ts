import type { Bus } from '../lib/bus.ts'
import type { MetaStore, SenderStore } from '../store/index.ts'

export interface AllPaused {
  isOn(): boolean
  /** Resolves when it is on disk. */
  set(on: boolean): Promise<void>
}

/**
 * The owner's wish that no sender sends, kept over restarts. What was paused one by one stays as it
 * is.
 */
export function createAllPaused(deps: { meta: MetaStore; senders: SenderStore; bus: Bus }): AllPaused {
  const { meta, senders, bus } = deps
  return {
    isOn: () => meta.get('all_paused') === 'true',
    async set(on) {
      await meta.save('all_paused', String(on))
      for (const { id, code } of senders.list()) {
        bus.emit('sender', { code })
        bus.emit('lane', { senderId: id })
      }
    },
  }
}
