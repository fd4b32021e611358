import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ProviderError, providerError } from '../../../contract/errors.ts'
import { pricing } from '../../../contract/messages.ts'
import { SECOND } from '../../../lib/clock.ts'
import { asStorageError, StorageError } from '../../../lib/storage-error.ts'
import { mayBecome } from '../../../messages/status.ts'
import type { InboxRow, Message, Urgency } from '../../../store/index.ts'
import type { OfficialAccount } from '../graph/accounts.ts'
import type { OfficialContext } from '../graph/context.ts'
import { deliveryFailure, refusalEffects } from '../graph/errors.ts'
import { readCallback } from './callback.ts'
import { REPORTED, type StatusUpdate, type Update } from './updates.ts'

// Read and applied at once; a body of Meta's may have 3 MiB.
const ROUND_BYTES = 256 * 1024
// Changes in one commit: more would hold up everything else on this PC's event loop.
const AT_ONCE = 250
const AGAIN_AFTER = 5 * SECOND
// Tries of an event that fails with a healthy disk, before it is left out.
const MOST_TRIES = 3
// Meta has some dozens; only its own names get here.
const MOST_FIELDS = 100

const isOfDisk = (error: unknown): boolean => asStorageError(error, '') instanceof StorageError

type OnFailed = (senderId: number, error: ProviderError, at: number) => Promise<void>

export type NewsUpdate = Exclude<Update, StatusUpdate>

export type MetaInbox = ReturnType<typeof createMetaInbox>

/** An update that is kept, with the senders whose app secret signed it. */
interface Received {
  update: Update
  signers: OfficialAccount[]
  receivedAt: number
}

/**
 * Meta's callbacks: on disk before Meta gets 200, applied afterwards in their order, also after a
 * crash.
 * @param onNews hears updates that are no status: of a template, the number, the account, a
 *   customer's preference
 * @param onFailed hears why a message of a sender failed, and when
 */
