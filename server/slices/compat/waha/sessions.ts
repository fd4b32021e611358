import type { z } from 'zod'
import { type KnownCaller, keyOf, reaches } from '../../../access/keys.ts'
import type { ConnectionState } from '../../../contract/senders.ts'
import { pickSender } from '../../../senders/pick.ts'
import type { KeyRow, SenderRow, SenderStore } from '../../../store/index.ts'
import { pickNamed } from '../named-sender.ts'
import { personOf } from './chat.ts'
import type { WAHA_STATUSES, wahaSession } from './contract.ts'
import { noSession } from './failure.ts'

const DEFAULT = 'default'
/** The version of WAHA whose calls these are; some programs look for one that they need. */
export const WAHA_VERSION = '2026.7.1'
/** The one that takes files. */
export const TIER = 'PLUS'
/** Engine that WAHA has for linked numbers without a browser. */
export const ENGINE = 'NOWEB'

const STATUSES: Readonly<Record<ConnectionState, (typeof WAHA_STATUSES)[number]>> = {
  unlinked: 'SCAN_QR_CODE',
  linking: 'SCAN_QR_CODE',
  connecting: 'STARTING',
  connected: 'WORKING',
  offline: 'STARTING',
  logged_out: 'FAILED',
  replaced: 'STOPPED',
  restricted: 'FAILED',
}

export const statusOf = (state: ConnectionState) => STATUSES[state]

export const meOf = ({ phone, settings }: SenderRow) =>
  phone === null ? null : { id: personOf(phone), pushName: settings.name }

const isSession = ({ kind }: SenderRow): boolean => kind !== 'official'

/** The name of a sender: `default` for that of the key, and for the only linked one. */
export function sessionName(senders: SenderStore, sender: SenderRow, key: KeyRow | null): string {
  if (key?.kind === 'device') return key.senderId === sender.id ? DEFAULT : sender.code
  const linked = senders.list().filter(({ kind }) => kind === 'linked')
  return linked.length === 1 && linked[0]?.id === sender.id ? DEFAULT : sender.code
}

/** The sender that a call names as its session. @throws ApiError */
export function senderOf(senders: SenderStore, caller: KnownCaller, session = DEFAULT): SenderRow {
  if (session === DEFAULT || session === '') return pickSender(senders, caller, undefined, 'linked')
  const named = senders.byCode(session)
  if (named === undefined) throw noSession(session)
  return pickNamed(senders, caller, named, 'linked')
}

export const sessionView = (senders: SenderStore, caller: KnownCaller, sender: SenderRow) => ({
  name: sessionName(senders, sender, keyOf(caller)),
  status: statusOf(sender.state),
  config: {},
  me: meOf(sender),
  engine: { engine: ENGINE },
})

export const sessionsOf = (senders: SenderStore, caller: KnownCaller): z.output<typeof wahaSession>[] =>
  senders
    .list()
    .filter((sender) => isSession(sender) && reaches(caller, sender.id))
    .map((sender) => sessionView(senders, caller, sender))
