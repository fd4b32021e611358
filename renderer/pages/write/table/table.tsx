import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { SenderView } from '../../../../server/contract/senders.ts'
import type { TableView } from '../../../../server/slices/tables/contract.ts'
import { useSenders } from '../../../api/senders.ts'
import { useRemoveTable, useTable } from '../../../api/tables.ts'
import { BusyButton } from '../../../components/busy-button.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { useTellError } from '../../../hooks/use-tell-error.ts'
import { TableForm } from './table-form.tsx'
import { TableProgress } from './table-progress.tsx'
import { forgetTableDraft, useTableDraft } from './use-table-draft.ts'

/** One table. A draft has its message and the check; later, its progress is shown. */
export default function Table({ id }: { id: string }) {
  const { t } = useTranslation()
  const table = useTable(id)
  const senders = useSenders()
  return (
    <>
      <PageHeader
        title={table.data === undefined ? t('write.table') : table.data.name || t('tables.pasted')}
        lead={table.data === undefined ? undefined : t('tables.rows', { count: table.data.rows })}
        action={table.data?.state === 'draft' ? <RemoveButton id={id} /> : undefined}
      />
      <QueryView query={senders}>
        {(all) => <QueryView query={table}>{(data) => <Loaded key={id} table={data} senders={all} />}</QueryView>}
      </QueryView>
    </>
  )
}

interface LoadedProps {
  table: TableView
  senders: SenderView[]
}

function Loaded({ table, senders }: LoadedProps) {
  // The draft lives here, above both views, so that it is unchanged after "undo".
  const draft = useTableDraft(table, senders)
  return table.state === 'draft' ? (
    <TableForm table={table} draft={draft} />
  ) : (
    <TableProgress table={table} sender={senders.find((one) => one.sender_code === table.sender_code)} />
  )
}

function RemoveButton({ id }: { id: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const remove = useRemoveTable(id)
  const onError = useTellError()

  function removed() {
    forgetTableDraft(id)
    navigate('/write?kind=table')
  }

  return (
    <BusyButton
      variant="default"
      busy={remove.isPending}
      onClick={() => remove.mutate(undefined, { onSuccess: removed, onError })}
    >
      {t('tables.remove')}
    </BusyButton>
  )
}
