import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { DroppedOutcome, DroppedTable } from '../contract/dropped-tables.ts'
import { ApiError } from '../contract/errors.ts'
import { formatPhone, normalisePhone } from '../contract/phone.ts'
import { fillIn, ownFieldsOf } from '../contract/placeholders.ts'
import type { Settings } from '../contract/settings.ts'
import type { Clock } from '../lib/clock.ts'
import { startOfDay } from '../lib/local-time.ts'
import type { Logger } from '../lib/logger.ts'
import { LARGEST_FILE } from '../media/kind.ts'
import { openLocalFile } from '../media/local-file.ts'
import { SENT_ALONG_FOR, type UploadRow } from '../media/uploads.ts'
import { acceptMessage, prepareMessage, withFile } from '../messages/accept.ts'
import type { MessageContext } from '../messages/context.ts'
import { NOTHING_AS_SENT } from '../messages/new-message.ts'
import type { DropRow, SenderRow } from '../store/index.ts'
import { MOST_BYTES } from '../tables/contract.ts'
import { formatsOf } from '../words/format.ts'
import { WORDS } from '../words/index.ts'
import { say } from '../words/say.ts'
import type { DropFolderSettings, DropProblem, DropReason } from './contract.ts'
import { type Found, hasWhy, look, moveToFailed, moveToSent, type Places } from './folder.ts'
import { isSent, isTable, type ReadName, readName, refusedName } from './name.ts'

export interface DropContext {
  messaging: MessageContext
  tables: { take: (table: DroppedTable) => Promise<DroppedOutcome>; isTakenBack: (id: string) => Promise<boolean> }
  home: string
  settings: () => Settings
  clock: Clock
  logger: Logger
}

/** Nothing can be taken for a while: the folder waits as it is. */
export class Held extends Error {
  readonly problem: DropProblem

  constructor(problem: DropProblem) {
    super(problem)
    this.problem = problem
  }
}

/** The place that a file goes to. A refused one may have a row already. */
type Verdict =
  | { to: 'sent'; id: string; refusedRows: string[] }
  | { to: 'failed'; id: string | null; reason: DropReason; lines: string[] }

type Named = Extract<ReadName, { kind: 'sent' }>

/** Errors that pass: the file waits. */
const PASSING: ReadonlySet<string> = new Set(['storage_full', 'rate_limited', 'queue_full'])

/** The reason to wait for an error that passes by itself. */
function heldBy({ code }: ApiError): Held | undefined {
  if (code === 'sender_not_found') return new Held('no_sender')
  return PASSING.has(code) ? new Held('full') : undefined
}

const digestOf = (name: string, sha256: string): string =>
  createHash('sha256').update(`${name}\0${sha256}`).digest('hex')

/** All of a file that is no larger than a table may be, and one byte more of others. */
async function wholeOf(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = MOST_BYTES + 1
  for await (const chunk of content as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    left -= chunk.length
    if (left <= 0) break
  }
  return Buffer.concat(chunks)
}

export type Worker = ReturnType<typeof createWorker>

