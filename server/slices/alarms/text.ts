import { type Concern, isAlarm } from '../../contract/concerns.ts'
import type { Figures } from '../../contract/operation.ts'
import { describeConcern } from '../../words/concern-text.ts'
import { formatsOf } from '../../words/format.ts'
import { say, type Words } from '../../words/say.ts'

/** `title` is one line. */
export interface AlarmText {
  title: string
  body: string
}

/** `title` is the name that the concern had when it was reported. */
export interface Reported {
  id: string
  title: string
}

export const reportedOf = (concern: Concern, words: Words, now: number): Reported => ({
  id: concern.id,
  title: describeConcern(concern, words, now).event,
})

/** Returns the text for new concerns with their advice, and for concerns that are over. */
export function alarmText(fresh: readonly Concern[], over: readonly Reported[], words: Words, now: number): AlarmText {
  const described = fresh.map((concern) => describeConcern(concern, words, now))
  const [first] = described
  const solved = say(words, 'alarms.over')
  return {
    title: first === undefined ? `${solved}: ${over[0]?.title ?? ''}` : `${say(words, 'alarms.needs')}: ${first.event}`,
    body: [
      ...described.map(({ title, advice }) => `${title} ${advice}`),
      ...over.map(({ title }) => `${solved}: ${title}`),
    ].join('\n\n'),
  }
}

/**
 * Bytes of title and body. Telegram refuses more than 4,096 characters, and ntfy turns longer texts
 * into a file.
 */
const LONGEST = 3800

/** Appends this PC's name, because an owner of several shops may use one chat for all of them. */
export const signed = ({ title, body }: AlarmText, words: Words, computer: string): AlarmText => ({
  title,
  body: `${shortened(body, LONGEST - Buffer.byteLength(title))}\n\n${say(words, 'alarms.from', { computer })}`,
})

const shortened = (text: string, most: number): string =>
  Buffer.byteLength(text) <= most
    ? text
    : `${new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true })}…`

/** Returns the daily summary: the figures, and the concerns that still need the owner. */
export function dailyText({ today }: Figures, concerns: readonly Concern[], words: Words, now: number): AlarmText {
  const figures = say(words, 'alarms.figures', { sent: today.sent, failed: today.failed, waiting: today.waiting })
  const open = concerns.filter(isAlarm).map((concern) => describeConcern(concern, words, now).title)
  return {
    title: say(words, 'alarms.day'),
    body: [figures, ...(open.length === 0 ? [say(words, 'alarms.well')] : open)].join(' '),
  }
}

/** Returns the summary of an earlier day that could not be sent in time. */
export function pastDayText({ day, sent, failed }: Figures['days'][number], words: Words, now: number): AlarmText {
  const { weekday } = formatsOf(words.language)
  return {
    title: say(words, 'alarms.pastDay', { day: weekday(`${day}T12:00:00`, now) }),
    body: say(words, 'alarms.pastFigures', { sent, failed }),
  }
}

export const testText = (words: Words): AlarmText => ({
  title: say(words, 'alarms.test'),
  body: say(words, 'alarms.testBody'),
})
