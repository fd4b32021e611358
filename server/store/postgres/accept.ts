import { createHash } from 'node:crypto'
import { uploadedFileId } from '../../contract/send.ts'
import type { SuppressionScope } from '../../contract/suppressions.ts'
import type { SqlValue, Written } from '../columns.ts'
import { isUnwanted, SUPPRESSION, scopeFor } from '../contacts.ts'
import { noteMessage } from '../figures.ts'
import { refusedTwice } from '../message-changes.ts'
import { INSERTED } from '../message-reads.ts'
import type { Accepted, AcceptOptions, NewMessage } from '../messages.ts'
import { insertMany, type Tx } from './sql.ts'

export interface Job {
  message: NewMessage
  options: AcceptOptions
}

const IDEMPOTENCY: Written<Job & { record: NonNullable<AcceptOptions['idempotency']> }> = {
  scope: ({ record }) => record.scope,
  key: ({ record }) => record.key,
  body_hash: ({ record }) => record.hash,
  message_id: ({ message }) => message.id,
  status: ({ record }) => record.answer?.status ?? null,
  answer: ({ record }) => record.answer?.body ?? null,
  created_at: ({ message }) => message.createdAt,
}

/** Returns the key of a lock by its name, the same on all nodes. */
const lockOf = (name: string): string => createHash('sha256').update(name).digest().readBigInt64BE().toString()

/**
 * Looks something up for the jobs that need it; resolves with the found ids by the jobs' places in
 * the list. In `sql`, `$1` is the list of places, and the further values are lists of the named
 * members.
 */
async function lookUp<Name extends string>(
  tx: Tx,
  jobs: readonly Job[],
  askedBy: (job: Job) => Readonly<Record<Name, SqlValue>> | undefined,
  names: readonly Name[],
  sql: string,
): Promise<Map<number, string>> {
  const asking = jobs.flatMap((job, n) => {
    const asked = askedBy(job)
    return asked === undefined ? [] : [{ n, asked }]
  })
  if (asking.length === 0) return new Map()
  const values = names.map((name) => asking.map(({ asked }) => asked[name]))
  const rows = await tx.query<{ n: number; id: string }>(sql, [asking.map(({ n }) => n), ...values])
  return new Map(rows.map(({ n, id }) => [n, id]))
}

const usedKeys = (tx: Tx, jobs: readonly Job[]) =>
  lookUp(
    tx,
    jobs,
    ({ options }) => options.idempotency,
    ['scope', 'key', 'since'],
    `SELECT n, '' AS id FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS asked (n, scope, key, since)
     JOIN idempotency i USING (scope, key) WHERE i.created_at >= asked.since`,
  )

const sameReferences = (tx: Tx, jobs: readonly Job[]) =>
  lookUp(
    tx,
    jobs,
    ({ message: { referenceId, keyNumber }, options }) =>
      options.unique && referenceId !== null && keyNumber !== null ? { referenceId, keyNumber } : undefined,
    ['referenceId', 'keyNumber'],
    `SELECT asked.n, found.id FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS asked (n, reference_id, key_number)
     CROSS JOIN LATERAL (SELECT m.id FROM messages m WHERE m.reference_id = asked.reference_id
       AND m.key_number = asked.key_number ORDER BY m.seq LIMIT 1) AS found`,
  )

const CONTENT = [
  ...(['recipient', 'senderId', 'since', 'until', 'body', 'file', 'fileSha256'] as const),
  ...(['filename', 'referenceId', 'dueAt', 'createdAt', 'isNamed'] as const),
] as const

const IN_ALL = `AND m.filename IS NOT DISTINCT FROM asked.filename
  AND m.reference_id IS NOT DISTINCT FROM asked.reference_id AND (m.due_named + asked.is_named = 0
  OR greatest(m.due_at, asked.created_at) = greatest(asked.due_at, asked.created_at))`

/**
 * Finds messages with equal content. Files are compared by content if their bytes are here,
 * otherwise by address. Rows after `until` were written before the clock was set back.
 */
const sameContents = (tx: Tx, jobs: readonly Job[], limit: 'sameContentSince' | 'repeatedSince', also = '') =>
  lookUp(
    tx,
    jobs,
    ({ message, options: { [limit]: since } }) =>
      since == null
        ? undefined
        : { ...message, isNamed: Number(message.dueNamed), since, until: message.createdAt * 2 - since },
    CONTENT,
    `SELECT asked.n, found.id FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
       $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[]) AS asked (n,
       recipient, sender_id, since, until, body, file, file_sha256, filename, reference_id, due_at, created_at, is_named)
     CROSS JOIN LATERAL (SELECT m.id FROM messages m WHERE m.recipient = asked.recipient
       AND asked.sender_id IN (m.sender_id, m.moved_from) AND m.created_at BETWEEN asked.since AND asked.until
       AND m.status NOT IN ('failed', 'cancelled') AND m.body IS NOT DISTINCT FROM asked.body
       AND (m.file IS NOT DISTINCT FROM asked.file OR (m.file_id IS NOT NULL AND m.file_sha256 = asked.file_sha256))
       ${also} ORDER BY m.seq LIMIT 1) AS found`,
  )

async function optOuts(tx: Tx, jobs: readonly Job[]) {
  const phones = [...new Set(jobs.map(({ message }) => message.recipient))]
  const rows = await tx.rows(SUPPRESSION, 'FROM suppressions WHERE phone = ANY ($1::text[])', [phones])
  const byPhone = Map.groupBy(rows, ({ phone }) => phone)
  return ({ recipient, senderId }: NewMessage): SuppressionScope | null =>
    scopeFor(byPhone.get(recipient) ?? [], senderId)
}

