import { Loader, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { STATUSES } from '../../../server/contract/messages.ts'
import { useSenders } from '../../api/senders.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { lastMonths } from '../../model/months.ts'
import { type Filter, FilterChips } from '../filter-chips.tsx'
import { MessageStatus } from '../message-status.tsx'
import classes from './message-log.module.css'
import type { LogScope } from './use-log-filters.ts'

interface LogFiltersProps {
  scope: LogScope
  searching: boolean
}

const KINDS = { standard: ['linked', 'sandbox'], template: ['official', 'sandbox'] }
const MONTHS = 12

export function LogFilters({ scope: { channel }, searching }: LogFiltersProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const senders = useSenders().data ?? []
  const [get] = useUrlState()
  const failedFrom = get('failed_from')
  const momentOption = (at: string) => {
    const time = new Date(at)
    const wholeDay = time.getHours() === 0 && time.getMinutes() === 0
    const text = Number.isNaN(time.getTime()) ? at : (wholeDay ? format.dayHeading : format.until)(at, Date.now())
    return { value: at, text, label: text }
  }
  const filters: Filter[] = [
    {
      name: 'status',
      label: t('messages.status'),
      multiple: true,
      // Only templates are `accepted`.
      options: STATUSES.filter((status) => channel !== 'standard' || status !== 'accepted').map((status) => ({
        value: status,
        label: <MessageStatus status={status} />,
        text: t(`states.message.${status}`),
      })),
    },
    {
      name: 'sender_code',
      label: t('messages.sender'),
      options: senders
        .filter(({ kind }) => channel === undefined || KINDS[channel].includes(kind))
        .map(({ sender_code, name }) => ({ value: sender_code, label: name, text: name })),
    },
    {
      name: 'period',
      label: t('messages.period'),
      options: [
        ...(['1', '7', '30'] as const).map((value) => ({ value, text: t(`messages.days${value}`) })),
        ...lastMonths(Date.now(), MONTHS).map((value) => ({ value, text: format.month(value) })),
      ].map((option) => ({ ...option, label: option.text })),
    },
    {
      name: 'sandbox',
      label: t('messages.sandbox'),
      options: (['only', 'with'] as const).map((value) => ({
        value,
        text: t(`messages.sandboxParts.${value}`),
        label: t(`messages.sandboxParts.${value}`),
      })),
    },
    // A count of failures links to its messages with this filter. It is not offered otherwise.
    ...(failedFrom === undefined
      ? []
      : [{ name: 'failed_from', label: t('messages.failedFrom'), options: [momentOption(failedFrom)] }]),
  ]
  return (
    <div className={classes.filters}>
      <SearchInput searching={searching} />
      <FilterChips filters={filters} />
    </div>
  )
}

function SearchInput({ searching }: { searching: boolean }) {
  const { t } = useTranslation()
  const [get, set] = useUrlState()
  const sought = get('q') ?? ''
  const [text, setText] = useState(sought)
  const [seen, setSeen] = useState(sought)
  // A link, such as to the whole list, may change the search in the address. The field follows.
  if (sought !== seen) {
    setSeen(sought)
    if (sought !== text.trim()) setText(sought)
  }
  const search = useDebouncedCallback((q: string) => set({ q: q.trim() }), 150)
  return (
    <TextInput
      type="search"
      className={classes.search ?? ''}
      size="xs"
      aria-label={t('messages.search')}
      placeholder={t('messages.search')}
      leftSection={searching ? <Loader size={14} aria-hidden="true" /> : <IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        search(event.currentTarget.value)
      }}
    />
  )
}
