import { z } from 'zod'
import { isAlarm } from '../../contract/concerns.ts'
import type { Language } from '../../contract/settings.ts'
import { type Clock, HOUR, isoTime, MINUTE } from '../../lib/clock.ts'
import { localDay, nextTimeOfDay, startOfDay } from '../../lib/local-time.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import { type MetaStore, PLACES } from '../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { WORDS } from '../../words/index.ts'
import { type AlarmChannels, failureOf } from './channels.ts'
import {
  ALARM_KINDS,
  type AlarmFailure,
  type AlarmKind,
  type AlarmSettings,
  type AlarmsView,
  alarmSettings,
  type UpdateAlarms,
} from './contract.ts'
import { type AlarmText, alarmText, dailyText, pastDayText, reportedOf, signed, testText } from './text.ts'
import { createWatch, isAboutTheSame, type Reported } from './watch.ts'

export interface AlarmContext {
  readOverview: () => Promise<Reported>
  language: () => Language
  /** Resolves with false while another node reports to the owner. */
  mayTell: (signal: AbortSignal) => Promise<boolean>
  vault: Vault
  meta: MetaStore
  clock: Clock
  logger: Logger
}

const EVERY = MINUTE

/** Stored, so that a restart does not report the same concerns again. */
const reportedState = z.object({
  reported: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** The only message that carried the report; it may fail to leave. */
      seq: z.number().optional(),
    }),
  ),
  daily: z.string().nullable(),
})
type ReportedState = z.infer<typeof reportedState>

export type Alarms = ReturnType<typeof createAlarms>

/**
 * Reports concerns outside of the window: each once after it has lasted five minutes, once more
 * when it is over, and a daily summary. Settings and reported concerns are read each time, because
 * another node may have changed them.
 */
