import { LOW_DISK_BYTES } from '../data-folder/disk.ts'
import type { SenderStates } from '../senders/states.ts'
import type { Store } from '../store/index.ts'

/** Something that does not mend itself: it waits for the owner's hand. */
export type Concern =
  | { kind: 'sender'; problem: 'logged_out' | 'replaced' | 'restricted' | 'disconnected'; code: string; name: string }
  | { kind: 'webhook'; problem: 'disabled' | 'dead'; id: number; host: string; count: number }
  | { kind: 'disk'; problem: 'unwritable' | 'nearly_full' }

export interface ConcernsDeps {
  store: Store
  states: Pick<SenderStates, 'isDown'>
  freeBytes: () => number | null
}

/** Reads what is wrong now, the worst first. */
export function findConcerns({ store, states, freeBytes }: ConcernsDeps): Concern[] {
  return [...diskConcerns(store, freeBytes()), ...senderConcerns(store, states), ...webhookConcerns(store)]
}

function diskConcerns(store: Store, free: number | null): Concern[] {
  if (!store.isWritable()) return [{ kind: 'disk', problem: 'unwritable' }]
  return free !== null && free < LOW_DISK_BYTES ? [{ kind: 'disk', problem: 'nearly_full' }] : []
}

function senderConcerns(store: Store, states: ConcernsDeps['states']): Concern[] {
  return store.senders.list().flatMap(({ id, kind, code, state, settings: { name } }): Concern[] => {
    if (kind !== 'linked') return []
    if (state === 'logged_out' || state === 'replaced' || state === 'restricted') {
      return [{ kind: 'sender', problem: state, code, name }]
    }
    const broken = (state === 'offline' || state === 'connecting') && states.isDown(id)
    return broken ? [{ kind: 'sender', problem: 'disconnected', code, name }] : []
  })
}

function webhookConcerns(store: Store): Concern[] {
  const counts = store.deliveries.counts()
  return store.endpoints.list().flatMap(({ id, url, enabled, disabledReason }): Concern[] => {
    const host = URL.parse(url)?.host ?? url
    const dead = counts.find((row) => row.endpointId === id && row.state === 'dead')?.count ?? 0
    if (!enabled)
      return disabledReason === null ? [] : [{ kind: 'webhook', problem: 'disabled', id, host, count: dead }]
    return dead === 0 ? [] : [{ kind: 'webhook', problem: 'dead', id, host, count: dead }]
  })
}
