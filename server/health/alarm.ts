import { z } from 'zod'
import {
  ALARM_KINDS,
  type AlarmKind,
  type AlarmSettings,
  type AlarmsView,
  alarmSettings,
  type UpdateAlarms,
} from '../contract/alarms.ts'
import { type Concern, isAlarm } from '../contract/concerns.ts'
import { invalidRequest } from '../contract/errors.ts'
import type { Overview } from '../contract/overview.ts'
import type { Language } from '../contract/settings.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { localDay, nextTimeOfDay, startOfDay } from '../lib/local-time.ts'
import type { Logger } from '../lib/logger.ts'
import { HOUR, MINUTE } from '../lib/time.ts'
import type { Vault } from '../lib/vault.ts'
import { type MetaStore, PLACES } from '../store/index.ts'
import type { AlarmChannels } from './alarm-channels.ts'
import { type AlarmText, alarmText, dailyText, type Reported, reportedOf, testText } from './alarm-words.ts'

const EVERY = MINUTE
/** A shorter trouble heals by itself, and would only teach the owner to look away. */
const AFTER = 5 * MINUTE

/** What was reported, so that a restart does not report it once more. */
const reportedState = z.object({
  reported: z.array(z.object({ id: z.string(), title: z.string() })),
  daily: z.string().nullable(),
})
type ReportedState = z.infer<typeof reportedState>

export interface AlarmDeps {
  channels: AlarmChannels
  readOverview: () => Promise<Pick<Overview, 'today' | 'concerns'>>
  language: () => Language
  /** Whether a message may be sent through it. */
  knownSender: (code: string) => boolean
  vault: Vault
  meta: MetaStore
  clock: Clock
  logger: Logger
}

export type Alarms = ReturnType<typeof createAlarms>

/**
 * Alarms outside of the window: what has needed the owner for five minutes, once, and that it is over; and once a day how
 * the day was. While no channel is set nothing runs.
 */
