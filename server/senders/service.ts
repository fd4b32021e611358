import { randomInt } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { LinkRequest, PasskeyAssertion } from '../contract/linking.ts'
import type { SecondRoad } from '../contract/second-road.ts'
import {
  type CreateSenderRequest,
  SANDBOX_CODE,
  type SenderKind,
  type SenderView,
  type UpdateSenderRequest,
} from '../contract/senders.ts'
import { localMonth } from '../lib/local-time.ts'
import { endWaiting } from '../messages/actions.ts'
import type { MessageContext } from '../messages/context.ts'
import { areAllPaused } from '../messages/gates.ts'
import { countSecondRoads, LAST_PLACE, type SenderChange, type SenderRow, type Store } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { senderByCode } from './pick.ts'
import type { OfficialAccountsPort, SenderConnection, TemplatesPort } from './ports.ts'
import { senderEvent } from './states.ts'
import { senderView } from './view.ts'

// Without characters that people confuse when they read a code aloud on the phone.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

const DEFAULTS = {
  pacing: { min_seconds: 2, max_seconds: 5 },
  daily_cap: null,
  quiet_hours: null,
  country_code: null,
  second_road: null,
}

export interface ConnectionsPort {
  /** Returns undefined for official senders, which have no connection. */
  get(senderId: number): SenderConnection | undefined
  start(sender: SenderRow): Promise<void>
  /** Ends a connection for good; does not wait for messages in flight. */
  end(senderId: number): Promise<void>
}

export interface SenderContext {
  messaging: MessageContext
  connections: ConnectionsPort
  accounts: OfficialAccountsPort
  templates: TemplatesPort
}

const newCode = (): string => `SND-${Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`

/** @throws ApiError `sender_not_found` */
export const findSender = ({ messaging }: SenderContext, code: string): SenderRow =>
  senderByCode(messaging.store.senders, code)

export async function viewSender(context: SenderContext, sender: SenderRow): Promise<SenderView> {
  const { messaging, connections, accounts } = context
  const { store } = messaging
  const now = messaging.now()
  const waiting = store.queues.waiting(sender.id)
  const facts = {
    allPaused: areAllPaused(store),
    sending: await store.sendingState.get(sender.id),
    waiting,
    due: waiting === 0 ? 0 : await store.queues.dueBefore(sender.id, LAST_PLACE, now),
    linking: connections.get(sender.id)?.linking() ?? null,
    official: sender.kind === 'official' ? await accounts.view(sender) : null,
    secondRoad: await secondRoadView(messaging, sender),
  }
  return senderView(sender, facts, now)
}

export const listSenders = (context: SenderContext): Promise<SenderView[]> =>
  Promise.all(context.messaging.store.senders.list().map((sender) => viewSender(context, sender)))

async function secondRoadView({ store, now }: MessageContext, sender: SenderRow): Promise<SenderView['second_road']> {
  const road = sender.settings.second_road
  if (road === null) return null
  return { ...road, used: await countSecondRoads(store.figures, sender.id, localMonth(now())) }
}

/**
 * @throws ApiError `invalid_request` if a second road does not lead from a linked sender to an
 *   official one
 */
function checkSecondRoad({ store }: MessageContext, kind: SenderKind, road: SecondRoad | null | undefined): void {
  if (road == null) return
  if (kind !== 'linked') throw invalidRequest([fieldProblem('second_road', 'only_linked')])
  if (store.senders.byCode(road.sender_code)?.kind === 'official') return
  throw invalidRequest([fieldProblem('second_road.sender_code', 'not_official')])
}

function connectionOf(context: SenderContext, code: string): SenderConnection {
  const sender = findSender(context, code)
  const connection = context.connections.get(sender.id)
  if (sender.kind !== 'linked' || connection === undefined) {
    throw new ApiError('sender_kind_mismatch', `${code} is not linked by QR code.`)
  }
  return connection
}

async function changeSender(
  context: SenderContext,
  code: string,
  decide: (sender: SenderRow) => SenderChange,
): Promise<SenderView> {
  const { store, bus } = context.messaging
  const { id } = findSender(context, code)
  await store.senders.change(id, decide)
  bus.emit('sender', { code })
  bus.emit('lane', { senderId: id })
  return viewSender(context, findSender(context, code))
}

/** @throws ApiError `invalid_request` */
export async function createSender(
  { messaging, connections, accounts }: SenderContext,
  request: CreateSenderRequest,
  code = newCode(),
): Promise<SenderRow> {
  checkSecondRoad(messaging, request.kind, request.second_road)
  const settings = { ...DEFAULTS, ...settingsIn(request), name: request.name }
  if (request.kind !== 'linked' && request.pacing === undefined) settings.pacing = { min_seconds: 0, max_seconds: 0 }
  const isOfficial = request.kind === 'official'
  const sender = await messaging.store.senders.add(
    {
      code,
      kind: request.kind,
      settings,
      state: request.kind === 'linked' ? 'unlinked' : 'connected',
      official: isOfficial ? accounts.ids(null, request) : null,
      createdAt: messaging.now(),
    },
    isOfficial ? (id) => accounts.seal(id, null, request) : undefined,
  )
  await connections.start(sender)
  if (isOfficial) accounts.saved(sender, request)
  messaging.bus.emit('sender', { code })
  return sender
}

