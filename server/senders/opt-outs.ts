import type { Bus } from '../lib/bus.ts'
import type { Recorder } from '../messages/record.ts'
import { cancelledByOptOut } from '../messages/status.ts'
import {
  isUnwanted,
  type MessageStore,
  type SenderStore,
  type Suppression,
  type SuppressionStore,
} from '../store/index.ts'

export interface OptOutDeps {
  suppressions: SuppressionStore
  messages: MessageStore
  senders: SenderStore
  record: Recorder
  /** Deletes the file of a message. */
  releaseMedia: (messageId: string) => Promise<void>
  bus: Bus
  now: () => number
}

export type OptOuts = ReturnType<typeof createOptOuts>

const PAGE = 200

/** Opt-outs: notes and announces them, and cancels what waits for these people. */
export function createOptOuts({ suppressions, messages, senders, record, releaseMedia, bus, now }: OptOutDeps) {
  const codeOf = (senderId: number | null) => (senderId === null ? null : senders.codeOf(senderId))

  function wake(written: { endpoints: number[] } | undefined): void {
    for (const endpointId of written?.endpoints ?? []) bus.emit('deliveries', { endpointId })
  }

  async function cancelWaiting({ phone, senderId, scope }: Suppression): Promise<void> {
    let before: number | undefined
    for (;;) {
      const waiting = { statuses: ['queued'], recipients: [phone], senderId: senderId ?? undefined } as const
      const rows = await messages.list({ ...waiting, before, limit: PAGE })
      for (const { seq, id, purpose } of rows) {
        if (!isUnwanted(scope, purpose)) continue
        const cancelled = await record.change({ seq }, (message) => cancelledByOptOut(message, now()))
        if (cancelled !== undefined) await releaseMedia(id)
      }
      if (rows.length < PAGE) return
      before = rows.at(-1)?.seq
    }
  }

  return {
    scopeOf: suppressions.scopeOf,
    list: suppressions.list,
    /**
     * Resolves with whether it is news.
     * @param mayNarrow whether who wants nothing may be noted to want no marketing
     */
    async add(suppression: Suppression, mayNarrow = suppression.source === 'owner'): Promise<boolean> {
      const written = await suppressions.put(suppression, codeOf(suppression.senderId), mayNarrow)
      wake(written)
      // Also where it is no news: the last time may have ended in the middle.
      await cancelWaiting(suppression)
      return written !== undefined
    },
    /** Resolves with whether there was one. */
    async remove(
      name: Pick<Suppression, 'phone' | 'senderId'>,
      by: Pick<Suppression, 'source' | 'at'>,
    ): Promise<boolean> {
      const written = await suppressions.remove(name, by, codeOf(name.senderId))
      wake(written)
      return written !== undefined
    },
  }
}
