import type { DeliveryStore, MessageStore, SenderStore } from '../store/index.ts'

export interface CountReads {
  senders: Pick<SenderStore, 'list'>
  messages: Pick<MessageStore, 'waiting'>
  deliveries: Pick<DeliveryStore, 'counts'>
}

/** Messages that wait, over all senders but the sandbox, which counts nowhere. */
export const countWaiting = ({ senders, messages }: Pick<CountReads, 'senders' | 'messages'>): number =>
  senders.list().reduce((sum, { id, kind }) => sum + (kind === 'sandbox' ? 0 : messages.waiting(id)), 0)

/** Callbacks that wait or were given up, over all endpoints. */
export async function countCallbacks(deliveries: CountReads['deliveries']): Promise<{ pending: number; dead: number }> {
  const total = { pending: 0, dead: 0 }
  for (const { state, count } of await deliveries.counts()) total[state] += count
  return total
}
