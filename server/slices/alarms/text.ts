import { type Concern, isAlarm } from '../../contract/concerns.ts'
import type { Figures } from '../../contract/operation.ts'
import { describeConcern } from '../../words/concern-text.ts'
import { formatsOf } from '../../words/format.ts'
import { say, type Words } from '../../words/say.ts'

/** Words of an alarm. `title` is one line. */
export interface AlarmText {
  title: string
  body: string
}

/** A concern that was reported, and how it was called then. */
export interface Reported {
  id: string
  title: string
}

export const reportedOf = (concern: Concern, words: Words, now: number): Reported => ({
  id: concern.id,
  title: describeConcern(concern, words, now).event,
})

/** Words for new concerns with their advice, and for those that are over. */
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

/** Bytes of both. Telegram refuses more than 4,096 characters, ntfy makes a file of them. */
const LONGEST = 3800

/** Adds the PC that it comes from: an owner of several shops may have one chat for all. */
export const signed = ({ title, body }: AlarmText, words: Words, computer: string): AlarmText => ({
  title,
  body: `${shortened(body, LONGEST - Buffer.byteLength(title))}\n\n${say(words, 'alarms.from', { computer })}`,
})

const shortened = (text: string, most: number): string =>
  Buffer.byteLength(text) <= most
    ? text
    : `${new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true })}…`

/** How the day was, in one line, and what still needs the owner. */
export function dailyText({ today }: Figures, concerns: readonly Concern[], words: Words, now: number): AlarmText {
  const figures = say(words, 'alarms.figures', { sent: today.sent, failed: today.failed, waiting: today.waiting })
  const open = concerns.filter(isAlarm).map((concern) => describeConcern(concern, words, now).title)
  return {
    title: say(words, 'alarms.day'),
    body: [figures, ...(open.length === 0 ? [say(words, 'alarms.well')] : open)].join(' '),
  }
}

/** Words for a day whose line could not leave in time. */
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
