import { ApiError } from '../contract/errors.ts'
import { SANDBOX_CODE, type SenderKind } from '../contract/senders.ts'
import type { KeyRow, SenderRow, SenderStore } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

const DESCRIPTION: Record<SenderKind, string> = {
  linked: 'a number linked by QR code: use /send',
  official: 'an official sender: use /waba/send-template',
  sandbox: 'a sandbox',
}

/** Describes an official sender in the error to a caller that writes to a group. */
export const NO_GROUPS = 'an official sender: messages to groups leave from numbers linked by QR code alone'

/** @throws ApiError `sender_not_found` */
export function senderByCode(senders: SenderStore, code: string): SenderRow {
  const sender = senders.byCode(code)
  if (sender === undefined) throw new ApiError('sender_not_found', `There is no sender ${code}.`)
  return sender
}

/**
 * Returns the sender of a device key.
 * @throws ApiError `sender_not_found` if that sender was deleted, because the key reaches no other
 */
export function ownSender(senders: SenderStore, key: KeyRow): SenderRow {
  const sender = key.senderId === null ? undefined : senders.get(key.senderId)
  if (sender === undefined) throw new ApiError('sender_not_found', 'The sender of this key was deleted.')
  return sender
}

function ofDeviceKey(senders: SenderStore, key: KeyRow, code: string | undefined): SenderRow {
  const sender = ownSender(senders, key)
  if (code !== undefined && code !== sender.code) {
    throw new ApiError(
      'sender_not_allowed',
      `This key belongs to ${sender.code} and cannot send through another sender.`,
    )
  }
  return sender
}

const ADD = { linked: 'Link a number', official: 'Add an official number' }

function theOnlyOne(senders: SenderStore, kind: keyof typeof ADD): SenderRow {
  const [first, second] = senders.list().filter((sender) => sender.kind === kind)
  if (first !== undefined && second === undefined) return first
  throw new ApiError(
    'sender_code_required',
    first === undefined
      ? `There is no sender for this yet. ${ADD[kind]} in the window, or name the sandbox: "sender_code": "${SANDBOX_CODE}".`
      : 'This key reaches several senders: say which one with sender_code.',
    { details: [fieldProblem('sender_code', 'required')] },
  )
}

function ofKind(sender: SenderRow, kind: 'linked' | 'official', description = DESCRIPTION[sender.kind]): SenderRow {
  if (sender.kind === kind || sender.kind === 'sandbox') return sender
  throw new ApiError('sender_kind_mismatch', `${sender.code} is ${description}.`)
}

/**
 * Refuses a device key whose sender can never send by this route, before the request body is read.
 * @throws ApiError `sender_not_found`, `sender_kind_mismatch`
 */
export function checkOwnSender(senders: SenderStore, key: KeyRow | null, kind: 'linked' | 'official'): void {
  if (key?.kind === 'device') ofKind(ofDeviceKey(senders, key, undefined), kind)
}

/**
 * Returns the sender of a request: the key's own, the named one, or the only one of its kind.
 * @param key null: the owner
 * @param description describes a sender of another kind in the error, in place of the usual text
 * @throws ApiError
 */
export function pickSender(
  senders: SenderStore,
  key: KeyRow | null,
  code: string | undefined,
  kind: 'linked' | 'official',
  description?: string,
): SenderRow {
  if (key?.kind === 'device') return ofKind(ofDeviceKey(senders, key, code), kind, description)
  return ofKind(code === undefined ? theOnlyOne(senders, kind) : senderByCode(senders, code), kind, description)
}

/**
 * Returns the country code for numbers that begin with 0; null: unknown. The sandbox takes the code
 * of the owner's other senders if they all have the same, because it rehearses for them.
 */
export function countryOf(senders: SenderStore, { kind, settings }: SenderRow): string | null {
  if (settings.country_code !== null || kind !== 'sandbox') return settings.country_code
  const [country, ...others] = new Set(senders.list().flatMap((one) => one.settings.country_code ?? []))
  return others.length === 0 ? (country ?? null) : null
}

/**
 * Returns a named sender, if it can send texts.
 * @param field the member of the request that names the sender
 * @throws ApiError `invalid_request`
 */
export function senderOfTexts(senders: SenderStore, code: string, field: string): SenderRow {
  const sender = senders.byCode(code)
  if (sender === undefined) throw invalidRequest([fieldProblem(field, 'no_such_sender')])
  if (sender.kind === 'official') throw invalidRequest([fieldProblem(field, 'only_linked')])
  return sender
}