export function createAlarms(context: AlarmContext, channels: AlarmChannels, computer: string) {
  const { language, vault, meta, clock, logger } = context
  const settings = settingsReader(meta, vault, logger)
  const watch = createWatch(clock)
  let last: AlarmsView['last'] = null
  /**
   * State that could not be written. Without this copy the same concerns would be reported again.
   */
  let unwritten: ReportedState | undefined
  let stopTimer = (): void => {}
  let retryAt = Number.NEGATIVE_INFINITY
  let wait = 0
  let work = Promise.resolve()
  let changes: Promise<unknown> = Promise.resolve()
  const stopping = new AbortController()

  const kinds = (): AlarmKind[] => ALARM_KINDS.filter((kind) => settings()[kind] !== null)
  const sign = (text: AlarmText) => signed(text, WORDS[language()], computer)
  const state = (): ReportedState => unwritten ?? readState(meta)

  /**
   * Sends through every channel. `taken`: at least one accepted it. `seq`: set if a queued message
   * is the only report.
   */
  async function send(unsigned: AlarmText): Promise<{ taken: boolean; seq?: number }> {
    const text = sign(unsigned)
    const failed: NonNullable<AlarmsView['last']>['failed'] = []
    const asked = kinds()
    let seq: number | null = null
    for (const kind of asked) {
      try {
        seq = (await channels.send(kind, settings(), text, stopping.signal)) ?? seq
      } catch (error) {
        stopping.signal.throwIfAborted()
        failed.push({ kind, ...failureOf(error) })
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
    if (kinds().length === 0) return watch.forget()
    if (unwritten !== undefined) await save(unwritten).catch(() => undefined)
    const now = clock.now()
    const overview = await context.readOverview()
    watch.note(overview, state().reported)
    if (clock.elapsed() < retryAt || !(await context.mayTell(stopping.signal))) return
    const taken = (await reportConcerns(overview, now)) && (await reportDay(overview, now))
    wait = taken ? 0 : Math.min(Math.max(wait * 2, EVERY), HOUR)
    retryAt = taken ? Number.NEGATIVE_INFINITY : clock.elapsed() + wait
  }

  /** Returns the reported concerns, except those whose only message failed to leave. */
  async function told(): Promise<ReportedState['reported']> {
    const { reported } = state()
    const known: typeof reported = []
    for (const one of reported) if (one.seq === undefined || !(await channels.hasFailed(one.seq))) known.push(one)
    return known
  }

  /** Resolves with false if a report was not accepted. */
  async function reportConcerns({ concerns, figures }: Reported, now: number): Promise<boolean> {
    const open = concerns.filter(isAlarm)
    const reported = await told()
    const fresh = open.filter(({ id }) => watch.lasts(id) && !reported.some((one) => one.id === id))
    const ended = reported.filter(({ id }) => watch.isOver(id, figures?.today.sent ?? 0))
    if (fresh.length === 0 && ended.length === 0) return true
    const words = WORDS[language()]
    const over = ended.filter(
      // A concern that merely stopped being an alarm, such as a node gone for a day, is not over.
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

  /** Sends the daily summary at its time, or as soon as the PC runs again. */
  async function reportDay({ figures, concerns }: Reported, now: number): Promise<boolean> {
    if (figures === null) return true
    const { daily_at } = settings()
    if (daily_at === null) return true
    const today = localDay(now)
    const { daily } = state()
    const last = figures.days.findLast(({ day, sent, failed }) => day < today && sent + failed > 0)
    if (daily !== null && last !== undefined && last.day > daily) {
      if (!(await send(pastDayText(last, WORDS[language()], now))).taken) return false
      await save({ ...state(), daily: last.day })
    }
    if (daily === today || now < nextTimeOfDay(startOfDay(now), daily_at)) return true
    if (!(await send(dailyText(figures, concerns, WORDS[language()], now))).taken) return false
    await save({ ...state(), daily: today })
    return true
  }

  function tick(): void {
    stopTimer = clock.after(EVERY, tick)
    work = work.then(look).catch((error: unknown) => {
      if (!stopping.signal.aborted) logger.warn({ err: error }, 'alarms could not be looked at')
    })
  }

  const view = (): AlarmsView => ({ ...shownSettings(settings()), last })

  async function change(wanted: UpdateAlarms): Promise<AlarmsView> {
    const before = settings()
    const code = wanted.whatsapp?.sender_code
    if (code !== undefined && !channels.isSender(code)) {
      throw invalidRequest([fieldProblem('whatsapp.sender_code', 'unknown_sender', { sender_code: code })])
    }
    const next = alarmSettings.safeParse({ ...before, ...withKeptSecrets(wanted, before) })
    // Only a secret can be missing; everything else was checked when the call was read.
    if (!next.success)
      throw invalidRequest(next.error.issues.map(({ path }) => fieldProblem(path.join('.'), 'required')))
    await meta.save('alarms', vault.seal(JSON.stringify(next.data), PLACES.alarms).toString('base64'))
    retryAt = Number.NEGATIVE_INFINITY
    // Send no summary for a time at which the owner had not asked for it.
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
     * Changes run one after the other, because each builds on the settings that the one before
     * wrote.
     * @throws ApiError `invalid_request`
     */
    update(wanted: UpdateAlarms): Promise<AlarmsView> {
      const done = changes.then(() => change(wanted))
      changes = done.catch(() => undefined)
      return done
    },
    /** Resolves with the error text, or null if the alarm was accepted. */
    async test(kind: AlarmKind): Promise<AlarmFailure | null> {
      try {
        if (settings()[kind] === null) throw new Error('This alarm is switched off. Save its settings first.')
        await channels.send(kind, settings(), sign(testText(WORDS[language()])), stopping.signal)
        return null
      } catch (error) {
        return failureOf(error)
      }
    },
    /** Aborts reports in progress, so that a silent server does not delay the exit. */
    async stop(): Promise<void> {
      stopping.abort(new Error('Kurir is closing.'))
      await changes
      stopTimer()
      await work
    },
  }
}

/** Returns the last day whose summary is no longer due. */
function dailyNotBefore(at: string | null, now: number): string {
  return localDay(at !== null && now < nextTimeOfDay(startOfDay(now), at) ? startOfDay(now, -1) : now)
}

function readState(meta: MetaStore): ReportedState {
  const parsed = reportedState.safeParse(JSON.parse(meta.get('alarm_state') ?? 'null'))
  return parsed.success ? parsed.data : { reported: [], daily: null }
}

/** Returns a reader that decrypts the stored settings again only when they have changed. */
function settingsReader(meta: MetaStore, vault: Vault, logger: Logger): () => AlarmSettings {
  let read: { sealed: string | undefined; settings: AlarmSettings } | undefined
  const opened = (sealed: string | undefined): AlarmSettings => {
    if (sealed === undefined) return alarmSettings.parse({})
    try {
      return alarmSettings.parse(JSON.parse(vault.open(Buffer.from(sealed, 'base64'), PLACES.alarms).toString()))
    } catch (error) {
      logger.error({ err: error }, 'the settings of alarms cannot be read: alarms are off')
      return alarmSettings.parse({})
    }
  }
  return () => {
    const sealed = meta.get('alarms')
    if (read === undefined || read.sealed !== sealed) read = { sealed, settings: opened(sealed) }
    return read.settings
  }
}

const withoutPassword = ({ password, ...rest }: NonNullable<AlarmSettings['email']>) => ({
  ...rest,
  password_set: password !== null,
})

const shownSettings = ({ email, telegram, ntfy, ...rest }: AlarmSettings) => ({
  email: email && withoutPassword(email),
  telegram: telegram && { chat_id: telegram.chat_id, api_url: telegram.api_url },
  ntfy: ntfy && { url: ntfy.url, token_set: ntfy.token !== null },
  ...rest,
})

/**
 * Keeps a secret that the request omits, but only for the server that it was entered for. Otherwise
 * a caller could change the address and so learn the secret.
 */
function withKeptSecrets(
  changes: UpdateAlarms,
  { email, telegram, ntfy }: AlarmSettings,
): Partial<Record<AlarmKind | 'daily_at', unknown>> {
  const { email: newEmail, telegram: newTelegram, ntfy: newNtfy } = changes
  const mailStays =
    newEmail?.host === email?.host && newEmail?.port === email?.port && newEmail?.security === email?.security
  const botStays = newTelegram?.api_url === telegram?.api_url
  const topicStays = originOf(newNtfy?.url) === originOf(ntfy?.url)
  return {
    ...changes,
    ...(newEmail && { email: { ...newEmail, password: kept(newEmail.password, mailStays, email?.password) } }),
    ...(newTelegram && {
      telegram: { ...newTelegram, token: newTelegram.token ?? (botStays ? telegram?.token : undefined) },
    }),
    ...(newNtfy && { ntfy: { ...newNtfy, token: kept(newNtfy.token, topicStays, ntfy?.token) } }),
  }
}

/** Returns the secret to store. `given` null removes it, undefined keeps it if `stays`. */
const kept = (given: string | null | undefined, stays: boolean, before: string | null | undefined): string | null =>
  given === undefined && stays ? (before ?? null) : (given ?? null)

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin)
