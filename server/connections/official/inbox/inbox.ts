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

// Bytes to read and apply in one round. One body of Meta may have 3 MiB.
const ROUND_BYTES = 256 * 1024
// Updates to apply at once. More would block the event loop for too long.
const AT_ONCE = 250
const AGAIN_AFTER = 5 * SECOND
// Tries of an update that fails although the disk is healthy. Then the update is skipped.
const MOST_TRIES = 3
// Meta has some dozens of fields.
const MOST_FIELDS = 100

const isOfDisk = (error: unknown): boolean => asStorageError(error, '') instanceof StorageError

type OnFailed = (senderId: number, error: ProviderError, at: number) => Promise<void>

export type NewsUpdate = Exclude<Update, StatusUpdate>

export type MetaInbox = ReturnType<typeof createMetaInbox>

/** A stored update with the senders whose app secret signed it. */
interface Received {
  update: Update
  signers: OfficialAccount[]
  receivedAt: number
}

/**
 * Stores Meta's callbacks before Meta gets 200, and applies them afterwards in their order, also
 * after a crash.
 * @param onNews applies updates that are not statuses: of a template, the number, the account or a
 *   customer's preference
 * @param onFailed gets the reason and the time when a message of a sender failed
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
  /** Rounds in a row that failed with an error that is not the disk's. */
  let triesInVain = 0

  async function apply({ update, signers, receivedAt }: Received, urgency: Urgency): Promise<void> {
    if (update.kind === 'status') await statuses.apply(update, signers, receivedAt, urgency)
    else for (const account of signers) if (isAbout(update, account)) await onNews(account, update)
  }

  /** Applies the updates of one message, template or account in their order. */
  async function applyInOrder(group: Received[], urgency: Urgency): Promise<void> {
    for (const received of group) {
      try {
        await apply(received, urgency)
      } catch (error) {
        // An update that can never be applied must not hold up later ones for long.
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
    // A few updates wait to share a commit with later writes. Many fill a commit alone, and more
    // may be waiting.
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
    /** Applies stored updates, also those of another node that has ended. */
    wake,
    /**
     * Stores the updates of a body whose signature was checked, and passes on messages of customers
     * without storing them. Resolves with false if the body cannot be read.
     * @param signers senders whose app secret signed the body
     */
    async receive(body: Buffer, signers: readonly OfficialAccount[]): Promise<boolean> {
      const callback = readCallback(body)
      if (callback === null) return false
      const senderIds = signers.map(({ senderId }) => senderId)
      // The digest covers the signers too. Otherwise a sender that may not change a message could
      // make the real status look like a repeat.
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
    /** Applies the updates that the last run left. */
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

/** Reads updates that `receive` stored. */
const updatesOf = (body: Buffer): Update[] => JSON.parse(body.toString())

/** True if an update is about the sender's number, or names none and is about its account. */
function isAbout(update: Update, account: OfficialAccount): boolean {
  const named = 'phoneNumberId' in update ? update.phoneNumberId : null
  return named === null ? update.wabaId === account.wabaId : named === account.phoneNumberId
}

/** Returns the subject of an update. Updates of one subject are applied in order. */
function subjectOf(update: Update): string {
  if (update.kind === 'status') return `message ${update.providerMessageId}`
  return 'name' in update && update.kind !== 'name' ? `template ${update.name}` : `account ${update.wabaId}`
}

/** Returns the time of the last status for each sender, by sender id. */
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

/** A stored status that came before Kurir knew the id of its message. */
const earlyUpdate = z.object({
  providerMessageId: z.string(),
  status: z.enum(REPORTED),
  occurredAt: z.number().nullable(),
  pricing: pricing.nullable(),
  recipientUserId: z.string().nullish(),
  errors: z.array(providerError),
})
type EarlyUpdate = z.infer<typeof earlyUpdate>

/** Applies statuses of template messages, and keeps those whose message is not known yet. */
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
    // Store the preference before the status. After the status a repeat is no news, so a full disk
    // in between would lose the preference.
    if (optedOut && isNews) {
      await customers.preference({ senderId: laneId, recipient, userId: recipientUserId, wants: false, at })
    }
    if (recipientUserId && message.recipientUserId === null && recipientUserId !== recipient) {
      // Copies what the person said under this id before Kurir knew the id's number.
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
   * Finds a message by Meta's id, or by our own id, which Meta returns, while Meta's answer to the
   * send has not come.
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
      // On PostgreSQL another write may have stored the id while this one kept the status.
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
      // Drop this one alone, because another node may have kept another status meanwhile.
      await inbox.dropEarly({ senderId, providerMessageId, status: each.update.status })
    }
  }

  /**
   * Applies early statuses whose message is known, but which the program could not apply because it
   * ended or the disk was full.
   */
  async function settleRipe(): Promise<void> {
    for (const { senderId, providerMessageId } of await inbox.ripe()) await settleEarly(senderId, providerMessageId)
  }

  return { apply, settleEarly, settleRipe }
}
