import { Code, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { RefusedCall } from '../../../server/refused-calls/contract.ts'
import { useRefusedCalls } from '../../api/refused-calls.ts'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PhoneNumber } from '../../components/phone-number.tsx'
import { Section } from '../../components/section.tsx'
import type { Column } from '../../components/table/column.ts'
import { VirtualTable } from '../../components/table/virtual-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useProblemText } from '../../hooks/use-field-text.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useUrlState, withChange } from '../../hooks/use-url-state.ts'
import { useWords } from '../../hooks/use-words.ts'
import { refusedCalls } from '../../i18n/en/refused-calls.ts'
import { neighbours } from '../../model/neighbours.ts'
import classes from './refused-calls.module.css'

/** Ids count up; as texts they are in order only when they are of one length. */
const inOrder = (id: string) => id.padStart(16, '0')

const OWN_SENTENCES = refusedCalls.code
const hasOwnSentence = (code: string): code is keyof typeof OWN_SENTENCES => Object.hasOwn(OWN_SENTENCES, code)

/** Calls of programs that were refused: for "my till says that it sent". */
export default function RefusedCalls() {
  const { t } = useTranslation()
  const calls = useRefusedCalls()
  const columns = useColumns()
  const sentenceOf = useSentence()
  const search = useSearch()
  const [get, set] = useUrlState()
  const open = get('open')
  const rows = calls.data?.pages.flatMap(({ data }) => data)
  const notKept = calls.data?.pages[0]?.not_kept ?? 0
  const at = rows?.findIndex(({ id }) => id === open) ?? -1
  const opened = rows?.[at]
  return (
    <div className={classes.page}>
      <PageHeader title={t('refusedCalls.title')} lead={t('refusedCalls.lead')} />
      {notKept === 0 ? null : <Text size="sm">{t('refusedCalls.notKept', { count: notKept })}</Text>}
      {calls.error === null ? null : <ErrorState error={calls.error} retry={() => void calls.refetch()} />}
      {rows === undefined && calls.error === null ? <Loading /> : null}
      {rows?.length === 0 ? (
        <EmptyState
          icon={<IconCircleCheck size={40} stroke={1.5} />}
          title={t('refusedCalls.empty')}
          hint={t('refusedCalls.emptyHint')}
        />
      ) : null}
      {rows === undefined || rows.length === 0 ? null : (
        <VirtualTable
          label={t('refusedCalls.title')}
          columns={columns}
          rows={rows}
          idOf={({ id }) => inOrder(id)}
          timeOf={(row) => row.at}
          hrefOf={({ id }) => `?${withChange(new URLSearchParams(search), { open: id })}`}
          nameOf={(row) => `${row.status}, ${sentenceOf(row.code)}`}
          openId={open === undefined ? undefined : inOrder(open)}
          hasMore={calls.hasNextPage}
          loadMore={() => {
            if (!calls.isFetchingNextPage) void calls.fetchNextPage()
          }}
        />
      )}
      {opened === undefined ? null : (
        <CallDrawer
          refused={opened}
          of={inOrder(opened.id)}
          onClose={() => set({ open: undefined })}
          {...neighbours(rows ?? [], at, ({ id }) => set({ open: id }))}
        />
      )}
    </div>
  )
}

function useColumns(): Column<RefusedCall>[] {
  const { t } = useTranslation()
  const roomy = useMediaQuery('(width >= 80em)', undefined, { getInitialValueInEffect: false })
  const whatOf = useWhat()
  const to: Column<RefusedCall> = {
    id: 'to',
    title: t('messages.to'),
    width: '152px',
    cell: ({ recipient }) => (recipient === null ? t('words.none') : <PhoneNumber digits={recipient} />),
  }
  return [
    { id: 'status', title: t('messages.status'), width: '72px', cell: ({ status }) => status, narrow: 'aside' },
    {
      id: 'time',
      title: t('messages.time'),
      width: '136px',
      cell: (row) => <TimeAgo at={row.at} />,
      narrow: 'end',
    },
    {
      id: 'who',
      title: t('refusedCalls.who'),
      width: 'minmax(96px, 1fr)',
      cell: ({ key, address }) => <span title={key ?? address}>{key ?? address}</span>,
      narrow: 'title',
    },
    {
      id: 'what',
      title: t('refusedCalls.what'),
      width: 'minmax(0, 3fr)',
      cell: (row) => <span title={whatOf(row)}>{whatOf(row)}</span>,
      narrow: 'below',
    },
    ...(roomy ? [to] : []),
  ]
}

/** The mistake, as a sentence about the program's call. */
function useSentence(): (code: RefusedCall['code']) => string {
  const { t } = useTranslation()
  return (code) => (hasOwnSentence(code) ? t(`refusedCalls.code.${code}`) : t(`errors.code.${code}`))
}

/** The mistake in one line: the field where there was one. */
function useWhat(): (call: RefusedCall) => string {
  const sentenceOf = useSentence()
  const problemText = useProblemText()
  return ({ code, field, problem }) =>
    field === null ? sentenceOf(code) : `${field}: ${problemText({ field, code: problem, values: undefined })}`
}

function CallDrawer({ refused, ...frame }: DrawerFrame & { refused: RefusedCall }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { status, code, method, path, key, address, recipient, at } = refused
  const advice = useWords().refusals[code]
  return (
    <Drawer {...frame} title={useSentence()(code)}>
      <Stack gap="lg">
        <Section title={t('refusedCalls.advice')}>
          <Text>{advice}</Text>
        </Section>
        <Facts
          facts={[
            [t('messages.time'), format.exact(at)],
            [t('refusedCalls.call'), <Code key="call">{`${method} ${path}`}</Code>],
            [t('refusedCalls.answer'), <Code key="answer">{`${status} ${code}`}</Code>],
            [t('refusedCalls.field'), refused.field],
            [t('messages.to'), recipient === null ? null : <PhoneNumber key="to" digits={recipient} />],
            [t('refusedCalls.key'), key ?? t('refusedCalls.noKey')],
            [t('refusedCalls.from'), address],
          ]}
        />
      </Stack>
    </Drawer>
  )
}
