import { Text } from '@mantine/core'
import { IconPoint } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { status, type TimelineEntry } from '../../../server/contract/messages.ts'
import { clockTime, exactTime } from '../../model/time.ts'
import { StatusTick } from '../status-tick.tsx'
import classes from './message-log.module.css'
import { useOutcomeWord } from './use-outcome-word.ts'

/** The history of a message, each line with its time and how long after the one before. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  const { i18n, t } = useTranslation()
  return (
    <ol className={classes.timeline}>
      {entries.map((entry, index) => (
        <li key={`${entry.at} ${entry.type}`}>
          <EntryIcon type={entry.type} />
          <span>
            <EntryWord type={entry.type} />
            <EntryDetail entry={entry} />
          </span>
          <time dateTime={entry.at} title={exactTime(entry.at, i18n.language)}>
            {index === 0
              ? clockTime(entry.at, i18n.language)
              : `${t('messages.after', { seconds: secondsBetween(entries[index - 1], entry, i18n.language) })} · ${clockTime(entry.at, i18n.language)}`}
          </time>
        </li>
      ))}
    </ol>
  )
}

function secondsBetween(before: TimelineEntry | undefined, after: TimelineEntry, language: string): string {
  // Meta tells whole seconds: never less than nothing.
  const seconds = Math.max(0, Date.parse(after.at) - Date.parse(before?.at ?? after.at)) / 1000
  return seconds.toLocaleString(language, { maximumFractionDigits: seconds < 60 ? 1 : 0 })
}

function EntryIcon({ type }: { type: string }) {
  const known = status.safeParse(type)
  return known.success ? <StatusTick status={known.data} iconOnly /> : <IconPoint size={18} aria-hidden="true" />
}

function EntryWord({ type }: { type: string }) {
  const { t } = useTranslation()
  if (type === 'queued' || type === 'attempt' || type === 'note') return <>{t(`messages.entry.${type}`)}</>
  const known = status.safeParse(type)
  return <>{known.success ? t(`states.message.${known.data}`) : type}</>
}

function EntryDetail({ entry: { type, detail } }: { entry: TimelineEntry }) {
  const outcome = useOutcomeWord()
  if (detail === null) return null
  return (
    <Text component="span" display="block" size="xs" c="dimmed">
      {type === 'attempt' ? outcome(detail) : detail}
    </Text>
  )
}
