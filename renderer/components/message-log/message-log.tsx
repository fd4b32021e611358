import { Group } from '@mantine/core'
import { IconMessages, IconSearchOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { MessageRow } from '../../../server/contract/messages.ts'
import { formatPhone } from '../../../server/contract/phone.ts'
import { useMessages } from '../../api/messages.ts'
import { useBesideDrawer } from '../../hooks/use-narrow.ts'
import { useUrlState, withChange } from '../../hooks/use-url-state.ts'
import { neighbours } from '../../model/neighbours.ts'
import { EmptyState } from '../empty-state.tsx'
import { ErrorState } from '../error-state.tsx'
import { Loading } from '../loading.tsx'
import { PageHeader } from '../page-header.tsx'
import { VirtualTable } from '../table/virtual-table.tsx'
import { BulkMenu } from './bulk-menu.tsx'
import { ExportButton } from './export-button.tsx'
import { LogFilters } from './log-filters.tsx'
import { MessageDrawer } from './message-drawer.tsx'
import classes from './message-log.module.css'
import { useLogColumns } from './use-log-columns.tsx'
import { type LogScope, useLogFilters } from './use-log-filters.ts'

interface MessageLogProps {
  scope: LogScope
  title: string
  lead?: ReactNode
  action: ReactNode
  /** The log is one of the tabs of Messages. */
  tabs?: true
  /** Shown between the title and the filters. */
  children?: ReactNode
}

/** The live log of a channel or a customer. The address holds its filters and the open message. */
export function MessageLog({ scope, title, lead, action, tabs, children }: MessageLogProps) {
  const { t } = useTranslation()
  const { filters, filtered } = useLogFilters(scope)
  const messages = useMessages(filters)
  const search = useSearch()
  const [get, set] = useUrlState()
  const open = get('open')
  const beside = useBesideDrawer()
  const columns = useLogColumns(
    scope,
    filters.status === 'failed' || filters.status === 'queued' ? filters.status : null,
    beside,
  )
  const rows = messages.data?.pages.flatMap((page) => page.data)

  const at = rows?.findIndex(({ id }) => id === open) ?? -1
  const show = (row: MessageRow) => set({ open: row.id })

  function loadMore() {
    // A new read would cancel a running one, and a failing one would be repeated without end.
    if (messages.isFetching || messages.isFetchNextPageError) return
    if (messages.hasNextPage) void messages.fetchNextPage()
  }

  const hrefOf = (row: MessageRow) => `?${withChange(new URLSearchParams(search), { open: row.id })}`
  const nameOf = (row: MessageRow) =>
    [t(`states.message.${row.status}`), formatPhone(row.recipient), row.message ?? row.template?.name].join(', ')

  return (
    <div className={classes.log}>
      <PageHeader
        title={title}
        tabs={tabs ? 'messages' : undefined}
        lead={lead}
        action={
          <Group gap="sm" className={classes.actions ?? ''}>
            {scope.channel === 'template' ? null : (
              <BulkMenu
                filters={filters}
                count={rows === undefined || messages.hasNextPage ? null : rows.length}
                isShown={rows !== undefined && !messages.isPlaceholderData}
              />
            )}
            <ExportButton filters={filters} />
            {action}
          </Group>
        }
      />
      {children}
      <LogFilters scope={scope} searching={messages.isFetching && !messages.isFetchingNextPage} />
      {messages.error === null ? null : <ErrorState error={messages.error} retry={() => void messages.refetch()} />}
      {rows === undefined && messages.error === null ? <Loading /> : null}
      {rows?.length === 0 ? <Nothing filtered={filtered} official={scope.channel === 'template'} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <VirtualTable
          key={JSON.stringify(filters)}
          label={title}
          columns={columns}
          rows={rows}
          idOf={(row) => row.id}
          timeOf={(row) => row.created_at}
          hrefOf={hrefOf}
          nameOf={nameOf}
          openId={open}
          hasMore={messages.hasNextPage}
          loadMore={loadMore}
        />
      )}
      {open === undefined ? null : (
        <MessageDrawer of={open} onClose={() => set({ open: undefined })} {...neighbours(rows ?? [], at, show)} />
      )}
    </div>
  )
}

function Nothing({ filtered, official }: { filtered: boolean; official: boolean }) {
  const { t } = useTranslation()
  return filtered ? (
    <EmptyState
      icon={<IconSearchOff size={40} stroke={1.5} />}
      title={t('list.nothing')}
      hint={t('list.nothingHint')}
    />
  ) : (
    <EmptyState
      icon={<IconMessages size={40} stroke={1.5} />}
      title={official ? t('messages.emptyOfficial') : t('messages.empty')}
      hint={official ? t('messages.emptyOfficialHint') : t('messages.emptyHint')}
    />
  )
}
