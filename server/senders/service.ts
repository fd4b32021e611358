import { randomInt } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import type {
  CreateSenderRequest,
  LinkRequest,
  SenderSettings,
  SenderView,
  UpdateSenderRequest,
} from '../contract/senders.ts'
import type { Bus } from '../lib/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { nextOpening } from '../messages/gates.ts'
import type { LaneState } from '../store/sqlite/lanes.ts'
import type { SenderRow, Senders } from '../store/sqlite/senders.ts'
import type { SenderConnection } from './connection.ts'
import { senderView } from './view.ts'

export const SANDBOX_CODE = 'SND-SANDBOX'
// Without letters and digits that are mistaken for each other on the phone.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

const DEFAULTS: Omit<SenderSettings, 'name'> = {
  pacing: { min_seconds: 2, max_seconds: 5 },
  daily_cap: null,
  quiet_hours: null,
  country_code: null,
}

/** What an official sender needs beyond the others; handed in by its channel. */
export interface OfficialDesk {
  /** The columns of a new or changed official sender; `old` is null for a new one. */
  columns(
    id: number,
    old: SenderRow | null,
    request: Partial<CreateSenderRequest & UpdateSenderRequest>,
  ): { official: string; secrets: Buffer }
  view(sender: SenderRow): SenderView['official']
  /** After an official sender was made or changed. */
  saved(sender: SenderRow): void
}

export interface SenderServiceDeps {
  senders: Senders
  laneState: (senderId: number) => LaneState
  waiting: (senderId: number) => number
  /** The running side of a sender; official ones have none. */
  connection: (senderId: number) => SenderConnection | undefined
  connect: (sender: SenderRow) => void
  disconnect: (senderId: number) => Promise<void>
  /** Ends what waits for a sender that is deleted. */
  failWaiting: (senderId: number) => Promise<void>
  official: OfficialDesk
  bus: Bus
  clock: Clock
}

export type SenderService = ReturnType<typeof createSenderService>

const newCode = (): string => `SND-${Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`

/** Senders as the owner handles them. */
export function createSenderService(deps: SenderServiceDeps) {
  const { senders, bus, clock } = deps

  function get(code: string): SenderRow {
    const sender = senders.byCode(code)
    if (sender === undefined) throw new ApiError('sender_not_found', `There is no sender ${code}.`)
    return sender
  }

  function view(sender: SenderRow): SenderView {
    const now = clock.now()
    const lane = deps.laneState(sender.id)
    const facts = {
      lane,
      gate: nextOpening(sender.settings, lane, now),
      waiting: deps.waiting(sender.id),
      linking: deps.connection(sender.id)?.linking() ?? null,
      official: sender.kind === 'official' ? deps.official.view(sender) : null,
    }
    return senderView(sender, facts, now)
  }

  function connectionOf(code: string): SenderConnection {
    const sender = get(code)
    const connection = deps.connection(sender.id)
    if (sender.kind !== 'linked' || connection === undefined) {
      throw new ApiError('sender_kind_mismatch', `${code} is not linked by QR code.`)
    }
    return connection
  }

  async function change(code: string, changes: Parameters<Senders['change']>[1]): Promise<SenderView> {
    const sender = get(code)
    await senders.change(sender.id, changes)
    bus.emit('sender', { code })
    bus.emit('lane', { senderId: sender.id })
    return view(get(code))
  }

  async function create(request: CreateSenderRequest, code = newCode()): Promise<SenderRow> {
    const { name, pacing, daily_cap, quiet_hours, country_code } = request
    const given = { pacing, daily_cap, quiet_hours, country_code }
    const settings = { ...DEFAULTS, ...dropUndefined(given), name }
    if (request.kind === 'sandbox' && pacing === undefined) settings.pacing = { min_seconds: 0, max_seconds: 0 }
    const official = request.kind === 'official'
    const sender = await senders.add(
      {
        code,
        kind: request.kind,
        settings,
        state: request.kind === 'linked' ? 'unlinked' : 'connected',
        official: official ? deps.official.columns(0, null, request).official : null,
        createdAt: clock.now(),
      },
      official ? (id) => deps.official.columns(id, null, request).secrets : undefined,
    )
    deps.connect(sender)
    if (official) deps.official.saved(sender)
    bus.emit('sender', { code })
    return sender
  }

  return {
    get,
    view,
    list: (): SenderView[] => senders.list().map(view),
    create,
    /** One sandbox exists from the first start. */
    async ensureSandbox(): Promise<void> {
      if (senders.list().some((sender) => sender.kind === 'sandbox')) return
      await create({ kind: 'sandbox', name: 'Sandbox' }, SANDBOX_CODE)
    },
    async update(code: string, request: UpdateSenderRequest): Promise<SenderView> {
      const sender = get(code)
      const { name, pacing, daily_cap, quiet_hours, country_code, ...secrets } = request
      const settings = { ...sender.settings, ...dropUndefined({ name, pacing, daily_cap, quiet_hours, country_code }) }
      const official = sender.kind === 'official' ? deps.official.columns(sender.id, sender, secrets) : {}
      const changed = await change(code, { settings, ...official })
      if (sender.kind === 'official') deps.official.saved(get(code))
      return changed
    },
    pause: (code: string) => change(code, { paused: true }),
    async resume(code: string): Promise<SenderView> {
      const changed = await change(code, { paused: false })
      deps.connection(get(code).id)?.resume()
      return changed
    },
    async link(code: string, request: LinkRequest): Promise<SenderView> {
      await connectionOf(code).link(request)
      return view(get(code))
    },
    async unlink(code: string): Promise<SenderView> {
      await connectionOf(code).unlink()
      return view(get(code))
    },
    async remove(code: string): Promise<void> {
      const sender = get(code)
      if (code === SANDBOX_CODE) throw new ApiError('conflict', 'The sandbox always exists, for trying things out.')
      if (sender.kind === 'linked') await deps.connection(sender.id)?.unlink()
      await deps.disconnect(sender.id)
      await deps.failWaiting(sender.id)
      await senders.remove(sender.id, clock.now())
      bus.emit('sender', { code })
    },
  }
}

function dropUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
