import { createHash } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { StorageError } from '../../lib/storage-error.ts'
import type { Recorder } from '../../messages/record.ts'
import type { Inbox, InboxRow } from '../../store/sqlite/inbox.ts'
import type { Messages } from '../../store/sqlite/messages.ts'
import type { OfficialStore } from '../../store/sqlite/official.ts'
import type { OfficialAccount } from './accounts.ts'
import { readCallback } from './callback.ts'
import { deliveryFailure } from './errors.ts'
import type { StatusUpdate, TemplateUpdate, Update } from './updates.ts'

// Read and applied at once; a body of Meta's may have 3 MiB.
const ROUND_BYTES = 256 * 1024
// Changes in one commit: more would hold up everything else on this PC's event loop.
const AT_ONCE = 250
const AGAIN_AFTER = 5_000

export interface InboxDeps {
  inbox: Inbox
  messages: Pick<Messages, 'find'>
  facts: Pick<OfficialStore, 'save'>
  record: Recorder
  accounts: () => OfficialAccount[]
  onTemplate: (account: OfficialAccount, update: TemplateUpdate) => Promise<void>
  clock: Clock
  logger: Logger
}

export type MetaInbox = ReturnType<typeof createMetaInbox>

/** Meta's callbacks: on disk before Meta hears 200, applied afterwards in their order, also after a crash. */
export function createMetaInbox(deps: InboxDeps) {
  const { inbox, messages, record, clock, logger } = deps
  let dirty = false
  let stopped = false
  let running: Promise<void> | undefined
  let cancelRetry = () => {}

  async function report(ref: { seq: number }, update: StatusUpdate, receivedAt: number): Promise<void> {
    await record.report(ref, {
      status: update.status,
      at: update.occurredAt ?? receivedAt,
      error: update.status === 'failed' ? deliveryFailure(update.errors) : null,
      providerMessageId: update.providerMessageId,
      ...(update.pricing?.category ? { pricingCategory: update.pricing.category } : {}),
    })
  }

  /** By Meta's id; by ours, which Meta gives back, while Meta's answer is not there or never came. */
  function find(senderId: number, { providerMessageId, callbackData }: StatusUpdate) {
    const known = messages.find({ providerMessageId, senderId })
    if (known !== undefined || callbackData === null) return known
    const ours = messages.find({ id: callbackData })
    const fits = ours?.senderId === senderId && ours.channel === 'template' && ours.providerMessageId === null
    return fits ? ours : undefined
  }

  async function applyStatus(update: StatusUpdate, accounts: OfficialAccount[], receivedAt: number): Promise<void> {
    const { providerMessageId, status } = update
    for (const { senderId } of accounts) {
      const message = find(senderId, update)
      if (message !== undefined) return report(message, update, receivedAt)
    }
    for (const { senderId } of accounts) {
      const body = JSON.stringify(update)
      const kept = await inbox.keepEarly({ senderId, providerMessageId, status, body, receivedAt })
      const message = kept ? undefined : messages.find({ providerMessageId, senderId })
      if (message !== undefined) return report(message, update, receivedAt)
    }
  }

  async function apply(update: Update, signers: OfficialAccount[], receivedAt: number): Promise<void> {
    if (update.kind === 'status') {
      const named = signers.filter((account) => account.phoneNumberId === update.phoneNumberId)
      await applyStatus(update, named, receivedAt)
    } else if (update.kind === 'template') {
      for (const account of signers) if (account.wabaId === update.wabaId) await deps.onTemplate(account, update)
    }
  }

  /** What a disk refuses is tried again; what cannot be applied at all must not hold up what comes after it. */
  function excuse(error: unknown): void {
    if (error instanceof StorageError) throw error
    logger.error({ err: error }, "an update of Meta's could not be applied")
  }

  async function applyRows(rows: InboxRow[]): Promise<void> {
    const accounts = deps.accounts()
    const jobs: (() => Promise<void>)[] = []
    const heard = new Map<number, number>()
    for (const { senderIds, body, receivedAt } of rows) {
      const signers = accounts.filter(({ senderId }) => senderIds.includes(senderId))
      for (const update of readCallback(body)?.updates ?? []) {
        jobs.push(() => apply(update, signers, receivedAt))
        if (update.kind !== 'status') continue
        for (const { senderId, phoneNumberId } of signers) {
          if (phoneNumberId === update.phoneNumberId) heard.set(senderId, receivedAt)
        }
      }
    }
    for (const [senderId, lastStatusAt] of heard) jobs.push(() => deps.facts.save(senderId, { lastStatusAt }))
    for (let at = 0; at < jobs.length; at += AT_ONCE) {
      const results = await Promise.allSettled(jobs.slice(at, at + AT_ONCE).map((job) => job()))
      for (const result of results) if (result.status === 'rejected') excuse(result.reason)
    }
    await inbox.applied(
      rows.map(({ seq }) => seq),
      clock.now(),
    )
  }

  async function settleEarly(senderId: number, providerMessageId: string): Promise<void> {
    const early = inbox.early(senderId, providerMessageId)
    const message = early.length === 0 ? undefined : messages.find({ providerMessageId, senderId })
    if (message === undefined) return
    // In the order of the statuses, so that each is told; a failure last, because a delivery outweighs it.
    const rank = ['sent', 'delivered', 'read', 'failed']
    early.sort((a, b) => rank.indexOf(a.status) - rank.indexOf(b.status))
    for (const { body, receivedAt } of early) await report(message, JSON.parse(body) as StatusUpdate, receivedAt)
    await inbox.dropEarly(senderId, providerMessageId)
  }

  async function run(): Promise<void> {
    try {
      while (dirty && !stopped) {
        dirty = false
        const rows = inbox.waiting(ROUND_BYTES)
        if (rows.length === 0) break
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
      // The signers belong to it: who may not move a message must not be able to make its status look like a repeat.
      const digest = createHash('sha256').update(`${senderIds.join()}\n`).update(body).digest()
      if (await inbox.add(digest, senderIds, body, clock.now())) wake()
      return true
    },
    /** Takes up what the last run left. */
    async start(): Promise<void> {
      wake()
      for (const { senderId, providerMessageId } of inbox.ripe()) await settleEarly(senderId, providerMessageId)
    },
    async stop(): Promise<void> {
      stopped = true
      cancelRetry()
      await running
    },
  }
}
