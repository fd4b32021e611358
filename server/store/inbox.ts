import { z } from 'zod'
import { blob, type Columns, integer, json, text, writing } from './columns.ts'
import type { Urgency } from './messages.ts'
import { inserting, type Statements } from './statements.ts'

/** The part of a callback of Meta that is to be applied. */
export interface InboxRow {
  seq: number
  /** Senders whose app secret signed it. */
  senderIds: number[]
  /** As it was added. */
  body: Buffer
  receivedAt: number
}

/** A status that came before its message id was known. */
export interface EarlyStatus {
  senderId: number
  providerMessageId: string
  status: string
  update: unknown
  receivedAt: number
}

/** Callbacks of Meta: stored first, applied afterwards. */
export interface InboxStore {
  /** True if a callback with this digest was added before. */
  has(digest: Uint8Array): Promise<boolean>
  /**
   * `body` is what is to be applied; null: nothing, only the digest is kept. False: it was added
   * before.
   */
  add(digest: Uint8Array, senderIds: readonly number[], body: Uint8Array | null, at: number): Promise<boolean>
  /** The oldest bodies that wait, at most `bytes` of them together (but always one). */
  waiting(bytes: number): Promise<InboxRow[]>
  /** Keeps only the digests of these callbacks. */
  applied(seqs: readonly number[], at: number, urgency?: Urgency): Promise<void>
  /** Removes the oldest digests of before, at most `batch`; resolves with their number. */
  expire(before: number, batch: number): Promise<number>
  /** Keeps a status until its message id is known; false when it is known by now. */
  keepEarly(status: EarlyStatus): Promise<boolean>
  early(senderId: number, providerMessageId: string): Promise<EarlyStatus[]>
  /** Early statuses whose message is known by now: the program ended before they were applied. */
  ripe(): Promise<{ senderId: number; providerMessageId: string }[]>
  /** Those of one message, or all that came before. */
  dropEarly(of: { senderId: number; providerMessageId: string } | { before: number }): Promise<void>
}

export const INBOX: Columns<InboxRow> = {
  seq: integer('seq'),
  senderIds: json('sender_ids', z.array(z.number())),
  body: blob('body'),
  receivedAt: integer('received_at'),
}

const EARLY_STATUS: Columns<EarlyStatus> = {
  senderId: integer('sender_id'),
  providerMessageId: text('provider_message_id'),
  status: text('status'),
  update: json('body', z.unknown()),
  receivedAt: integer('received_at'),
}

export const putEarly = inserting('early_statuses', writing(EARLY_STATUS), 'ON CONFLICT DO NOTHING')

export function createInbox({ rows, one, bind, write }: Statements) {
  const byDigest = one({ seq: integer('seq') }, 'FROM meta_inbox WHERE digest = $1')
  const put = bind(
    `INSERT INTO meta_inbox (digest, sender_ids, body, received_at, applied_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
  )
  const expire = bind(
    `DELETE FROM meta_inbox WHERE seq IN (SELECT seq FROM meta_inbox
       WHERE applied_at IS NOT NULL AND received_at < $1 ORDER BY received_at LIMIT $2)`,
  )
  const dropEarly = bind('DELETE FROM early_statuses WHERE sender_id = $1 AND provider_message_id = $2')
  const expireEarly = bind('DELETE FROM early_statuses WHERE received_at < $1')
  return {
    has: async (digest) => (await byDigest(digest)) !== undefined,
    add: async (digest, senderIds, body, at) =>
      (await write(put(digest, JSON.stringify(senderIds), body ?? Buffer.alloc(0), at, body === null ? at : null))) > 0,
    expire: (before, batch) => write(expire(before, batch)),
    early: rows(EARLY_STATUS, 'FROM early_statuses WHERE sender_id = $1 AND provider_message_id = $2'),
    ripe: rows(
      { senderId: integer('e.sender_id'), providerMessageId: text('e.provider_message_id') },
      `FROM early_statuses e JOIN messages m ON m.provider_message_id = e.provider_message_id
         AND m.lane_id = e.sender_id GROUP BY e.sender_id, e.provider_message_id`,
    ),
    async dropEarly(of) {
      await write('before' in of ? expireEarly(of.before) : dropEarly(of.senderId, of.providerMessageId))
    },
  } satisfies Partial<InboxStore>
}
