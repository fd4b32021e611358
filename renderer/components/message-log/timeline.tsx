import { Text } from '@mantine/core'
import { IconInbox, IconPoint } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { isSameDay } from '../../../server/words/format.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { type TimelineLine, timelineOf } from '../../model/timeline.ts'
import { MessageStatus } from '../message-status.tsx'
import classes from './message-log.module.css'

/**
 * The history of a message. Each line has its time and the seconds since the previous line; the day
 * is shown if it differs.
 */
export function Timeline({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  const format = useFormat()
  const lines = timelineOf(message)
  const official = message.channel === 'template'
  return (
    <ol className={classes.timeline}>
      {lines.map((line, index) => (
        <li key={keyOf(line)}>
          <LineIcon line={line} />
          <span>
            <LineText line={line} official={official} />
          </span>
          <time dateTime={line.at} title={format.exact(line.at)}>
            {line.after < 50 ? '' : `${t('messages.after', { seconds: format.seconds(line.after) })} · `}
            <Day line={line} before={lines[index - 1]} />
            {format.clockSeconds(line.at)}
          </time>
        </li>
      ))}
    </ol>
  )
}

/** Unique, because a status occurs once and attempts are numbered. */
const keyOf = (line: TimelineLine) =>
  line.kind === 'attempt' ? `attempt ${line.number}` : line.kind === 'status' ? line.status : line.kind

/** The day of a line if it is not the previous line's; of the first line if it is not today. */
function Day({ line, before }: { line: TimelineLine; before: TimelineLine | undefined }) {
  const format = useFormat()
  const now = Date.now()
  const shown = before === undefined ? now : Date.parse(before.at)
  return isSameDay(line.at, shown) ? null : <>{format.weekday(line.at, now)} </>
}

function LineIcon({ line }: { line: TimelineLine }) {
  if (line.kind === 'status') return <MessageStatus status={line.status} iconOnly />
  const Icon = line.kind === 'received' ? IconInbox : IconPoint
  return <Icon size={18} stroke={1.75} aria-hidden="true" />
}

interface LineTextProps {
  line: TimelineLine
  /** True if the message went through Meta, whose acceptance is no confirmation. */
  official: boolean
}

function LineText({ line, official }: LineTextProps) {
  const { t } = useTranslation()
  if (line.kind === 'received') return <>{t('messages.received')}</>
  if (line.kind === 'status') {
    return (
      <>
        {t(`states.message.${line.status}`)}
        {/* The drawer explains a failure above the timeline. */}
        <Exact text={line.status === 'failed' ? null : line.detail} />
      </>
    )
  }
  const { number, outcome, reason } = line
  const text =
    outcome === null
      ? t('messages.running')
      : outcome === 'acknowledged' && official
        ? t('messages.acceptedByMeta')
        : t(`messages.outcome.${outcome}`)
  return (
    <>
      {t('messages.attempt', { number })}: {text}
      <Exact text={reason} />
    </>
  )
}

/** Words of the server or the provider, in English. */
const Exact = ({ text }: { text: string | null }) =>
  text === null ? null : (
    <Text component="span" display="block" size="xs" c="dimmed" lang="en">
      {text}
    </Text>
  )
