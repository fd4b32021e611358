import { ApiError } from '../../contract/errors.ts'
import { formatPhone, normalisePhone } from '../../contract/phone.ts'
import { fillIn, ownFieldsOf } from '../../contract/placeholders.ts'
import { LARGEST_FILE } from '../../media/kind.ts'
import { SENT_ALONG_FOR, type UploadRow } from '../../media/uploads.ts'
import { acceptRequest } from '../../messages/accept.ts'
import { keepFile } from '../../messages/files.ts'
import { countryOf } from '../../senders/pick.ts'
import type { SenderRow } from '../../store/index.ts'
import { formatsOf } from '../../words/format.ts'
import { WORDS } from '../../words/index.ts'
import { say } from '../../words/say.ts'
import {
  type DropContext,
  digestOf,
  Held,
  openContent,
  refuse,
  refuseOverLimit,
  sent,
  type Verdict,
  waitFor,
} from './context.ts'
import type { DropFolderSettings, DropReason } from './contract.ts'
import { type Found, hasWhy, look, moveToFailed, moveToSent, type Places } from './folder.ts'
import { isSent, isTable, type ReadName, readName } from './name.ts'
import type { DropRow } from './store.ts'
import { judgeTable } from './table.ts'

type Named = Extract<ReadName, { kind: 'sent' }>

export type Worker = ReturnType<typeof createWorker>

