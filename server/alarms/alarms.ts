import { z } from 'zod'
import { type Concern, isAlarm } from '../contract/concerns.ts'
import type { Overview } from '../contract/overview.ts'
import type { Language } from '../contract/settings.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { localDay, nextTimeOfDay, startOfDay } from '../lib/local-time.ts'
import type { Logger } from '../lib/logger.ts'
import { HOUR, MINUTE } from '../lib/time.ts'
import type { Vault } from '../lib/vault.ts'
import { type MetaStore, PLACES } from '../store/index.ts'
import { invalidRequest } from '../words/errors.ts'
import { WORDS } from '../words/index.ts'
import type { AlarmChannels } from './channels.ts'
import { ALARM_KINDS, type AlarmKind, type AlarmsView, alarmSettings, type UpdateAlarms } from './contract.ts'
import { settingsReader, withKeptSecrets, withoutPassword } from './settings.ts'
import { type AlarmText, alarmText, dailyText, pastDayText, reportedOf, signed, testText } from './text.ts'

const EVERY = MINUTE
/** A shorter trouble heals by itself, and would only teach the owner to look away. */
const AFTER = 5 * MINUTE
/**
 * Longer than it takes until what does not move is noticed again after a start (STUCK_AFTER), which
 * solves nothing.
 */
const OVER_AFTER = 20 * MINUTE

/** Reported concerns, so that a restart does not report them again. */
const reportedState = z.object({
  reported: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** The message by which alone it was told, which may never leave. */
      seq: z.number().optional(),
    }),
  ),
  daily: z.string().nullable(),
})
type ReportedState = z.infer<typeof reportedState>

/** Part of the overview that is reported. */
type Reported = Pick<Overview, 'figures' | 'concerns'>

/** One of several programs reports, and any of them may set channels. */
export interface Reporting {
  isReporter: (signal: AbortSignal) => Promise<boolean>
  /** True if another program may send for the same senders, and so set channels. */
  sharesSenders: boolean
}

export interface AlarmDeps {
  channels: AlarmChannels
  /** True if this message of an alarm failed. */
  hasFailed: (seq: number) => Promise<boolean>
  readOverview: () => Promise<Reported>
  language: () => Language
  /** Name of this PC. */
  computer: string
  /** True if a message may be sent through it. */
  knownSender: (code: string) => boolean
  deployment: Reporting
  vault: Vault
  meta: MetaStore
  clock: Clock
  logger: Logger
}

export type Alarms = ReturnType<typeof createAlarms>

/**
 * Alarms outside of the window: what has needed the owner for five minutes, once, and that it is
 * over; and once a day how the day was. Settings, and what was reported, are read each time:
 * another node may have written them.
 */
