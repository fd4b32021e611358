import type { MessageContext } from '../messages/context.ts'
import { cancelledByOptOut } from '../messages/status.ts'
import { isUnwanted, type Suppression } from '../store/index.ts'

const PAGE = 200

/**
 * Notes and announces an opt-out, and cancels what waits for this person. Resolves with whether it
 * is news.
 * @param mayNarrow whether who wants nothing may be noted to want no marketing
 */
export async function addOptOut(
  context: MessageContext,
  suppression: Suppression,
  mayNarrow = suppression.source === 'owner',
): Promise<boolean> {
  const code = codeOf(context, suppression.senderId)
  const written = await context.store.suppressions.put(suppression, code, mayNarrow)
  wake(context, written)
  // Also where it is no news: the last time may have ended in the middle.
  await cancelWaiting(context, suppression)
  return written !== undefined
}

/** Resolves with whether there was one. */
export async function removeOptOut(
  context: MessageContext,
  name: Parameters<MessageContext['store']['suppressions']['remove']>[0],
  by: Parameters<MessageContext['store']['suppressions']['remove']>[1],
): Promise<boolean> {
  const written = await context.store.suppressions.remove(name, by, codeOf(context, name.senderId))
  wake(context, written)
  return written !== undefined
}

const codeOf = ({ store }: MessageContext, senderId: number | null) =>
  senderId === null ? null : store.senders.codeOf(senderId)

function wake({ bus }: MessageContext, endpoints: readonly number[] = []): void {
  for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
}

async function cancelWaiting(
  { store, record, files, now }: MessageContext,
  { phone, senderId, scope }: Suppression,
): Promise<void> {
  let before: number | undefined
  for (;;) {
    const waiting = { statuses: ['queued'], recipients: [phone], senderId: senderId ?? undefined } as const
    const rows = await store.messages.list({ ...waiting, before, limit: PAGE })
    for (const { seq, id, purpose } of rows) {
      if (!isUnwanted(scope, purpose)) continue
      const cancelled = await record.change({ seq }, (message) => cancelledByOptOut(message, now()))
      if (cancelled !== undefined) await files.media.release(id)
    }
    if (rows.length < PAGE) return
    before = rows.at(-1)?.seq
  }
}
