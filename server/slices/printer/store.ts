import { ApiError } from '../../contract/errors.ts'
import { senderOfTexts } from '../../senders/pick.ts'
import {
  blob,
  type Columns,
  integer,
  type MetaStore,
  overwriting,
  type SenderStore,
  type Statements,
  text,
  textOrNull,
  writing,
} from '../../store/index.ts'
import { type PrinterSettings, printerSettings } from './contract.ts'

export type PrintStatus = 'new' | 'waiting' | 'sent'

export interface PrintOutcome {
  /** `new`: stored, not processed yet. */
  status: PrintStatus
  reason: string | null
  /** Code of the error that refused the print. */
  error: string | null
  phone: string | null
  reference: string | null
}

export interface PrintChange extends PrintOutcome {
  /** First line of the print, set when it is processed. */
  title: string
}

/** A print without its bytes. */
export interface PrintRow extends PrintChange {
  seq: number
  /** Also the id of its message, so that a print that is processed twice is sent once. */
  id: string
  at: number
  size: number
}

export interface PrintContent extends PrintRow {
  content: Buffer
  digest: string
}

export type NewPrint = Pick<PrintContent, 'id' | 'at' | 'content' | 'digest' | 'status' | 'reason'>

export interface PrintLimits {
  prints: number
  bytes: number
}

export interface WaitingPrints {
  reason: string | null
  count: number
  since: number
}

export interface PrintStore {
  /**
   * Adds a print. Makes room by removing the oldest prints that need nobody, as most receipts have
   * no number; then broken ones, because one fault makes many. `full`: nothing was written.
   */
  add(print: NewPrint, most: PrintLimits): Promise<'added' | 'full'>
  /** Newest first; `before` is a `seq`. */
  list(filter: { before: number | undefined; limit: number; status?: PrintStatus | undefined }): Promise<PrintRow[]>
  get(id: string): Promise<PrintContent | undefined>
  /** Resolves with the oldest prints that are not processed yet. */
  fresh(limit: number): Promise<PrintRow[]>
  /** Resolves with true if an earlier print since `since` has the same bytes. */
  isCopy(print: PrintContent, since: number): Promise<boolean>
  change(id: string, change: PrintChange): Promise<void>
  /** Resolves with false if there is no such print. */
  remove(id: string): Promise<boolean>
  /** Counts waiting prints by reason, with the time of the oldest. */
  waiting(): Promise<WaitingPrints[]>
  /** Removes prints from before the time; resolves with their number. */
  expire(before: number): Promise<number>
}

const PRINT: Columns<PrintRow> = {
  seq: integer('seq'),
  id: text('id'),
  at: integer('at'),
  size: integer('octet_length(content)'),
  status: text('status'),
  reason: textOrNull('reason'),
  error: textOrNull('error'),
  title: text('title'),
  phone: textOrNull('phone'),
  reference: textOrNull('reference'),
}

const PRINT_CONTENT: Columns<PrintContent> = { ...PRINT, digest: text('digest'), content: blob('content') }

const { id, at, status, reason, error, title, phone, reference, digest, content } = PRINT_CONTENT
const changePrint = overwriting<PrintChange & { id: string }>(
  'prints',
  writing<PrintChange>({ status, reason, error, title, phone, reference }),
)

const WAITING: Columns<WaitingPrints> = {
  reason: textOrNull('reason'),
  count: integer('count(*)'),
  since: integer('min(at)'),
}

const KEPT: Columns<PrintLimits> = {
  prints: integer('count(*)'),
  bytes: integer('coalesce(sum(octet_length(content)), 0)'),
}

/** Prints removed per step when room is needed. */
const REMOVED_AT_ONCE = 50

export function createPrintStore({ rows, one, bind, insert, write }: Statements): PrintStore {
  const page = rows(PRINT, 'FROM prints WHERE seq < $1 ORDER BY seq DESC LIMIT $2')
  const pageOf = rows(PRINT, 'FROM prints WHERE seq < $1 AND status = $3 ORDER BY seq DESC LIMIT $2')
  const kept = one(KEPT, 'FROM prints')
  const copy = one(PRINT, 'FROM prints WHERE digest = $1 AND seq < $2 AND at >= $3 LIMIT 1')
  const put = insert('prints', writing<NewPrint>({ id, at, status, reason, digest, content }))
  const makeRoom = bind(
    `DELETE FROM prints WHERE seq IN (SELECT seq FROM prints WHERE status = 'sent'
       OR (status = 'waiting' AND reason IN ('no_number', 'no_rule', 'copy', 'broken_off'))
       ORDER BY CASE reason WHEN 'broken_off' THEN 1 ELSE 0 END, seq LIMIT $1)`,
  )
  const remove = bind('DELETE FROM prints WHERE id = $1')
  const expire = bind('DELETE FROM prints WHERE at < $1')

  async function isRoom({ content }: NewPrint, most: PrintLimits): Promise<boolean> {
    const { prints, bytes } = (await kept()) ?? { prints: 0, bytes: 0 }
    return prints < most.prints && bytes + content.length <= most.bytes
  }

  return {
    async add(print, most) {
      while (!(await isRoom(print, most))) if ((await write(makeRoom(REMOVED_AT_ONCE))) === 0) return 'full'
      await write(...put([print]))
      return 'added'
    },
    list: ({ before = Number.MAX_SAFE_INTEGER, limit, status }) =>
      status === undefined ? page(before, limit) : pageOf(before, limit, status),
    get: one(PRINT_CONTENT, 'FROM prints WHERE id = $1'),
    fresh: rows(PRINT, `FROM prints WHERE status = 'new' ORDER BY seq LIMIT $1`),
    isCopy: async ({ seq, digest }, since) => (await copy(digest, seq, since)) !== undefined,
    async change(id, change) {
      await write(changePrint({ id, ...change }))
    },
    remove: async (id) => (await write(remove(id))) > 0,
    waiting: rows(WAITING, `FROM prints WHERE status = 'waiting' GROUP BY reason ORDER BY reason`),
    expire: (before) => write(expire(before)),
  }
}

export type SettingsChange = { [K in keyof PrinterSettings]?: PrinterSettings[K] | undefined }

export function readSettings(meta: MetaStore): PrinterSettings {
  const parsed = printerSettings.safeParse(JSON.parse(meta.get('printer') ?? '{}'))
  return parsed.success ? parsed.data : printerSettings.parse({})
}

/** @throws ApiError `conflict`, `invalid_request` */
export async function saveSettings(
  { meta, senders }: { meta: MetaStore; senders: SenderStore },
  change: SettingsChange,
): Promise<PrinterSettings> {
  const before = readSettings(meta)
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const next = printerSettings.parse({ ...before, ...Object.fromEntries(given) })
  if (next.sending && (next.number_rule === null || next.sender_code === null))
    throw new ApiError('conflict', 'Mark the number on a print, and choose a sender, before prints are sent.')
  if (next.sender_code !== null && next.sender_code !== before.sender_code)
    senderOfTexts(senders, next.sender_code, 'sender_code')
  await meta.save('printer', JSON.stringify(next))
  return next
}