export function createMetaInbox(
  context: OfficialContext,
  onNews: (account: OfficialAccount, update: NewsUpdate) => Promise<void>,
  onFailed: OnFailed,
) {
  const { store, customers, clock, logger } = context
  const { inbox } = store
  const statuses = createStatuses(context, onFailed)
  const ignored = new Map<string, number>()
  let dirty = false
  let stopped = false
  let running: Promise<void> | undefined
  let cancelRetry = () => {}
  /** Rounds in a row that an error ended which is none of the disk's. */
  let triesInVain = 0

  async function apply({ update, signers, receivedAt }: Received, urgency: Urgency): Promise<void> {
    if (update.kind === 'status') await statuses.apply(update, signers, receivedAt, urgency)
    else for (const account of signers) if (isAbout(update, account)) await onNews(account, update)
  }

  /** Applies updates of one message or template in their order. */
  async function applyInOrder(group: Received[], urgency: Urgency): Promise<void> {
    for (const received of group) {
      try {
        await apply(received, urgency)
      } catch (error) {
        // An event that cannot be applied must not hold up for long those that come after it.
        if (isOfDisk(error) || triesInVain < MOST_TRIES - 1) throw error
        logger.error({ err: error }, "an update of Meta's could not be applied")
      }
    }
  }

  async function applyRows(rows: InboxRow[]): Promise<void> {
    const accounts = context.accounts.list()
    const all = rows.flatMap(({ senderIds, body, receivedAt }) => {
      const signers = accounts.filter(({ senderId }) => senderIds.includes(senderId))
      return updatesOf(body).map((update) => ({ update, signers, receivedAt }))
    })
    // A few share the commits of what comes next; many are company enough, and more of them may
    // wait.
    const urgency = all.length < AT_ONCE ? 'soon' : 'now'
    const lastSeen = [...lastStatuses(all)].map(([senderId, lastStatusAt]) =>
      store.officialFacts.change(senderId, () => ({ lastStatusAt }), urgency),
    )
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const groups = Map.groupBy(all.slice(at, at + AT_ONCE), ({ update }) => subjectOf(update))
      const applying = [...groups.values()].map((group) => applyInOrder(group, urgency))
      const results = await Promise.allSettled([...lastSeen.splice(0), ...applying])
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
    await inbox.applied(
      rows.map(({ seq }) => seq),
      clock.now(),
      urgency,
    )
  }

  async function run(): Promise<void> {
    try {
      while (dirty && !stopped) {
        dirty = false
        const rows = await inbox.waiting(ROUND_BYTES)
        if (rows.length === 0) continue
        await applyRows(rows)
        triesInVain = 0
        dirty = true
      }
    } catch (error) {
      if (!isOfDisk(error)) triesInVain += 1
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
    /**
     * Counts Meta's callbacks since the start that Kurir ignores, by the name of their field or
     * kind, without content.
     */
    ignoredFields: () => [...ignored].map(([field, count]) => ({ field, count })),
    settleEarly: statuses.settleEarly,
    settleRipe: statuses.settleRipe,
    /** Applies what waits, also what another node kept before it ended. */
    wake,
    /**
     * Takes a body whose signature was checked: what is to be applied of it is kept, what customers
     * wrote is passed on and forgotten. False: it cannot be read.
     * @param signers those whose app secret signed it
     */
    async receive(body: Buffer, signers: readonly OfficialAccount[]): Promise<boolean> {
      const callback = readCallback(body)
      if (callback === null) return false
      const senderIds = signers.map(({ senderId }) => senderId)
      // The signers belong to it: a sender that may not move a message must not make its status
      // look like a repeat.
      const digest = createHash('sha256').update(`${senderIds.join()}\n`).update(body).digest()
      if (await inbox.has(digest)) return true
      for (const field of callback.ignored) {
        if (ignored.has(field) || ignored.size < MOST_FIELDS) ignored.set(field, (ignored.get(field) ?? 0) + 1)
      }
      const at = clock.now()
      for (const { phoneNumberId, ...message } of callback.received) {
        for (const account of signers) {
          if (account.phoneNumberId !== phoneNumberId) continue
          const { senderId } = account
          await customers.received({ ...message, senderId, occurredAt: message.occurredAt ?? at })
        }
      }
      for (const customer of callback.renamed) {
        const its = signers.filter(({ phoneNumberId }) => phoneNumberId === customer.phoneNumberId)
        for (const { senderId } of its) await customers.renamed(senderId, customer)
      }
      const updates = callback.updates.filter((update) => signers.some((account) => isAbout(update, account)))
      const kept = updates.length === 0 ? null : Buffer.from(JSON.stringify(updates))
      if ((await inbox.add(digest, senderIds, kept, clock.now())) && kept !== null) wake()
      return true
    },
    /** Takes up what the last run left. */
    async start(): Promise<void> {
      wake()
      await statuses.settleRipe()
    },
    async stop(): Promise<void> {
      stopped = true
      cancelRetry()
      await running
    },
  }
}

/** Updates kept by `receive`. */
const updatesOf = (body: Buffer): Update[] => JSON.parse(body.toString())

/** True if an update is about the number of a sender, or about its account. */
function isAbout(update: Update, account: OfficialAccount): boolean {
  const named = 'phoneNumberId' in update ? update.phoneNumberId : null
  return named === null ? update.wabaId === account.wabaId : named === account.phoneNumberId
}

/** Subject of an update. */
function subjectOf(update: Update): string {
  if (update.kind === 'status') return `message ${update.providerMessageId}`
  return 'name' in update && update.kind !== 'name' ? `template ${update.name}` : `account ${update.wabaId}`
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

/** A status that comes before the id of its message is known, as it is kept. */
const earlyUpdate = z.object({
  providerMessageId: z.string(),
  status: z.enum(REPORTED),
  occurredAt: z.number().nullable(),
  pricing: pricing.nullable(),
  recipientUserId: z.string().nullish(),
  errors: z.array(providerError),
})
type EarlyUpdate = z.infer<typeof earlyUpdate>

/** Statuses of template messages: each finds its message, or is kept until that is known. */
function createStatuses({ store, record, customers }: OfficialContext, onFailed: OnFailed) {
  const { inbox, messages, officialMessages } = store

  async function report(
    message: Message,
    { update, receivedAt }: { update: EarlyUpdate; receivedAt: number },
    urgency: Urgency = 'soon',
  ): Promise<void> {
    const { seq, laneId, recipient } = message
    const { status, providerMessageId, recipientUserId, pricing, errors } = update
    const at = update.occurredAt ?? receivedAt
    const [cause] = status === 'failed' ? errors : []
    const { optedOut = false, marketingHold: until = null } = cause ? refusalEffects(cause, at) : {}
    const isNews = mayBecome(message.status, status)
    if (cause !== undefined && isNews) await onFailed(laneId, cause, at)
    // First: after it the status would look like a repeat, and a disk that is full in between would
    // lose this.
    if (optedOut && isNews) {
      await customers.preference({ senderId: laneId, recipient, userId: recipientUserId, wants: false, at })
    }
    if (recipientUserId && message.recipientUserId === null && recipientUserId !== recipient) {
      // Copies what the person said under this ID, before it was known to be that of the number.
      const isKnown = (await officialMessages.numberOf(laneId, recipientUserId)) === recipient
      if (!isKnown) await customers.renamed(laneId, { before: [recipientUserId], after: [recipient] })
    }
    const error = status === 'failed' ? deliveryFailure(errors) : null
    await record.report(
      { seq },
      {
        status,
        at,
        error,
        providerMessageId,
        ...(pricing && { pricing }),
        ...(recipientUserId && { recipientUserId }),
      },
      { also: until === null ? [] : [{ kind: 'marketing_hold', until }], urgency },
    )
  }

  /**
   * Finds a message by Meta's id; until Meta's answer brings that, by ours, which Meta gives back.
   */
  async function find(senderId: number, update: StatusUpdate): Promise<Message | undefined> {
    const { providerMessageId, callbackData } = update
    const known = await messages.find({ providerMessageId, senderId })
    if (known !== undefined || callbackData === null) return known
    const ours = await messages.find({ id: callbackData })
    const fits = ours?.laneId === senderId && ours.channel === 'template' && ours.providerMessageId === null
    return fits ? ours : undefined
  }

  async function apply(
    update: StatusUpdate,
    signers: readonly OfficialAccount[],
    receivedAt: number,
    urgency: Urgency,
  ): Promise<void> {
    const { providerMessageId, status } = update
    const accounts = signers.filter((account) => account.phoneNumberId === update.phoneNumberId)
    for (const { senderId } of accounts) {
      const message = await find(senderId, update)
      if (message !== undefined) return report(message, { update, receivedAt }, urgency)
    }
    for (const { senderId } of accounts) {
      const early = { senderId, providerMessageId, status, update: earlyUpdate.parse(update), receivedAt }
      const kept = await inbox.keepEarly(early)
      const message = await messages.find({ providerMessageId, senderId })
      if (message === undefined) continue
      // On PostgreSQL its id may have become known while the status was kept.
      return kept ? settleEarly(senderId, providerMessageId) : report(message, { update, receivedAt }, urgency)
    }
  }

  async function settleEarly(senderId: number, providerMessageId: string): Promise<void> {
    const kept = await inbox.early(senderId, providerMessageId)
    const message = kept.length === 0 ? undefined : await messages.find({ providerMessageId, senderId })
    if (message === undefined) return
    const early = kept.map(({ update, receivedAt }) => ({ update: earlyUpdate.parse(update), receivedAt }))
    early.sort((a, b) => REPORTED.indexOf(a.update.status) - REPORTED.indexOf(b.update.status))
    for (const each of early) {
      await report(message, each)
      // Not all of the message: another node may have kept one meanwhile.
      await inbox.dropEarly({ senderId, providerMessageId, status: each.update.status })
    }
  }

  /**
   * Applies early statuses whose message is known by now: the program ended before, or the disk
   * took nothing.
   */
  async function settleRipe(): Promise<void> {
    for (const { senderId, providerMessageId } of await inbox.ripe()) await settleEarly(senderId, providerMessageId)
  }

  return { apply, settleEarly, settleRipe }
}