export function createAlarms(deps: AlarmDeps) {
  const { channels, meta, vault, clock, logger } = deps
  let settings = readSettings(deps)
  let state = readState(meta)
  let last: AlarmsView['last'] = null
  /** When each concern was seen first in this run; in time that passes, as all waits here. */
  const seen = new Map<string, number>()
  let stopTimer: (() => void) | undefined
  let retryAt = Number.NEGATIVE_INFINITY
  let wait = 0
  let work = Promise.resolve()

  const kinds = (): AlarmKind[] => ALARM_KINDS.filter((kind) => settings[kind] !== null)

  /** By every channel that is set. Resolves with whether at least one took it. */
  async function send(text: AlarmText): Promise<boolean> {
    const failed: { kind: AlarmKind; error: string }[] = []
    for (const kind of kinds()) {
      try {
        await channels.send(kind, settings, text)
      } catch (error) {
        failed.push({ kind, error: error instanceof Error ? error.message : String(error) })
        logger.warn({ kind, err: error }, 'an alarm could not be sent')
      }
    }
    last = { at: isoTime(clock.now()), failed }
    return failed.length < kinds().length
  }

  async function save(next: ReportedState): Promise<void> {
    state = next
    await meta.save('alarm_state', JSON.stringify(next))
  }

  async function look(): Promise<void> {
    if (clock.elapsed() < retryAt) return
    const now = clock.now()
    const overview = await deps.readOverview()
    const taken = (await reportConcerns(overview.concerns.filter(isAlarm), now)) && (await reportDay(overview, now))
    wait = taken ? 0 : Math.min(Math.max(wait * 2, EVERY), HOUR)
    retryAt = taken ? Number.NEGATIVE_INFINITY : clock.elapsed() + wait
  }

  /** Whether everything that there was to report has been taken. */
  async function reportConcerns(open: readonly Concern[], now: number): Promise<boolean> {
    const known = new Set(open.map(({ id }) => id))
    for (const id of seen.keys()) if (!known.has(id)) seen.delete(id)
    const passed = clock.elapsed()
    for (const { id } of open) if (!seen.has(id)) seen.set(id, passed)
    const isOld = ({ id }: Concern) => passed - (seen.get(id) ?? passed) >= AFTER
    const isNew = ({ id }: Concern) => !state.reported.some((one) => one.id === id)
    const fresh = open.filter((concern) => isNew(concern) && isOld(concern))
    const over = state.reported.filter(({ id }) => !known.has(id))
    if (fresh.length === 0 && over.length === 0) return true
    const language = deps.language()
    if (!(await send(alarmText(fresh, over, language, now)))) return false
    const reported: Reported[] = [
      ...state.reported.filter(({ id }) => known.has(id)),
      ...fresh.map((concern) => reportedOf(concern, language, now)),
    ]
    await save({ ...state, reported })
    return true
  }

  /** At its time, or later on the same day if the PC was off. */
  async function reportDay(overview: Pick<Overview, 'today' | 'concerns'>, now: number): Promise<boolean> {
    const { daily_at } = settings
    const today = localDay(now)
    if (daily_at === null || state.daily === today || now < nextTimeOfDay(startOfDay(now), daily_at)) return true
    if (!(await send(dailyText(overview, deps.language(), now)))) return false
    await save({ ...state, daily: today })
    return true
  }

  function tick(): void {
    stopTimer = kinds().length === 0 ? undefined : clock.after(EVERY, tick)
    if (stopTimer === undefined) return
    work = work.then(look).catch((error: unknown) => logger.warn({ err: error }, 'alarms could not be looked at'))
  }

  function view(): AlarmsView {
    const { email, telegram, ntfy, whatsapp, daily_at } = settings
    return {
      email: email === null ? null : withoutPassword(email),
      telegram: telegram === null ? null : { chat_id: telegram.chat_id, api_url: telegram.api_url },
      ntfy: ntfy === null ? null : { url: ntfy.url, token_set: ntfy.token !== null },
      whatsapp,
      daily_at,
      last,
    }
  }

  tick()

  return {
    view,
    /** @throws ApiError `invalid_request` */
    async update(changes: UpdateAlarms): Promise<AlarmsView> {
      const code = changes.whatsapp?.sender_code
      if (code !== undefined && !deps.knownSender(code)) {
        throw invalidRequest([{ field: 'whatsapp.sender_code', message: `there is no sender ${code}` }])
      }
      const next = alarmSettings.safeParse({ ...settings, ...withKeptSecrets(changes, settings) })
      if (!next.success) {
        throw invalidRequest(next.error.issues.map(({ path, message }) => ({ field: path.join('.'), message })))
      }
      await meta.save('alarms', vault.seal(JSON.stringify(next.data), PLACES.alarms).toString('base64'))
      // A day's line that was never asked for is not sent for the time before.
      const late = next.data.daily_at !== settings.daily_at
      settings = next.data
      retryAt = Number.NEGATIVE_INFINITY
      if (late) await save({ ...state, daily: dailyNotBefore(settings.daily_at, clock.now()) })
      stopTimer?.()
      tick()
      return view()
    },
    /** Resolves with why it was not taken; null: it was. */
    async test(kind: AlarmKind): Promise<string | null> {
      if (settings[kind] === null) return 'This alarm is switched off. Save its settings first.'
      try {
        await channels.send(kind, settings, testText(deps.language()))
        return null
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    async stop(): Promise<void> {
      stopTimer?.()
      stopTimer = undefined
      await work
    },
  }
}

/** The day for which no line is due any more; null: today's is still to come. */
function dailyNotBefore(at: string | null, now: number): string | null {
  return at !== null && now < nextTimeOfDay(startOfDay(now), at) ? null : localDay(now)
}

function readSettings({ meta, vault, logger }: Pick<AlarmDeps, 'meta' | 'vault' | 'logger'>): AlarmSettings {
  const sealed = meta.get('alarms')
  if (sealed === undefined) return alarmSettings.parse({})
  try {
    const opened = vault.open(Buffer.from(sealed, 'base64'), PLACES.alarms).toString()
    return alarmSettings.parse(JSON.parse(opened))
  } catch (error) {
    logger.error({ err: error }, 'the settings of alarms cannot be read: alarms are off')
    return alarmSettings.parse({})
  }
}

function readState(meta: Pick<MetaStore, 'get'>): ReportedState {
  const parsed = reportedState.safeParse(JSON.parse(meta.get('alarm_state') ?? 'null'))
  return parsed.success ? parsed.data : { reported: [], daily: null }
}

function withoutPassword(email: NonNullable<AlarmSettings['email']>): NonNullable<AlarmsView['email']> {
  const { password, ...rest } = email
  return { ...rest, password_set: password !== null }
}

/**
 * A secret that is left out stays, but never goes to another server than the one that it was entered for: a caller
 * that may change the address must not learn it.
 */
function withKeptSecrets(
  changes: UpdateAlarms,
  { email, telegram, ntfy }: AlarmSettings,
): Partial<Record<AlarmKind | 'daily_at', unknown>> {
  const { email: newEmail, telegram: newTelegram, ntfy: newNtfy, ...others } = changes
  const mailStays =
    newEmail?.host === email?.host && newEmail?.port === email?.port && newEmail?.security === email?.security
  const botStays = newTelegram?.api_url === telegram?.api_url
  const topicStays = originOf(newNtfy?.url) === originOf(ntfy?.url)
  return {
    ...others,
    ...(newEmail == null
      ? withDefined('email', newEmail)
      : {
          email: {
            ...newEmail,
            password:
              newEmail.password ?? (newEmail.password === undefined && mailStays ? (email?.password ?? null) : null),
          },
        }),
    ...(newTelegram == null
      ? withDefined('telegram', newTelegram)
      : { telegram: { ...newTelegram, token: newTelegram.token ?? (botStays ? telegram?.token : undefined) } }),
    ...(newNtfy == null
      ? withDefined('ntfy', newNtfy)
      : {
          ntfy: {
            ...newNtfy,
            token: newNtfy.token ?? (newNtfy.token === undefined && topicStays ? (ntfy?.token ?? null) : null),
          },
        }),
  }
}

const withDefined = (kind: AlarmKind, value: null | undefined) => (value === undefined ? {} : { [kind]: null })

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin)
