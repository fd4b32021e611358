import { randomInt } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type { PasskeyAssertion } from '../contract/passkey.ts'
import type { SecondRoad } from '../contract/second-road.ts'
import {
  type CreateSenderRequest,
  type LinkRequest,
  SANDBOX_CODE,
  type SenderKind,
  type SenderSettings,
  type SenderView,
  type UpdateSenderRequest,
} from '../contract/senders.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { localMonth } from '../lib/local-time.ts'
import type {
  FigureStore,
  MessageStore,
  SenderChange,
  SenderRow,
  SenderStore,
  SendingStateStore,
} from '../store/index.ts'
import { LAST_PLACE } from '../store/index.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import type { AllPaused } from './all-paused.ts'
import type { SenderConnection } from './connection.ts'
import type { OfficialAccountsPort } from './official.ts'
import { senderByCode } from './pick.ts'
import { senderEvent } from './states.ts'
import { senderView } from './view.ts'

// Without letters and digits that are mistaken for each other on the phone.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

const DEFAULTS: Omit<SenderSettings, 'name'> = {
  pacing: { min_seconds: 2, max_seconds: 5 },
  daily_cap: null,
  quiet_hours: null,
  country_code: null,
  second_road: null,
}

/** The running side of senders. */
export interface ConnectionsPort {
  /** Official senders have none. */
  get(senderId: number): SenderConnection | undefined
  start(sender: SenderRow): Promise<void>
  /** For good: what is under way may come to its end later. */
  end(senderId: number): Promise<void>
}

export interface SenderServiceDeps {
  senders: SenderStore
  sendingState: SendingStateStore
  messages: MessageStore
  figures: FigureStore
  connections: ConnectionsPort
  official: OfficialAccountsPort
  allPaused: AllPaused
  /** Ends what waits for a sender that is deleted. */
  endWaiting: (senderId: number) => Promise<void>
  bus: Bus
  clock: Clock
}

export type SenderService = ReturnType<typeof createSenderService>

const newCode = (): string => `SND-${Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`

