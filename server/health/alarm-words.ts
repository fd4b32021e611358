import { describeConcern } from '../contract/concern-words/index.ts'
import { type Concern, isAlarm } from '../contract/concerns.ts'
import { formatsOf } from '../contract/format.ts'
import type { Figures } from '../contract/overview.ts'
import type { Language } from '../contract/settings.ts'

/** Words of an alarm. `title` is one line. */
export interface AlarmText {
  title: string
  body: string
}

const WORDS = {
  en: {
    needs: 'Kurir needs you',
    over: 'Solved',
    test: 'Kurir: this is a test',
    testBody: 'Alarms arrive here when messages wait, fail or cannot be reported.',
    day: 'Kurir today',
    figures: (sent: string, failed: string, waiting: string) =>
      `Today ${sent} sent, ${failed} failed, ${waiting} waiting.`,
    well: 'All is well.',
  },
  id: {
    needs: 'Kurir perlu Anda',
    over: 'Sudah beres',
    test: 'Kurir: ini percobaan',
    testBody: 'Peringatan tiba di sini bila ada pesan yang menunggu, gagal, atau tidak dapat dilaporkan.',
    day: 'Kurir hari ini',
    figures: (sent: string, failed: string, waiting: string) =>
      `Hari ini ${sent} terkirim, ${failed} gagal, ${waiting} menunggu.`,
    well: 'Semua baik.',
  },
} as const satisfies Record<Language, unknown>

/** A concern that was reported, and how it was called then. */
export interface Reported {
  id: string
  title: string
}

export const reportedOf = (concern: Concern, language: Language, now: number): Reported => ({
  id: concern.id,
  title: describeConcern(concern, language, now).event,
})

/** Words for new concerns with their advice, and for those that are over. */
export function alarmText(
  fresh: readonly Concern[],
  over: readonly Reported[],
  language: Language,
  now: number,
): AlarmText {
  const words = WORDS[language]
  const described = fresh.map((concern) => describeConcern(concern, language, now))
  const [first] = described
  return {
    title: first === undefined ? `${words.over}: ${over[0]?.title ?? ''}` : `${words.needs}: ${first.event}`,
    body: [
      ...described.map(({ title, advice }) => `${title} ${advice}`),
      ...over.map(({ title }) => `${words.over}: ${title}`),
    ].join('\n\n'),
  }
}

/** How the day was, in one line, and what still needs the owner. */
export function dailyText(
  { today }: Pick<Figures, 'today'>,
  concerns: readonly Concern[],
  language: Language,
  now: number,
): AlarmText {
  const words = WORDS[language]
  const { number } = formatsOf(language)
  const figures = words.figures(number(today.sent), number(today.failed), number(today.waiting))
  const open = concerns.filter(isAlarm).map((concern) => describeConcern(concern, language, now).title)
  return { title: words.day, body: [figures, ...(open.length === 0 ? [words.well] : open)].join(' ') }
}

export const testText = (language: Language): AlarmText => ({
  title: WORDS[language].test,
  body: WORDS[language].testBody,
})
