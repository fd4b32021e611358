import { createHash } from 'node:crypto'
import { z } from 'zod'
import { providerError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { SECOND } from '../../lib/time.ts'
import type { Recorder } from '../../messages/record.ts'
import type { InboxRow, InboxStore, Message, MessageStore, OfficialFactsStore } from '../../store/index.ts'
import type { OfficialAccount } from './accounts.ts'
import { readCallback } from './callback.ts'
import { deliveryFailure } from './errors.ts'
import type { StatusUpdate, TemplateUpdate, Update } from './updates.ts'

// Read and applied at once; a body of Meta's may have 3 MiB.
const ROUND_BYTES = 256 * 1024
// Changes in one commit: more would hold up everything else on this PC's event loop.
const AT_ONCE = 250
const AGAIN_AFTER = 5 * SECOND

/** The order in which statuses of one message are applied; a failure last, because a delivery outweighs it. */
const ORDER = ['sent', 'delivered', 'read', 'failed'] as const

/** What is kept of a status that comes before the id of its message is known. */
const earlyUpdate = z.object({
  providerMessageId: z.string(),
  status: z.enum(ORDER),
  occurredAt: z.number().nullable(),
  pricing: z.object({ category: z.string().nullable() }).nullish(),
  /** What version 0.1.0 kept in place of `pricing`. */
  pricingCategory: z.string().nullish(),
  errors: z.array(providerError),
})
type EarlyUpdate = z.infer<typeof earlyUpdate>

export interface InboxDeps {
  inbox: InboxStore
  messages: Pick<MessageStore, 'find'>
  facts: Pick<OfficialFactsStore, 'save'>
  record: Recorder
  accounts: () => OfficialAccount[]
  onTemplate: (account: OfficialAccount, update: TemplateUpdate) => Promise<void>
  clock: Clock
  logger: Logger
}

export type MetaInbox = ReturnType<typeof createMetaInbox>

/** An update of a stored body, with the senders whose app secret signed it. */
interface Received {
  update: Update
  signers: OfficialAccount[]
  receivedAt: number
}

/** Meta's callbacks: on disk before Meta hears 200, applied afterwards in their order, also after a crash. */
export function createMetaInbox(deps: InboxDeps) {
  const { inbox, messages, record, clock, logger } = deps
  let dirty = false
  let stopped = false
  let running: Promise<void> | undefined
  let cancelRetry = () => {}

  async function report({ seq }: Message, update: EarlyUpdate, receivedAt: number): Promise<void> {
    const pricingCategory = update.pricing?.category ?? update.pricingCategory
    await record.report(
      { seq },
      {
        status: update.status,
        at: update.occurredAt ?? receivedAt,
        error: update.status === 'failed' ? deliveryFailure(update.errors) : null,
        providerMessageId: update.providerMessageId,
        ...(pricingCategory ? { pricingCategory } : {}),
      },
    )
  }

  /** By Meta's id; by ours, which Meta gives back, while Meta's answer is not there or never came. */
  async function find(senderId: number, update: StatusUpdate): Promise<Message | undefined> {
    const { providerMessageId, callbackData } = update
    const known = await messages.find({ providerMessageId, senderId })
    if (known !== undefined || callbackData === null) return known
    const ours = await messages.find({ id: callbackData })
    const fits = ours?.senderId === senderId && ours.channel === 'template' && ours.providerMessageId === null
    return fits ? ours : undefined
  }

  async function applyStatus(update: StatusUpdate, accounts: OfficialAccount[], receivedAt: number): Promise<void> {
    const { providerMessageId, status } = update
    for (const { senderId } of accounts) {
      const message = await find(senderId, update)
      if (message !== undefined) return report(message, update, receivedAt)
    }
    for (const { senderId } of accounts) {
      const early = { senderId, providerMessageId, status, update: earlyUpdate.parse(update), receivedAt }
      const kept = await inbox.keepEarly(early)
      const message = kept ? undefined : await messages.find({ providerMessageId, senderId })
      if (message !== undefined) return report(message, update, receivedAt)
    }
  }

  async function apply({ update, signers, receivedAt }: Received): Promise<void> {
    if (update.kind === 'status') {
      const named = signers.filter((account) => account.phoneNumberId === update.phoneNumberId)
      await applyStatus(update, named, receivedAt)
    } else if (update.kind === 'template') {
      for (const account of signers) if (account.wabaId === update.wabaId) await deps.onTemplate(account, update)
    }
  }

  /** What belongs to one message or template is applied in its order. */
  async function applyInOrder(group: Received[]): Promise<void> {
    for (const received of group) {
      try {
        await apply(received)
      } catch (error) {
        // What a disk refuses is tried again; what cannot be applied at all must not hold up what comes after it.
        if (error instanceof StorageError) throw error
        logger.error({ err: error }, "an update of Meta's could not be applied")
      }
    }
  }

  async function applyRows(rows: InboxRow[]): Promise<void> {
    const accounts = deps.accounts()
    const all = rows.flatMap(({ senderIds, body, receivedAt }) => {
      const signers = accounts.filter(({ senderId }) => senderIds.includes(senderId))
      return (readCallback(body)?.updates ?? []).map((update) => ({ update, signers, receivedAt }))
    })
    const heard = [...lastStatuses(all)].map(([senderId, lastStatusAt]) => deps.facts.save(senderId, { lastStatusAt }))
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const groups = Map.groupBy(all.slice(at, at + AT_ONCE), ({ update }) => subjectOf(update))
      const results = await Promise.allSettled([...heard.splice(0), ...[...groups.values()].map(applyInOrder)])
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
    await inbox.applied(
      rows.map(({ seq }) => seq),
      clock.now(),
    )
  }

  async function settleEarly(senderId: number, providerMessageId: string): Promise<void> {
    const kept = await inbox.early(senderId, providerMessageId)
    const message = kept.length === 0 ? undefined : await messages.find({ providerMessageId, senderId })
    if (message === undefined) return
    const early = kept.map(({ update, receivedAt }) => ({ update: earlyUpdate.parse(update), receivedAt }))
    early.sort((a, b) => ORDER.indexOf(a.update.status) - ORDER.indexOf(b.update.status))
    for (const { update, receivedAt } of early) await report(message, update, receivedAt)
    await inbox.dropEarly(senderId, providerMessageId)
  }

  async function run(): Promise<void> {
    try {
      while (dirty && !stopped) {
        dirty = false
        const rows = await inbox.waiting(ROUND_BYTES)
        if (rows.length === 0) continue
        await applyRows(rows)
        dirty = true
      }
    } catch (error) {
      logger.error({ err: error }, "Meta's callbacks are kept and will be applied later")
      cancelRetry()
      if (!stopped) cancelRetry = clock.after(AGAIN_AFTER, wake)
    } finally {
      running = undefined
    }
  }

  function wake(): void {
    dirty = true
    running ??= Promise.resolve().then(run)
  }

  return {
    settleEarly,
    /**
     * Keeps a body whose signature was checked. False: nothing was kept, because it cannot be read.
     * @param senderIds those whose app secret signed it
     */
    async receive(body: Buffer, senderIds: readonly number[]): Promise<boolean> {
      if (readCallback(body) === null) return false
      // The signers belong to it: a sender that may not move a message must not make its status look like a repeat.
      const digest = createHash('sha256').update(`${senderIds.join()}\n`).update(body).digest()
      if (await inbox.add(digest, senderIds, body, clock.now())) wake()
      return true
    },
    /** Takes up what the last run left. */
    async start(): Promise<void> {
      wake()
      for (const { senderId, providerMessageId } of await inbox.ripe()) await settleEarly(senderId, providerMessageId)
    },
    async stop(): Promise<void> {
      stopped = true
      cancelRetry()
      await running
    },
  }
}

/** What an update is about. */
function subjectOf(update: Update): string {
  if (update.kind === 'status') return `message ${update.providerMessageId}`
  return update.kind === 'template' ? `template ${update.name}` : 'other'
}

/** When each sender's messages were last reported on. */
function lastStatuses(all: readonly Received[]): Map<number, number> {
  const last = new Map<number, number>()
  for (const { update, signers, receivedAt } of all) {
    if (update.kind !== 'status') continue
    for (const { senderId, phoneNumberId } of signers) {
      if (phoneNumberId === update.phoneNumberId) last.set(senderId, receivedAt)
    }
  }
  return last
}
