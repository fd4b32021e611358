import { Button, Paper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { RefusedGroup } from '../../../server/slices/refused-calls/contract.ts'
import { useMarkSeen, useRefusedGroups } from '../../api/refused-calls.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryView } from '../../components/query-view.tsx'
import type { Column } from '../../components/table/column.ts'
import { LinkTable } from '../../components/table/link-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useUrlState, withChange } from '../../hooks/use-url-state.ts'
import { neighbours } from '../../model/neighbours.ts'
import { GroupDrawer } from './group-drawer.tsx'
import { statusOf, useCaller, useSentence, useWhat } from './group-words.ts'

const NONE: RefusedGroup[] = []

/** Refused calls of programs, by caller and cause. Answers "my till says that it sent". */
export default function RefusedCalls() {
  const { t } = useTranslation()
  const groups = useRefusedGroups()
  const columns = useColumns()
  const sentenceOf = useSentence()
  const search = useSearch()
  const [get, set] = useUrlState()
  const open = get('open')
  const rows = groups.data?.data ?? NONE
  const notKept = groups.data?.not_kept ?? 0
  const at = rows.findIndex(({ id }) => id === open)
  const opened = rows[at]
  return (
    <>
      <PageHeader
        title={t('refusedCalls.title')}
        tabs="keys"
        lead={t('refusedCalls.lead')}
        action={rows.some(({ seen }) => !seen) ? <AllSeen /> : undefined}
      />
      {notKept === 0 ? null : (
        <Text size="sm" mb="sm">
          {t('refusedCalls.notKept', { count: notKept })}
        </Text>
      )}
      <QueryView query={groups}>
        {({ data }) =>
          data.length === 0 ? (
            <Paper withBorder>
              <EmptyState
                icon={<IconCircleCheck size={40} stroke={1.5} />}
                title={t('refusedCalls.empty')}
                hint={t('refusedCalls.emptyHint')}
              />
            </Paper>
          ) : (
            <LinkTable
              label={t('refusedCalls.title')}
              columns={columns}
              rows={data}
              idOf={({ id }) => id}
              hrefOf={({ id }) => `?${withChange(new URLSearchParams(search), { open: id })}`}
              nameOf={(row) => `${statusOf(row)}, ${sentenceOf(row.code)}`}
              openId={open}
              isEnded={({ seen }) => seen}
            />
          )
        }
      </QueryView>
      {opened === undefined ? null : (
        <GroupDrawer
          group={opened}
          of={opened.id}
          onClose={() => set({ open: undefined })}
          {...neighbours(rows, at, ({ id }) => set({ open: id }))}
        />
      )}
    </>
  )
}

function AllSeen() {
  const { t } = useTranslation()
  const seen = useMarkSeen()
  return (
    <Button variant="default" loading={seen.isPending} onClick={() => seen.mutate(undefined)}>
      {t('refusedCalls.allSeen')}
    </Button>
  )
}

function useColumns(): Column<RefusedGroup>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const whatOf = useWhat()
  const callerOf = useCaller()
  const roomy = useMediaQuery('(width >= 80em)', undefined, { getInitialValueInEffect: false })
  const since: Column<RefusedGroup> = {
    id: 'since',
    title: t('refusedCalls.since'),
    width: '136px',
    cell: (row) => <TimeAgo at={row.since} />,
  }
  return [
    { id: 'status', title: t('messages.status'), width: '72px', cell: statusOf, narrow: 'aside' },
    {
      id: 'who',
      title: t('refusedCalls.who'),
      width: 'minmax(120px, 1.4fr)',
      cell: (row) => <span title={callerOf(row)}>{callerOf(row)}</span>,
      narrow: 'title',
    },
    {
      id: 'what',
      title: t('refusedCalls.what'),
      width: 'minmax(0, 2.5fr)',
      cell: (row) => <span title={whatOf(row)}>{whatOf(row)}</span>,
      narrow: 'below',
    },
    {
      id: 'times',
      title: t('refusedCalls.times'),
      width: '88px',
      align: 'end',
      cell: ({ times }) => t('refusedCalls.timesOf', { times: format.number(times) }),
      narrow: 'end',
    },
    ...(roomy ? [since] : []),
    { id: 'last', title: t('refusedCalls.last'), width: '136px', cell: (row) => <TimeAgo at={row.at} /> },
  ]
}
