import { useMediaQuery } from '@mantine/hooks'
import { IconPaperclip } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ChannelName, MessageRow } from '../../../server/contract/messages.ts'
import { useSenders } from '../../api/senders.ts'
import { useTemplatesOf } from '../../api/templates.ts'
import { useMessageHeldText } from '../../hooks/use-held-text.ts'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { sentLook } from '../../model/template-text.ts'
import { MessageStatus } from '../message-status.tsx'
import { PhoneNumber } from '../phone-number.tsx'
import { SenderName } from '../sender-badge.tsx'
import type { Column } from '../table/column.ts'
import { TimeAgo } from '../time-ago.tsx'
import classes from './message-log.module.css'
import type { LogScope } from './use-log-filters.ts'

/**
 * Returns the columns of a log. In a list of failed or queued messages (`reasons`) the reason has
 * its own column; elsewhere it stands in the text column. The log of one customer has no number.
 * @param beside true if a drawer is open beside the list
 */
export function useLogColumns(
  { channel, recipient }: LogScope,
  reasons: 'failed' | 'queued' | null,
  beside: boolean,
): Column<MessageRow>[] {
  const { t } = useTranslation()
  const narrow = useNarrow()
  const roomy = useMediaQuery('(width >= 80em)', undefined, { getInitialValueInEffect: false })
  // These have no room for a column of reasons.
  const tight = narrow || beside || (!roomy && reasons !== null)
  const textOf = useText(channel)
  const heldText = useMessageHeldText()
  const senders = new Map(useSenders().data?.map((one) => [one.sender_code, one]))
  const whyOf = (row: MessageRow) => (row.error === null ? heldText(row) : t(`failures.${row.error.code}.message`))

  const whyText = (row: MessageRow) => (
    <span className={classes.why} data-failed={row.error !== null || undefined} title={whyOf(row) ?? ''}>
      {whyOf(row)}
    </span>
  )
  const isSaid = (row: MessageRow) => (tight || reasons === null) && whyOf(row) !== null
  // Waiting rows often have the same reason. It comes last, because the end of a line is cut off.
  const isLast = (row: MessageRow) => tight && row.error === null
  const textCell = (row: MessageRow) => (
    <span title={row.message ?? ''}>
      {isSaid(row) && !isLast(row) ? (
        <span className={row.until === null ? classes.before : undefined}>{whyText(row)} · </span>
      ) : null}
      {roomy || row.reference_id === null ? null : <>{row.reference_id} · </>}
      {row.file === null ? null : <IconPaperclip size={16} style={{ verticalAlign: -3, marginRight: 4 }} />}
      {textOf(row)}
      {isSaid(row) && isLast(row) ? <> · {whyText(row)}</> : null}
    </span>
  )
  const text: Column<MessageRow> = {
    id: 'text',
    title: t('messages.text'),
    width: 'minmax(0, 3fr)',
    cell: textCell,
    narrow: 'below',
  }
  const why: Column<MessageRow> = {
    id: 'why',
    title: reasons === 'queued' ? t('messages.whyWaits') : t('messages.why'),
    // In a window of 1366 px most reasons fit, and the text is cut off.
    width: 'minmax(0, 7fr)',
    cell: whyText,
  }
  const to: Column<MessageRow> = {
    id: 'to',
    title: t('messages.to'),
    // The longest Indonesian numbers must fit, because customers differ in the last digits.
    width: roomy && !beside ? '176px' : '152px',
    cell: (row) => <PhoneNumber digits={row.recipient} />,
    narrow: 'title',
  }
  const reference: Column<MessageRow> = {
    id: 'reference',
    title: t('messages.reference'),
    width: 'minmax(112px, 0.8fr)',
    cell: ({ reference_id }) => <span title={reference_id ?? ''}>{reference_id ?? t('words.none')}</span>,
  }
  // Short names leave room to the text.
  const longest = Math.max(0, ...[...senders.values()].map(({ name }) => name.length))
  const nameWidth = reasons === null ? `min(168px, calc(${longest}ch + 28px))` : '168px'
  const sender: Column<MessageRow> = {
    id: 'sender',
    title: t('messages.sender'),
    width: roomy ? `minmax(${nameWidth}, ${reasons === null ? '1.2fr' : '3fr'})` : 'minmax(136px, 3fr)',
    cell: (row) => <SenderName code={row.sender_code} sender={senders.get(row.sender_code)} />,
    ...(recipient === undefined ? {} : { narrow: 'title' as const }),
  }
  return [
    {
      id: 'status',
      title: t('messages.status'),
      ...(beside ? { untitled: true as const } : {}),
      // Icon only: the drawer names the status, and the text gets the room.
      width: beside ? '20px' : '124px',
      cell: (row) => <MessageStatus status={row.status} iconOnly={beside} />,
      narrow: 'aside',
    },
    {
      id: 'time',
      title: t('messages.time'),
      width: '136px',
      cell: (row) => <TimeAgo at={row.created_at} />,
      narrow: 'end',
    },
    ...(recipient === undefined ? [to] : []),
    text,
    ...(roomy ? [reasons === null ? reference : why] : []),
    ...(roomy || recipient !== undefined ? [sender] : []),
  ]
}

/** Returns the first line of a message: of the filled template if it is known, else its name. */
function useText(channel: ChannelName | undefined): (row: MessageRow) => string {
  const official = (useSenders().data ?? []).filter(({ kind }) => channel !== 'standard' && kind === 'official')
  const templates = useTemplatesOf(official.map(({ sender_code }) => sender_code))
  return ({ sender_code, message, template: sent }) => {
    const template = templates
      .get(sender_code)
      ?.find((one) => one.name === sent?.name && one.language === sent?.language)
    const text = template === undefined || sent === null ? null : sentLook(template, sent.components).body
    return (text ?? message ?? sent?.name ?? '').split('\n', 1)[0] ?? ''
  }
}
