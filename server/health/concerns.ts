import { LOW_DISK_BYTES } from '../data-folder/disk.ts'
import type { SenderStates } from '../senders/states.ts'
import type { Store } from '../store/index.ts'

/** A problem that needs action by the owner. */
export type Concern =
  | { kind: 'sender'; problem: 'logged_out' | 'replaced' | 'restricted' | 'disconnected'; code: string; name: string }
  | { kind: 'webhook'; problem: 'disabled' | 'dead'; id: number; host: string; count: number }
  | { kind: 'disk'; problem: 'unwritable' | 'nearly_full' }

export interface ConcernsDeps {
  store: {
    senders: Pick<Store['senders'], 'list'>
    endpoints: Pick<Store['endpoints'], 'list'>
    deliveries: Pick<Store['deliveries'], 'counts'>
  } & Pick<Store, 'isWritable'>
  states: Pick<SenderStates, 'isDown'>
  freeBytes: () => number | null
}

/** Reads what is wrong now, the worst first. */
export async function findConcerns({ store, states, freeBytes }: ConcernsDeps): Promise<Concern[]> {
  return [...diskConcerns(store, freeBytes()), ...senderConcerns(store, states), ...(await webhookConcerns(store))]
}

function diskConcerns(store: Pick<ConcernsDeps['store'], 'isWritable'>, free: number | null): Concern[] {
  if (!store.isWritable()) return [{ kind: 'disk', problem: 'unwritable' }]
  return free !== null && free < LOW_DISK_BYTES ? [{ kind: 'disk', problem: 'nearly_full' }] : []
}

function senderConcerns(
  { senders }: Pick<ConcernsDeps['store'], 'senders'>,
  states: ConcernsDeps['states'],
): Concern[] {
  return senders.list().flatMap(({ id, kind, code, state, settings: { name } }): Concern[] => {
    if (kind !== 'linked') return []
    if (state === 'logged_out' || state === 'replaced' || state === 'restricted') {
      return [{ kind: 'sender', problem: state, code, name }]
    }
    const broken = (state === 'offline' || state === 'connecting') && states.isDown(id)
    return broken ? [{ kind: 'sender', problem: 'disconnected', code, name }] : []
  })
}

async function webhookConcerns({
  endpoints,
  deliveries,
}: Pick<ConcernsDeps['store'], 'endpoints' | 'deliveries'>): Promise<Concern[]> {
  const counts = await deliveries.counts()
  return endpoints.list().flatMap(({ id, url, enabled, disabledReason }): Concern[] => {
    const host = URL.parse(url)?.host ?? url
    const dead = counts.find((row) => row.endpointId === id && row.state === 'dead')?.count ?? 0
    if (!enabled)
      return disabledReason === null ? [] : [{ kind: 'webhook', problem: 'disabled', id, host, count: dead }]
    return dead === 0 ? [] : [{ kind: 'webhook', problem: 'dead', id, host, count: dead }]
  })
}
