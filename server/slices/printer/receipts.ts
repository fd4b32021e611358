import { Readable } from 'node:stream'
import { ApiError, passes } from '../../contract/errors.ts'
import { normalisePhone } from '../../contract/phone.ts'
import { MESSAGE_MAX, type SendRequest } from '../../contract/send.ts'
import { MINUTE } from '../../lib/clock.ts'
import { SENT_ALONG_FOR } from '../../media/uploads.ts'
import { acceptRequest } from '../../messages/accept.ts'
import type { MessageContext } from '../../messages/context.ts'
import { keepFile } from '../../messages/files.ts'
import { countryOf } from '../../senders/pick.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import type { PrintReason } from './contract.ts'
import { isTooLong } from './escpos.ts'
import { type Line, messageText, printedLines } from './paper.ts'
import { canDraw, drawPdf } from './pdf.ts'
import { findNumber, findReference } from './rules.ts'
import { type PrintContent, type PrintOutcome, type PrintStore, readSettings } from './store.ts'

/**
 * An identical receipt within this time is a copy, because tills print a second one for the shop.
 */
const COPY_WITHIN = 10 * MINUTE

const waitingFor = (reason: PrintReason, known: Partial<PrintOutcome> = {}): PrintOutcome => ({
  ...{ status: 'waiting', reason, error: null, phone: null, reference: null },
  ...known,
})

export const sentTo = (phone: string, reference: string | null): PrintOutcome => ({
  ...{ status: 'sent', reason: null, error: null },
  ...{ phone, reference },
})

/**
 * Sends a print by the owner's rules, or returns the reason why it waits.
 * @throws ApiError if a later attempt may succeed
 */
export async function sendByRule(
  context: MessageContext,
  prints: PrintStore,
  print: PrintContent,
  lines: readonly Line[],
): Promise<PrintOutcome> {
  const { messages, meta } = context.store
  // The program ended after the message was accepted and before the print said so.
  const sent = await messages.find({ id: print.id })
  if (sent !== undefined) return sentTo(sent.recipient, sent.referenceId)
  if (isTooLong(print.content)) return waitingFor('too_long')
  const { number_rule, reference_rule, sending } = readSettings(meta)
  const printed = printedLines(lines)
  const reference = reference_rule === null ? null : findReference(reference_rule, printed)
  if (number_rule === null) return waitingFor('no_rule', { reference })
  const number = findNumber(number_rule, printed)
  if (number.kind === 'none') return waitingFor('no_number', { reference })
  if (number.kind === 'several') return waitingFor('several_numbers', { reference })
  const known = { phone: number.value, reference }
  if (!sending) return waitingFor('off', known)
  if (await prints.isCopy(print, print.at - COPY_WITHIN)) return waitingFor('copy', known)
  try {
    return sentTo(await sendReceipt(context, print, lines, known), reference)
  } catch (error) {
    if (!(error instanceof ApiError) || passes(error)) throw error
    const code = error.extras.details?.[0]?.field === 'phone' ? 'bad_number' : 'refused'
    return waitingFor(code, { ...known, error: error.code })
  }
}

/**
 * Has a print accepted in the same way as POST /send. Resolves with the recipient as stored.
 * @throws ApiError
 */
export async function sendReceipt(
  context: MessageContext,
  print: PrintContent,
  lines: readonly Line[],
  { phone, reference }: { phone: string; reference: string | null },
): Promise<string> {
  const { store, files } = context
  const known = await store.messages.find({ id: print.id })
  if (known !== undefined) return known.recipient
  if (isTooLong(print.content)) throw tooLong()
  const { sender_code, form, caption } = readSettings(store.meta)
  const sender = sender_code === null ? undefined : store.senders.byCode(sender_code)
  if (sender === undefined || sender.kind === 'official')
    throw new ApiError('sender_not_found', 'The sender of the printer is not there.')
  const named = { ...context, newId: () => print.id }
  const accept = (request: SendRequest) =>
    acceptRequest(named, { sender, key: null, request, answer: ({ recipient }) => recipient })
  const read = normalisePhone(phone, countryOf(store.senders, sender))
  const request = { phone: read.ok ? read.phone : phone, reference_id: reference, delay: 0 }
  if (form === 'text' || !canDraw(lines)) {
    const text = messageText(lines)
    if (text.length > MESSAGE_MAX) throw tooLong()
    return accept({ ...request, message: text })
  }
  const file = await keepFile(files.uploads, {
    content: Readable.from([drawPdf(lines)]),
    name: `${reference ?? 'receipt'}.pdf`,
    contentType: 'application/pdf',
    keyNumber: null,
    keptFor: SENT_ALONG_FOR,
  })
  return accept({ ...request, message: caption ?? '', file_id: file.id, filename: file.name }).catch(
    async (error: unknown) => {
      await files.uploads.discard(file.id).catch(() => undefined)
      throw error
    },
  )
}

const tooLong = () => invalidRequest([fieldProblem('message', 'too_long', { max: MESSAGE_MAX })])