export function createAlarms(deps: AlarmDeps) {
  const { channels, meta, clock, logger } = deps
  const settings = settingsReader(meta, deps.vault, logger)
  let last: AlarmsView['last'] = null
  /**
   * When each concern was seen first in this run, and since when each that was reported is gone; in
   * time that passes, as all waits here.
   */
  const seen = new Map<string, number>()
  const gone = new Map<string, number>()
  /** Sends of the day when messages failed last, or this run began. */
  let sentBefore: number | undefined
  /** State that the disk has not taken: it would be reported again and again. */
  let unwritten: ReportedState | undefined
  let stopTimer = (): void => {}
  let retryAt = Number.NEGATIVE_INFINITY
  let wait = 0
  let work = Promise.resolve()
  let changes: Promise<unknown> = Promise.resolve()
  const stopping = new AbortController()

  const kinds = (): AlarmKind[] => ALARM_KINDS.filter((kind) => settings()[kind] !== null)
  const sign = (text: AlarmText) => signed(text, WORDS[deps.language()], deps.computer)
  const state = (): ReportedState => unwritten ?? readState(meta)

  /** By every channel. Resolves with whether one took it, and with the message if it alone did. */
  async function send(unsigned: AlarmText): Promise<{ taken: boolean; seq?: number }> {
    const text = sign(unsigned)
    const failed: { kind: AlarmKind; error: string }[] = []
    const asked = kinds()
    let seq: number | null = null
    for (const kind of asked) {
      try {
        seq = (await channels.send(kind, settings(), text, stopping.signal)) ?? seq
      } catch (error) {
        stopping.signal.throwIfAborted()
        failed.push({ kind, error: error instanceof Error ? error.message : String(error) })
        logger.warn({ kind, err: error }, 'an alarm could not be sent')
      }
    }
    last = { at: isoTime(clock.now()), failed }
    const took = asked.length - failed.length
    return { taken: took > 0, ...(took === 1 && seq !== null ? { seq } : {}) }
  }

  async function save(next: ReportedState): Promise<void> {
    unwritten = next
    await meta.save('alarm_state', JSON.stringify(next))
    if (unwritten === next) unwritten = undefined
  }

  async function look(): Promise<void> {
    if (stopping.signal.aborted) return
    if (kinds().length === 0) {
      for (const times of [seen, gone]) times.clear()
      return
    }
    if (unwritten !== undefined) await save(unwritten).catch(() => undefined)
    const now = clock.now()
    const overview = await deps.readOverview()
    const open = overview.concerns.filter(isAlarm)
    const here = new Set(open.map(({ id }) => id))
    // While the database cannot be read nothing is known of the others: they last, and none of them
    // is over.
    const isKnown = overview.figures !== null
    follow(seen, isKnown ? here : new Set([...here, ...seen.keys()]), clock.elapsed())
    const over = isKnown ? state().reported.flatMap(({ id }) => (here.has(id) ? [] : [id])) : []
    follow(gone, new Set(over), clock.elapsed())
    const sentToday = overview.figures?.today.sent
    if (here.has('messages_failing')) sentBefore = sentToday
    sentBefore ??= sentToday
    if (clock.elapsed() < retryAt || !(await deps.deployment.isReporter(stopping.signal))) return
    const taken = (await reportConcerns(overview.concerns, sentToday ?? 0, now)) && (await reportDay(overview, now))
    wait = taken ? 0 : Math.min(Math.max(wait * 2, EVERY), HOUR)
    retryAt = taken ? Number.NEGATIVE_INFINITY : clock.elapsed() + wait
  }

  /** Concerns that the owner knows: not those of a message that never left. */
  async function told(): Promise<ReportedState['reported']> {
    const { reported } = state()
    const known: typeof reported = []
    for (const one of reported) if (one.seq === undefined || !(await deps.hasFailed(one.seq))) known.push(one)
    return known
  }

  /** Resolves with true if every report has been taken. */
  async function reportConcerns(concerns: readonly Concern[], sentToday: number, now: number): Promise<boolean> {
    const open = concerns.filter(isAlarm)
    const reported = await told()
    const isFor = (times: Map<string, number>, id: string, ms: number) =>
      clock.elapsed() - (times.get(id) ?? clock.elapsed()) >= ms
    const fresh = open.filter(({ id }) => isFor(seen, id, AFTER) && !reported.some((one) => one.id === id))
    // An hour that passes or a day that begins solves nothing: something has to leave since.
    const isOver = (id: string) => id !== 'messages_failing' || (sentToday > 0 && sentToday !== sentBefore)
    const ended = reported.filter(({ id }) => isFor(gone, id, OVER_AFTER) && isOver(id))
    if (fresh.length === 0 && ended.length === 0) return true
    const words = WORDS[deps.language()]
    const over = ended.filter(
      // A concern that is no alarm any more, such as a node that is gone for a day, is not over.
      ({ id }) => !concerns.some((one) => one.id === id) && !open.some((one) => isAboutTheSame(one.id, id)),
    )
    const { taken, seq } =
      fresh.length + over.length > 0 ? await send(alarmText(fresh, over, words, now)) : { taken: true }
    if (!taken) return false
    await save({
      ...state(),
      reported: [
        ...reported.filter((one) => !ended.includes(one)),
        ...fresh.map((concern) => ({
          ...reportedOf(concern, words, now),
          ...(seq === undefined ? {} : { seq }),
        })),
      ],
    })
    return true
  }

  /** At its time, or as soon as the PC is on again. */
  async function reportDay({ figures, concerns }: Reported, now: number): Promise<boolean> {
    if (figures === null) return true
    const { daily_at } = settings()
    if (daily_at === null) return true
    const today = localDay(now)
    const { daily } = state()
    const last = figures.days.findLast(({ day, sent, failed }) => day < today && sent + failed > 0)
    if (daily !== null && last !== undefined && last.day > daily) {
      if (!(await send(pastDayText(last, WORDS[deps.language()], now))).taken) return false
      await save({ ...state(), daily: last.day })
    }
    if (daily === today || now < nextTimeOfDay(startOfDay(now), daily_at)) return true
    if (!(await send(dailyText(figures, concerns, WORDS[deps.language()], now))).taken) return false
    await save({ ...state(), daily: today })
    return true
  }

  function tick(): void {
    // While no channel is set there is nothing to do here, unless another program may set one.
    stopTimer = kinds().length === 0 && !deps.deployment.sharesSenders ? () => undefined : clock.after(EVERY, tick)
    work = work.then(look).catch((error: unknown) => {
      if (!stopping.signal.aborted) logger.warn({ err: error }, 'alarms could not be looked at')
    })
  }

  function view(): AlarmsView {
    const { email, telegram, ntfy, whatsapp, daily_at } = settings()
    return {
      email: email === null ? null : withoutPassword(email),
      telegram: telegram === null ? null : { chat_id: telegram.chat_id, api_url: telegram.api_url },
      ntfy: ntfy === null ? null : { url: ntfy.url, token_set: ntfy.token !== null },
      whatsapp,
      daily_at,
      last,
    }
  }

  async function change(wanted: UpdateAlarms): Promise<AlarmsView> {
    const before = settings()
    const code = wanted.whatsapp?.sender_code
    if (code !== undefined && !deps.knownSender(code)) {
      throw invalidRequest([{ field: 'whatsapp.sender_code', message: `there is no sender ${code}` }])
    }
    const next = alarmSettings.safeParse({ ...before, ...withKeptSecrets(wanted, before) })
    if (!next.success) {
      throw invalidRequest(next.error.issues.map(({ path, message }) => ({ field: path.join('.'), message })))
    }
    await meta.save('alarms', deps.vault.seal(JSON.stringify(next.data), PLACES.alarms).toString('base64'))
    retryAt = Number.NEGATIVE_INFINITY
    // A day's line that was never asked for is not sent for the time before.
    const { daily_at } = next.data
    if (daily_at !== before.daily_at) await save({ ...state(), daily: dailyNotBefore(daily_at, clock.now()) })
    stopTimer()
    tick()
    return view()
  }

  tick()

  return {
    view,
    /**
     * One after the other: the next one is made on top of what the one before wrote.
     * @throws ApiError `invalid_request`
     */
    update(wanted: UpdateAlarms): Promise<AlarmsView> {
      const done = changes.then(() => change(wanted))
      changes = done.catch(() => undefined)
      return done
    },
    /** Resolves with why it was not taken; null: it was. */
    async test(kind: AlarmKind): Promise<string | null> {
      if (settings()[kind] === null) return 'This alarm is switched off. Save its settings first.'
      try {
        await channels.send(kind, settings(), sign(testText(WORDS[deps.language()])), stopping.signal)
        return null
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    /** Gives up reports on their way: a silent server must not hold up the end of the program. */
    async stop(): Promise<void> {
      stopping.abort(new Error('Kurir is closing.'))
      await changes
      stopTimer()
      await work
    },
  }
}

/** Notes since when each of these holds, and forgets the others. */
function follow(times: Map<string, number>, ids: ReadonlySet<string>, now: number): void {
  for (const id of times.keys()) if (!ids.has(id)) times.delete(id)
  for (const id of ids) if (!times.has(id)) times.set(id, now)
}

/**
 * True if two concerns are of one sender, of one receiver, or of one kind. Where another one is
 * open, the trouble has changed: to call the first one solved would reassure falsely.
 */
function isAboutTheSame(one: string, other: string): boolean {
  const [[code, about], [otherCode, otherAbout]] = [one.split('/'), other.split('/')]
  return kindOf(code) === kindOf(otherCode) || (about !== undefined && about === otherAbout)
}

const kindOf = (code = ''): string => (code.startsWith('storage_') ? 'storage' : code)

/** The last day for which no line is due any more. */
function dailyNotBefore(at: string | null, now: number): string {
  return localDay(at !== null && now < nextTimeOfDay(startOfDay(now), at) ? startOfDay(now, -1) : now)
}

function readState(meta: MetaStore): ReportedState {
  const parsed = reportedState.safeParse(JSON.parse(meta.get('alarm_state') ?? 'null'))
  return parsed.success ? parsed.data : { reported: [], daily: null }
}