/** Senders as the owner handles them. */
export function createSenderService(deps: SenderServiceDeps) {
  const { senders, connections, official, bus, clock } = deps

  /** @throws ApiError `sender_not_found` */
  const get = (code: string): SenderRow => senderByCode(senders, code)

  async function view(sender: SenderRow): Promise<SenderView> {
    const now = clock.now()
    const waiting = deps.messages.waiting(sender.id)
    const facts = {
      allPaused: deps.allPaused.isOn(),
      sending: await deps.sendingState.get(sender.id),
      waiting,
      due: waiting === 0 ? 0 : await deps.messages.dueBefore(sender.id, LAST_PLACE, now),
      linking: connections.get(sender.id)?.linking() ?? null,
      official: sender.kind === 'official' ? await official.view(sender) : null,
      secondRoad: await secondRoadView(sender),
    }
    return senderView(sender, facts, now)
  }

  async function secondRoadView(sender: SenderRow): Promise<SenderView['second_road']> {
    const road = sender.settings.second_road
    if (road === null) return null
    return { ...road, used: await deps.figures.secondRoads(sender.id, localMonth(clock.now())) }
  }

  /**
   * @throws ApiError `invalid_request` when a second road does not lead from a linked sender to an
   *   official one
   */
  function checkSecondRoad(kind: SenderKind, road: SecondRoad | null | undefined): void {
    if (road == null) return
    if (kind !== 'linked') throw invalidRequest([fieldProblem('second_road', 'only_linked')])
    if (senders.byCode(road.sender_code)?.kind === 'official') return
    throw invalidRequest([fieldProblem('second_road.sender_code', 'not_official')])
  }

  function connectionOf(code: string): SenderConnection {
    const sender = get(code)
    const connection = connections.get(sender.id)
    if (sender.kind !== 'linked' || connection === undefined) {
      throw new ApiError('sender_kind_mismatch', `${code} is not linked by QR code.`)
    }
    return connection
  }

  async function change(code: string, decide: (sender: SenderRow) => SenderChange): Promise<SenderView> {
    const { id } = get(code)
    await senders.change(id, decide)
    bus.emit('sender', { code })
    bus.emit('lane', { senderId: id })
    return view(get(code))
  }

  async function create(request: CreateSenderRequest, code = newCode()): Promise<SenderRow> {
    checkSecondRoad(request.kind, request.second_road)
    const settings = { ...DEFAULTS, ...settingsIn(request), name: request.name }
    if (request.kind !== 'linked' && request.pacing === undefined) settings.pacing = { min_seconds: 0, max_seconds: 0 }
    const isOfficial = request.kind === 'official'
    const sender = await senders.add(
      {
        code,
        kind: request.kind,
        settings,
        state: request.kind === 'linked' ? 'unlinked' : 'connected',
        official: isOfficial ? official.ids(null, request) : null,
        createdAt: clock.now(),
      },
      isOfficial ? (id) => official.seal(id, null, request) : undefined,
    )
    await connections.start(sender)
    if (isOfficial) official.saved(sender)
    bus.emit('sender', { code })
    return sender
  }

  return {
    get,
    view,
    list: (): Promise<SenderView[]> => Promise.all(senders.list().map(view)),
    create,
    /** One sandbox exists from the first start. */
    async ensureSandbox(): Promise<void> {
      if (senders.list().some((sender) => sender.kind === 'sandbox')) return
      await create({ kind: 'sandbox', name: 'Sandbox' }, SANDBOX_CODE)
    },
    async update(code: string, request: UpdateSenderRequest): Promise<SenderView> {
      checkSecondRoad(get(code).kind, request.second_road)
      const changed = await change(code, (sender) => ({
        settings: { ...sender.settings, ...settingsIn(request) },
        ...(sender.kind === 'official'
          ? { official: official.ids(sender, request), secrets: official.seal(sender.id, sender, request) }
          : {}),
      }))
      if (changed.kind === 'official') official.saved(get(code))
      return changed
    },
    pause: (code: string): Promise<SenderView> => change(code, () => ({ paused: true })),
    async unpause(code: string): Promise<SenderView> {
      const changed = await change(code, () => ({ paused: false }))
      connections.get(get(code).id)?.resume()
      return changed
    },
    async link(code: string, request: LinkRequest): Promise<SenderView> {
      await connectionOf(code).link(request)
      return view(get(code))
    },
    async answerPasskey(code: string, assertion: PasskeyAssertion): Promise<SenderView> {
      if (await connectionOf(code).answerPasskey(assertion)) return view(get(code))
      throw new ApiError('conflict', `WhatsApp asks for no passkey of ${code} now. Begin linking again.`)
    },
    async confirmPasskey(code: string): Promise<SenderView> {
      if (await connectionOf(code).confirmPasskey()) return view(get(code))
      throw new ApiError('conflict', `There is no code of ${code} to compare now.`)
    },
    /** The number that is linked now is the right one: what waits goes on through it. */
    confirmPhone: (code: string): Promise<SenderView> => change(code, () => ({ previousPhone: null })),
    async unlink(code: string): Promise<SenderView> {
      await connectionOf(code).unlink()
      return view(get(code))
    },
    async remove(code: string): Promise<void> {
      const sender = get(code)
      if (code === SANDBOX_CODE) throw new ApiError('conflict', 'The sandbox always exists, for trying things out.')
      const since = clock.now()
      const unlinked = { ...sender, state: 'unlinked', reason: 'unlinked_by_owner', since } as const
      const isNews = sender.kind === 'linked' && sender.announced !== 'sender.unlinked'
      // First, so that no message is accepted after those that wait were ended.
      const endpoints = await senders.remove(
        sender.id,
        since,
        isNews ? senderEvent('sender.unlinked', unlinked) : undefined,
      )
      bus.emit('sender', { code })
      for (const endpointId of endpoints) bus.emit('deliveries', { endpointId })
      if (sender.kind === 'linked') await connections.get(sender.id)?.unlink()
      await connections.end(sender.id)
      await deps.endWaiting(sender.id)
    },
  }
}

/** Settings in a request. */
const settingsIn = ({ name, pacing, daily_cap, quiet_hours, country_code, second_road }: UpdateSenderRequest) =>
  withoutUndefined({ name, pacing, daily_cap, quiet_hours, country_code, second_road })

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