/** Creates the sandbox at the first start. */
export async function ensureSandbox(context: SenderContext): Promise<void> {
  if (context.messaging.store.senders.list().some((sender) => sender.kind === 'sandbox')) return
  await createSender(context, { kind: 'sandbox', name: 'Sandbox' }, SANDBOX_CODE)
}

export async function updateSender(
  context: SenderContext,
  code: string,
  request: UpdateSenderRequest,
): Promise<SenderView> {
  const { messaging, accounts } = context
  checkSecondRoad(messaging, findSender(context, code).kind, request.second_road)
  const changed = await changeSender(context, code, (sender) => ({
    settings: { ...sender.settings, ...settingsIn(request) },
    ...(sender.kind === 'official'
      ? { official: accounts.ids(sender, request), secrets: accounts.seal(sender.id, sender, request) }
      : {}),
  }))
  if (changed.kind === 'official') accounts.saved(findSender(context, code), request)
  return changed
}

export const pauseSender = (context: SenderContext, code: string): Promise<SenderView> =>
  changeSender(context, code, () => ({ paused: true }))

export async function unpauseSender(context: SenderContext, code: string): Promise<SenderView> {
  const changed = await changeSender(context, code, () => ({ paused: false }))
  await forgetPausedByReturn(context.messaging.store, code)
  context.connections.get(findSender(context, code).id)?.resume()
  return changed
}

export async function linkSender(context: SenderContext, code: string, request: LinkRequest): Promise<SenderView> {
  await connectionOf(context, code).link(request)
  return viewSender(context, findSender(context, code))
}

export async function answerPasskey(
  context: SenderContext,
  code: string,
  assertion: PasskeyAssertion,
): Promise<SenderView> {
  if (await connectionOf(context, code).answerPasskey(assertion)) return viewSender(context, findSender(context, code))
  throw new ApiError('conflict', `WhatsApp asks for no passkey of ${code} now. Begin linking again.`)
}

export async function confirmPasskey(context: SenderContext, code: string): Promise<SenderView> {
  if (await connectionOf(context, code).confirmPasskey()) return viewSender(context, findSender(context, code))
  throw new ApiError('conflict', `There is no code of ${code} to compare now.`)
}

/** Confirms the number that is linked now, so that waiting messages leave through it. */
export const confirmPhone = (context: SenderContext, code: string): Promise<SenderView> =>
  changeSender(context, code, () => ({ previousPhone: null }))

export async function unlinkSender(context: SenderContext, code: string): Promise<SenderView> {
  await connectionOf(context, code).unlink()
  return viewSender(context, findSender(context, code))
}

export async function removeSender(context: SenderContext, code: string): Promise<void> {
  const { messaging, connections } = context
  const { store, bus } = messaging
  const sender = findSender(context, code)
  if (code === SANDBOX_CODE) throw new ApiError('conflict', 'The sandbox always exists, for trying things out.')
  // Carry out held acts first, so that messages on the move to another sender do not end here.
  for (const { senderId, finish } of messaging.heldByOwner.values()) if (senderId === sender.id) await finish()
  const since = messaging.now()
  const unlinked = { ...sender, state: 'unlinked', reason: 'unlinked_by_owner', since } as const
  const isNews = sender.kind === 'linked' && sender.announced !== 'sender.unlinked'
  // The row goes first, so that no message is accepted after the waiting ones were ended.
  const endpoints = await store.senders.remove(
    sender.id,
    since,
    isNews ? senderEvent('sender.unlinked', unlinked) : undefined,
  )
  bus.emit('sender', { code })
  for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
  if (sender.kind === 'linked') await connections.get(sender.id)?.unlink()
  await connections.end(sender.id)
  await endWaiting(messaging, sender.id)
}

const settingsIn = ({ name, pacing, daily_cap, quiet_hours, country_code, second_road }: UpdateSenderRequest) =>
  withoutUndefined({ name, pacing, daily_cap, quiet_hours, country_code, second_road })

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/**
 * Returns the codes of the senders that are paused since data was restored or moved back. Senders
 * that were paused before are among them.
 */
export const pausedByReturn = ({ meta }: Store): string[] => (meta.get('paused_by_return') ?? '').split(' ')

async function forgetPausedByReturn(store: Store, code: string): Promise<void> {
  const all = pausedByReturn(store)
  if (!all.includes(code)) return
  await store.meta.save('paused_by_return', all.filter((other) => other !== code).join(' '))
}