/** Locks rows of a table until the end of the transaction; resolves with the ids that exist. */
async function holdThere<Id extends string | number>(
  tx: Tx,
  rows: string,
  type: 'bigint' | 'text',
  ids: readonly Id[],
): Promise<Set<Id>> {
  if (ids.length === 0) return new Set()
  const found = await tx.query<{ id: Id }>(
    `SELECT id FROM ${rows} AND id = ANY ($1::${type}[]) ORDER BY id FOR KEY SHARE`,
    [[...new Set(ids)]],
  )
  return new Set(found.map(({ id }) => id))
}

/** Stores idempotency keys; resolves with the ids of messages whose key was free. */
async function takeKeys(tx: Tx, jobs: readonly Job[]): Promise<Set<string>> {
  const records = jobs.flatMap(({ message, options }) =>
    options.idempotency === undefined ? [] : [{ message, options, record: options.idempotency }],
  )
  if (records.length === 0) return new Set()
  // Always in the same order, so that no two transactions wait for each other.
  records.sort((a, b) => (`${a.record.scope} ${a.record.key}` < `${b.record.scope} ${b.record.key}` ? -1 : 1))
  void tx.run(
    `DELETE FROM idempotency i USING unnest($1::text[], $2::text[], $3::bigint[]) AS old (scope, key, since)
     WHERE i.scope = old.scope AND i.key = old.key AND i.created_at < old.since`,
    (['scope', 'key', 'since'] as const).map((name) => records.map(({ record }) => record[name])),
  )
  const then = 'ON CONFLICT DO NOTHING RETURNING message_id AS id'
  const taken: { id: string }[] = await insertMany(tx, 'idempotency', IDEMPOTENCY, records, then)
  return new Set(taken.map(({ id }) => id))
}

/** Inserts messages; resolves with their `seq` by id. */
async function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<Map<string, number>> {
  if (messages.length === 0) return new Map()
  const then = 'RETURNING id, seq'
  const written: Promise<{ id: string; seq: number }[]> = insertMany(tx, 'messages', INSERTED, messages, then)
  const begun = messages.filter(({ attemptBegins }) => attemptBegins).map(({ id }) => id)
  if (begun.length > 0)
    void tx.run(
      `INSERT INTO message_attempts (message_seq, number, at)
       SELECT seq, 1, created_at FROM messages WHERE id = ANY ($1::text[])`,
      [begun],
    )
  return new Map((await written).map(({ id, seq }) => [id, seq]))
}

/**
 * Accepts messages in one transaction. No two of them may share a name (`refusedTwice`) or an
 * idempotency key.
 */
export async function acceptAll(
  tx: Tx,
  jobs: readonly Job[],
  isSandbox: (senderId: number) => boolean,
): Promise<Accepted[]> {
  // Lock before any search, so that a repeated call finds its idempotency key first and not its own
  // reference. Always in the same order, so that no two transactions wait for each other.
  const locks = jobs.flatMap(({ message, options }) => refusedTwice(message, options).map(lockOf)).toSorted()
  if (locks.length > 0) void tx.run('SELECT pg_advisory_xact_lock(lock) FROM unnest($1::bigint[]) AS lock', [locks])
  const senderIds = jobs.map(({ message }) => message.senderId)
  const fileIds = jobs.flatMap(({ message }) => uploadedFileId(message.file) ?? [])
  const [senders, keys, references, contents, repeats, optOutOf, files] = await Promise.all([
    holdThere(tx, 'senders WHERE deleted_at IS NULL', 'bigint', senderIds),
    usedKeys(tx, jobs),
    sameReferences(tx, jobs),
    sameContents(tx, jobs, 'sameContentSince'),
    sameContents(tx, jobs, 'repeatedSince', IN_ALL),
    optOuts(tx, jobs),
    holdThere(tx, 'files WHERE true', 'text', fileIds),
  ])

  function refusal({ message }: Job, n: number): Accepted | null {
    if (!senders.has(message.senderId)) return { kind: 'sender_deleted' }
    if (keys.has(n)) return { kind: 'key_in_use' }
    const [reference, content, repeated] = [references.get(n), contents.get(n), repeats.get(n)]
    if (repeated !== undefined) return { kind: 'repeated', id: repeated }
    if (reference !== undefined) return { kind: 'duplicate_reference', id: reference }
    if (content !== undefined) return { kind: 'duplicate_content', id: content }
    const scope = optOutOf(message)
    if (isUnwanted(scope, message.purpose)) return { kind: 'opted_out', scope }
    const fileId = uploadedFileId(message.file)
    return fileId !== undefined && !files.has(fileId) ? { kind: 'file_gone' } : null
  }

  const refusals = jobs.map(refusal)
  const welcome = jobs.filter((_, n) => refusals[n] === null)
  const taken = await takeKeys(tx, welcome)
  const free = welcome.filter(({ message, options }) => options.idempotency === undefined || taken.has(message.id))
  for (const { message } of free) if (!isSandbox(message.senderId)) noteMessage(tx.noted, message, 1)
  const seqs = await insertMessages(
    tx,
    free.map(({ message }) => message),
  )
  return jobs.map(({ message }, n) => {
    const seq = seqs.get(message.id)
    return refusals[n] ?? (seq === undefined ? { kind: 'key_in_use' } : { kind: 'accepted', seq })
  })
}