/** Turns a file into a message, once, and moves it. */
export function createWorker({ messaging, tables: slice, home, settings: ofOwner }: DropContext) {
  const { store, files, newId, now } = messaging
  const { drops, senders, messages, tables } = store
  const { uploads } = files
  /** Files that could not be moved yet, so that they are not read again. */
  const verdicts = new Map<string, { print: string; verdict: Verdict }>()

  const refuse = (reason: DropReason, id: string | null = null, lines: string[] = []): Verdict => ({
    ...{ to: 'failed', id, reason, lines },
  })
  const sent = (id: string, refusedRows: string[] = []): Verdict => ({ to: 'sent', id, refusedRows })

  function senderOf({ sender_code }: DropFolderSettings): SenderRow {
    const sender = sender_code === null ? undefined : senders.byCode(sender_code)
    if (sender === undefined || sender.kind === 'official') throw new Held('no_sender')
    return sender
  }

  /** The sandbox has no number of its own: it rehearses for the owner's. */
  function countryOf(sender: SenderRow): string | null {
    if (sender.settings.country_code !== null || sender.kind !== 'sandbox') return sender.settings.country_code
    const [country, ...others] = new Set(senders.list().flatMap(({ settings }) => settings.country_code ?? []))
    return others.length === 0 ? (country ?? null) : null
  }

  function textFor({ text }: DropFolderSettings, sender: SenderRow, phone: string, reference: string | null) {
    const formats = formatsOf(ofOwner().language)
    const at = new Date(now()).toISOString()
    const known = {
      date: formats.date(at),
      time: formats.clock(at),
      phone: formatPhone(phone),
      sender: sender.settings.name,
    }
    return fillIn(text, known, { reference: reference ?? '', referensi: reference ?? '' })
  }

  /**
   * Judges a file that stands still; undefined: it changed meanwhile.
   * @throws Held, and what passes
   */
  async function judge(places: Places, file: Found, settings: DropFolderSettings, pending: boolean) {
    const sender = senderOf(settings)
    if (!file.isPlain) return refuse('link')
    if (isTable(file.name)) return judgeTable(places, file, settings, sender)
    const named = readName(file.name)
    if (named.kind === 'refused') return refuse(named.reason)
    const number = normalisePhone(named.phone, countryOf(sender))
    if (!number.ok) return refuse(number.problem === 'no_country_code' ? 'no_country_code' : 'bad_number')
    if (named.reference === null && ownFieldsOf(settings.text).length > 0) return refuse('no_reference')
    if (file.size === 0) return refuse('empty')
    if (file.size > LARGEST_FILE) return refuse('too_large')
    if (!pending) await refuseOverLimit(settings)
    const upload = await copy(file, named, settings)
    if (upload === 'too_large') return refuse('too_large')
    try {
      if ((await look(places.inbox, file.name))?.print !== file.print || upload.size !== file.size) return undefined
      if (!isSent(upload.mimetype)) return refuse('not_this_kind')
      const digest = digestOf(file.name, upload.sha256)
      const known = await knownBy(digest)
      if (known?.status === 'moved') return refuse('sent_before')
      const row = known ?? (await add(file, digest, number.phone, named.reference, settings))
      if (row.status === 'accepted') return sent(row.id)
      const reason = await accept(row, sender, upload, textFor(settings, sender, number.phone, named.reference))
      if (reason !== null) return refuse(reason, row.id)
      await drops.change(row.id, { status: 'accepted' })
      return sent(row.id)
    } finally {
      // It stays where its message has it.
      await uploads.discard(upload.id).catch(() => undefined)
    }
  }

  /** The same for a table; `pending` is told by its row. */
  async function judgeTable(places: Places, file: Found, settings: DropFolderSettings, { code }: SenderRow) {
    const { name } = file
    const wrong = refusedName(name)
    if (wrong !== undefined) return refuse(wrong)
    if (file.size === 0) return refuse('empty')
    if (file.size > MOST_BYTES) return refuse('table_too_large')
    const bytes = await wholeOf(await contentOf(file, settings))
    if ((await look(places.inbox, name))?.print !== file.print || bytes.length !== file.size) return undefined
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const digest = digestOf(name, sha256)
    const known = await knownTableBy(digest)
    if (known?.status === 'moved') return refuse('sent_before')
    const id = known?.id ?? newId()
    let isOver = false

    async function allow(rows: number): Promise<void> {
      if (known !== undefined) return drops.change(id, { rows })
      isOver = rows > settings.daily_limit
      await refuseOverLimit(settings, rows)
      const row = { id, at: now(), digest, name, rows, movedAs: null, reason: null, phone: null, reference: null }
      await drops.add({ ...row, status: 'new' })
    }

    try {
      const text = settings.table_text
      const taken = await slice.take({ id, name, bytes, senderCode: code, text, allow })
      if (!taken.sent) return refuse(taken.why, known?.id, taken.refused)
      await drops.change(id, { status: 'accepted', reason: taken.refused.length === 0 ? null : 'some_rows' })
      return sent(id, taken.refused)
    } catch (error) {
      if (isOver) return refuse('table_over_limit')
      if (!(error instanceof ApiError)) throw error
      throw error.code === 'conflict' ? new Held('tables_full') : (heldBy(error) ?? error)
    }
  }

  /** The row of the same file; one whose message came to nothing may be tried again. */
  async function knownBy(digest: string): Promise<DropRow | undefined> {
    const row = await drops.byDigest(digest)
    const message = row?.status === 'moved' ? await messages.find({ id: row.id }) : undefined
    if (row === undefined || (message?.status !== 'failed' && message?.status !== 'cancelled')) return row
    await drops.change(row.id, { digest: null })
    return undefined
  }

  /** The same for a table; one that was taken back whole counts for no limit. */
  async function knownTableBy(digest: string): Promise<DropRow | undefined> {
    const row = await drops.byDigest(digest)
    if (row?.status !== 'moved' || !(await slice.isTakenBack(row.id))) return row
    await drops.change(row.id, { digest: null, rows: 0 })
    return undefined
  }

  async function refuseOverLimit({ daily_limit }: DropFolderSettings, count = 1): Promise<void> {
    if ((await drops.takenSince(startOfDay(now()))) + count > daily_limit) throw new Held('limit')
  }

  async function contentOf({ name }: Found, { folder }: DropFolderSettings): Promise<Readable> {
    const address = pathToFileURL(join(folder ?? '', name)).href
    return (await openLocalFile(address, { folders: [folder ?? ''], home })).content
  }

  /** Copies a file before it is sent, so that nobody changes it meanwhile. */
  async function copy(file: Found, { reference, ending }: Named, settings: DropFolderSettings) {
    const content = await contentOf(file, settings)
    try {
      return await uploads.store({
        content,
        // The customer's number is no part of the name that the customer sees.
        name: reference === null ? undefined : `${reference}${ending}`,
        contentType: undefined,
        keyNumber: null,
        keptFor: SENT_ALONG_FOR,
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payload_too_large') return 'too_large' as const
      throw error instanceof ApiError && PASSING.has(error.code) ? new Held('full') : error
    } finally {
      content.destroy()
    }
  }

  async function add(
    { name }: Found,
    digest: string,
    phone: string,
    reference: string | null,
    settings: DropFolderSettings,
  ): Promise<DropRow> {
    await refuseOverLimit(settings)
    const row = { id: newId(), at: now(), digest, name, phone, reference, rows: null }
    const drop = { ...row, movedAs: null, status: 'new' as const, reason: null }
    await drops.add(drop)
    return { seq: 0, ...drop }
  }

  /** Has the message accepted, unless it is; resolves with why it was refused. */
  async function accept(row: DropRow, sender: SenderRow, upload: UploadRow, text: string): Promise<DropReason | null> {
    // It was accepted, and the program ended before that could be noted.
    if ((await messages.find({ id: row.id })) !== undefined) return null
    const request = {
      phone: row.phone ?? '',
      message: text,
      reference_id: row.reference,
      delay: 0,
      file_id: upload.id,
      filename: upload.name,
    }
    try {
      await withFile(files, request, null, async (attached) => {
        const context = { ...messaging, newId: () => row.id }
        const message = await prepareMessage(context, { sender, key: null }, request, NOTHING_AS_SENT, attached)
        await acceptMessage(messaging, message, { key: null })
      })
      return null
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (heldBy(error) !== undefined) throw heldBy(error)
      return error.extras.details?.[0]?.field === 'phone' ? 'bad_number' : 'refused'
    }
  }

  const isSentAlready = async ({ id, rows }: DropRow): Promise<boolean> =>
    rows === null ? (await messages.find({ id })) !== undefined : (await tables.find(id))?.plannedAt != null

  const whyText = (name: string, reason: DropReason, lines: readonly string[] = []): string => {
    const words = WORDS[ofOwner().language]
    return [name, '', say(words, `dropReasons.${reason}`), ...(lines.length > 0 ? ['', ...lines] : []), ''].join('\r\n')
  }

  /** Moves the file; resolves with whether it is where it belongs. */
  async function carryOut(places: Places, file: Found, verdict: Verdict): Promise<boolean> {
    if (verdict.to === 'sent') {
      const { refusedRows } = verdict
      const why = refusedRows.length === 0 ? undefined : whyText(file.name, 'some_rows', refusedRows)
      const movedAs = await moveToSent(places, file, why)
      if (movedAs !== undefined) await drops.change(verdict.id, { status: 'moved', movedAs })
      return movedAs !== undefined
    }
    const { id, reason, lines } = verdict
    if ((await moveToFailed(places, file, whyText(file.name, reason, lines))) === undefined) return false
    if (id !== null) await drops.change(id, { status: 'refused', reason, digest: null })
    else {
      const row = { id: newId(), digest: null, at: now(), name: file.name, movedAs: null }
      await drops.add({ ...row, status: 'refused', reason, phone: null, reference: null, rows: null })
    }
    return true
  }

  return {
    /**
     * Works on a file that stands still; resolves with whether it left the folder.
     * @param pending a row of this name is not finished
     * @throws Held, and what the disk or the system says
     */
    async work(places: Places, file: Found, settings: DropFolderSettings, pending: boolean): Promise<boolean> {
      const known = verdicts.get(file.name)
      const verdict = known?.print === file.print ? known.verdict : await judge(places, file, settings, pending)
      verdicts.delete(file.name)
      if (verdict === undefined) return false
      verdicts.set(file.name, { print: file.print, verdict })
      const isMoved = await carryOut(places, file, verdict)
      verdicts.delete(file.name)
      return isMoved
    },

    /** Ends rows whose files are gone: they were moved, or somebody took them away. */
    async settle(places: Places, row: DropRow): Promise<boolean> {
      if ((await look(places.inbox, row.name)) !== undefined) return false
      if (row.status === 'new' && !(await isSentAlready(row))) await drops.remove(row.id)
      else await drops.change(row.id, { status: 'moved' })
      return true
    },

    /** Tables of which rows were refused, as long as the text that says why is not thrown away. */
    async countPartly(places: Places): Promise<number> {
      let count = 0
      for (const { id, movedAs } of await drops.partly(SHOWN_AT_ONCE)) {
        if (movedAs !== null && (await hasWhy(places, movedAs))) count += 1
        else await drops.change(id, { reason: null })
      }
      return count
    },

    /** Moves files whose messages have failed: `sent/` must not hold what nobody got. */
    async followFailures(places: Places): Promise<void> {
      for (const row of await drops.failed(FAILED_AT_ONCE)) {
        const file = row.movedAs === null ? undefined : await look(places.sent, row.movedAs)
        if (file !== undefined) await moveToFailed(places, file, whyText(row.name, 'message_failed'), 'sent')
        await drops.change(row.id, { movedAs: null })
      }
    },

    /** Files that are gone need not be remembered. */
    forgetOthers(names: ReadonlySet<string>): void {
      for (const name of verdicts.keys()) if (!names.has(name)) verdicts.delete(name)
    },
  }
}

const FAILED_AT_ONCE = 50
const SHOWN_AT_ONCE = 50