/** Creates the worker that turns each file into one message and moves the file. */
export function createWorker(context: DropContext) {
  const { messaging, drops, tables, settings: ofOwner } = context
  const { store, files, newId, now } = messaging
  const { senders, messages } = store
  const { uploads } = files
  /** Verdicts on files that could not be moved yet, so that these are not read again. */
  const verdicts = new Map<string, { print: string; verdict: Verdict }>()

  function senderOf({ sender_code }: DropFolderSettings): SenderRow {
    const sender = sender_code === null ? undefined : senders.byCode(sender_code)
    if (sender === undefined || sender.kind === 'official') throw new Held('no_sender')
    return sender
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
   * Judges a file and has its message accepted. Resolves with undefined if the file changed
   * meanwhile.
   * @throws Held, or a temporary error
   */
  async function judge(
    places: Places,
    file: Found,
    settings: DropFolderSettings,
    pending: boolean,
  ): Promise<Verdict | undefined> {
    const sender = senderOf(settings)
    if (!file.isPlain) return refuse('link')
    if (isTable(file.name)) return judgeTable(context, places, file, settings, sender)
    const named = readName(file.name)
    if (named.kind === 'refused') return refuse(named.reason)
    const number = normalisePhone(named.phone, countryOf(senders, sender))
    if (!number.ok) return refuse(number.problem === 'no_country_code' ? 'no_country_code' : 'bad_number')
    if (named.reference === null && ownFieldsOf(settings.text).length > 0) return refuse('no_reference')
    if (file.size === 0) return refuse('empty')
    if (file.size > LARGEST_FILE) return refuse('too_large')
    if (!pending) await refuseOverLimit(context, settings)
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
      // discard() removes the copy only if no message uses it.
      await uploads.discard(upload.id).catch(() => undefined)
    }
  }

  /**
   * Finds the row of the same file. A file whose message failed or was cancelled may come again.
   */
  async function knownBy(digest: string): Promise<DropRow | undefined> {
    const row = await drops.byDigest(digest)
    const message = row?.status === 'moved' ? await messages.find({ id: row.id }) : undefined
    if (row === undefined || (message?.status !== 'failed' && message?.status !== 'cancelled')) return row
    await drops.change(row.id, { digest: null })
    return undefined
  }

  /** Copies the file into Kurir first, so that nobody can change it while it waits. */
  async function copy(file: Found, { reference, ending }: Named, settings: DropFolderSettings) {
    const content = await openContent(context, file, settings)
    try {
      return await keepFile(uploads, {
        content,
        // The customer sees this name, so it leaves out the customer's number.
        name: reference === null ? undefined : `${reference}${ending}`,
        contentType: undefined,
        keyNumber: null,
        keptFor: SENT_ALONG_FOR,
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payload_too_large') return 'too_large' as const
      if (error instanceof ApiError) waitFor(error)
      throw error
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
    await refuseOverLimit(context, settings)
    const row = { id: newId(), at: now(), digest, name, phone, reference, rows: null }
    const drop = { ...row, movedAs: null, status: 'new' as const, reason: null }
    await drops.add(drop)
    return { seq: 0, ...drop }
  }

  /**
   * Has the message accepted unless it already is. Resolves with the reason for a refusal, or null.
   */
  async function accept(row: DropRow, sender: SenderRow, upload: UploadRow, text: string): Promise<DropReason | null> {
    // The program ended after the message was accepted and before the row said so.
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
      const named = { ...messaging, newId: () => row.id }
      return await acceptRequest(named, { sender, key: null, request, answer: () => null })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      waitFor(error)
      return error.extras.details?.[0]?.field === 'phone' ? 'bad_number' : 'refused'
    }
  }

  const isSentAlready = async ({ id, rows }: DropRow): Promise<boolean> =>
    rows === null ? (await messages.find({ id })) !== undefined : (await tables.find(id))?.plannedAt != null

  const whyText = (name: string, reason: DropReason, lines: readonly string[] = []): string => {
    const words = WORDS[ofOwner().language]
    return [name, '', say(words, `dropReasons.${reason}`), ...(lines.length > 0 ? ['', ...lines] : []), ''].join('\r\n')
  }

  /**
   * Moves the file as the verdict says. Resolves with false if the file was exchanged and stays.
   */
  async function carryOut(places: Places, file: Found, verdict: Verdict): Promise<boolean> {
    if (verdict.to === 'sent') {
      const { refusedRows } = verdict
      const why = refusedRows.length === 0 ? undefined : whyText(file.name, 'some_rows', refusedRows)
      const note = (movedAs: string) => drops.change(verdict.id, { movedAs })
      const movedAs = await moveToSent(places, file, why, note)
      if (movedAs !== undefined) await drops.change(verdict.id, { status: 'moved' })
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
     * Judges and moves a complete file. Resolves with true if it left the folder.
     * @param pending true if an unfinished row has this name
     * @throws Held, or the error of the disk or the system
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

    /**
     * Finishes a row whose file left the folder because it was moved or somebody took it. Resolves
     * with false while the file is there.
     */
    async settle(places: Places, row: DropRow): Promise<boolean> {
      if ((await look(places.inbox, row.name)) !== undefined) return false
      if (row.status === 'new' && !(await isSentAlready(row))) await drops.remove(row.id)
      else await drops.change(row.id, { status: 'moved' })
      return true
    },

    /** Counts tables with refused rows whose explanation has not been deleted. */
    async countPartly(places: Places): Promise<number> {
      let count = 0
      for (const { id, movedAs } of await drops.list(SHOWN_AT_ONCE, 'partly')) {
        if (movedAs !== null && (await hasWhy(places, movedAs))) count += 1
        else await drops.change(id, { reason: null })
      }
      return count
    },

    /**
     * Moves files of failed messages to `failed/`, so that `sent/` holds only files that went out.
     */
    async followFailures(places: Places): Promise<void> {
      for (const row of await drops.list(FAILED_AT_ONCE, 'failed')) {
        const file = row.movedAs === null ? undefined : await look(places.sent, row.movedAs)
        if (file !== undefined) await moveToFailed(places, file, whyText(row.name, 'message_failed'), 'sent')
        await drops.change(row.id, { movedAs: null })
      }
    },

    /** Forgets the verdicts on files that are gone. */
    forgetOthers(names: ReadonlySet<string>): void {
      for (const name of verdicts.keys()) if (!names.has(name)) verdicts.delete(name)
    },
  }
}

const FAILED_AT_ONCE = 50
const SHOWN_AT_ONCE = 50
