import { Paper, SegmentedControl, Stack } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { PrinterView, PrintView } from '../../../server/slices/printer/contract.ts'
import { usePrinter, usePrints } from '../../api/prints.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { InARow } from '../../components/in-a-row.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryView } from '../../components/query-view.tsx'
import type { Column } from '../../components/table/column.ts'
import { LinkTable } from '../../components/table/link-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useUrlState, withChange } from '../../hooks/use-url-state.ts'
import { neighbours } from '../../model/neighbours.ts'
import { PrintDrawer } from './print-drawer.tsx'
import { PrintState } from './print-state.tsx'
import classes from './prints.module.css'
import { Setup } from './setup.tsx'

/** Receipts that the till printed to Kurir, and the setup of the printer. */
export default function Prints() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('prints.title')} lead={t('prints.lead')} />
      <QueryView query={usePrinter()}>{(printer) => <Loaded printer={printer} />}</QueryView>
    </>
  )
}

function Loaded({ printer }: { printer: PrinterView }) {
  const { t } = useTranslation()
  // After the setup the prints come first, unless the printer has a problem.
  const isDone = printer.sending && printer.problem === null
  return (
    <Stack gap="lg" maw={960} mx={0}>
      {isDone ? (
        <>
          <List printer={printer} />
          <Panel>
            <details>
              <summary className={classes.summary}>{t('prints.setup')}</summary>
              <Setup printer={printer} />
            </details>
          </Panel>
        </>
      ) : (
        <>
          <Panel title={t('prints.setup')}>
            <Setup printer={printer} />
          </Panel>
          <List printer={printer} />
        </>
      )}
    </Stack>
  )
}

function List({ printer }: { printer: PrinterView }) {
  const { t } = useTranslation()
  const [get, set] = useUrlState()
  const search = useSearch()
  const waits = get('show') !== 'all'
  const prints = usePrints(waits ? 'waiting' : undefined)
  const columns = useColumns()
  const rows = prints.data ?? []
  const open = get('open')
  const at = rows.findIndex(({ id }) => id === open)
  return (
    <Panel title={t('prints.list')}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={t('prints.list')}
          value={waits ? 'waiting' : 'all'}
          onChange={(value) => set({ show: value === 'all' ? 'all' : undefined })}
          data={[
            { value: 'waiting', label: t('prints.waiting', { count: printer.waiting }) },
            { value: 'all', label: t('prints.all') },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
        <QueryView query={prints}>
          {(loaded) =>
            loaded.length === 0 ? (
              <Paper withBorder>
                <EmptyState
                  icon={<IconReceipt size={40} stroke={1.5} />}
                  title={waits ? t('prints.noneWaits') : t('prints.none')}
                  hint={t('prints.noneHint')}
                />
              </Paper>
            ) : (
              <LinkTable
                label={t('prints.list')}
                columns={columns}
                rows={loaded}
                idOf={({ id }) => id}
                hrefOf={({ id }) => `?${withChange(new URLSearchParams(search), { open: id })}`}
                openId={open}
                isEnded={({ status }) => status === 'sent'}
              />
            )
          }
        </QueryView>
      </Stack>
      {open === undefined ? null : (
        <PrintDrawer
          key={open}
          id={open}
          printer={printer}
          of={open}
          onClose={() => set({ open: undefined })}
          {...(at === -1 ? {} : neighbours(rows, at, ({ id }) => set({ open: id })))}
        />
      )}
    </Panel>
  )
}

function useColumns(): Column<PrintView>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'title',
      title: t('prints.receipt'),
      width: 'minmax(0, 1fr)',
      narrow: 'title',
      cell: ({ title, reference_id }) => {
        const texts = [title, reference_id ?? ''].filter((part) => part !== '')
        return texts.length === 0 ? t('words.none') : <InARow texts={texts} />
      },
    },
    {
      id: 'state',
      title: t('messages.status'),
      width: 'minmax(0, 1.2fr)',
      narrow: 'below',
      cell: (print) => <PrintState print={print} />,
    },
    { id: 'at', title: t('prints.at'), width: '136px', narrow: 'end', cell: ({ at }) => <TimeAgo at={at} /> },
  ]
}
