import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconTable } from '@tabler/icons-react'
import { type DragEvent, type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import type { TableRowView } from '../../../../server/slices/tables/contract.ts'
import { useTables, useTakeTable } from '../../../api/tables.ts'
import { BusyButton } from '../../../components/busy-button.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useLeaveGuard } from '../../../hooks/leave-guard.ts'
import { KindChoice } from '../kind-choice.tsx'
import classes from './table.module.css'

/** Takes a table: pasted from a spreadsheet, chosen as a file, or dropped. */
export function NewTable() {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [pasted, setPasted] = useState('')
  const take = useTakeTable()
  const release = useLeaveGuard(pasted.trim() !== '', 'unsaved')

  function read(file: File | null | undefined) {
    if (!file || take.isPending) return
    take.mutate(file, {
      onSuccess({ id }) {
        release()
        navigate(`/tables/${id}`)
      },
    })
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    read(new File([pasted], '', { type: 'text/csv' }))
  }

  function drop(event: DragEvent) {
    // Dropped text goes into the field, as the browser does by itself.
    const file = event.dataTransfer.files[0]
    if (file === undefined) return
    event.preventDefault()
    read(file)
  }

  return (
    <Stack gap="lg" maw={960} mx={0}>
      <Panel>
        <form onSubmit={submit} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
          <Stack>
            <KindChoice />
            <Text size="sm">{t('tables.lead')}</Text>
            <Group gap="sm">
              <FileButton accept=".csv,.txt,.xlsx,text/csv" onChange={read}>
                {(props) => (
                  <Button {...props} leftSection={<IconTable size={16} />} aria-busy={take.isPending}>
                    {t('tables.choose')}
                  </Button>
                )}
              </FileButton>
              <Text size="sm" c="dimmed">
                {t('tables.chooseHint')}
              </Text>
            </Group>
            <Textarea
              label={t('tables.paste')}
              description={t('tables.pasteHint')}
              rows={5}
              spellCheck={false}
              classNames={{ input: classes.pasted ?? '' }}
              value={pasted}
              onChange={(event) => setPasted(event.currentTarget.value)}
            />
            {pasted.trim() === '' ? null : (
              <BusyButton type="submit" variant="default" busy={take.isPending} style={{ alignSelf: 'flex-start' }}>
                {t('tables.read')}
              </BusyButton>
            )}
            <div role="status">{take.isPending ? <Text size="sm">{t('tables.reading')}</Text> : null}</div>
            {take.error === null ? null : <ErrorState error={take.error} />}
          </Stack>
        </form>
      </Panel>
      <Earlier />
    </Stack>
  )
}

/** Earlier tables. */
function Earlier() {
  const { t } = useTranslation()
  return (
    <QueryView query={useTables()}>
      {(tables) =>
        tables.length === 0 ? null : (
          <Panel title={t('tables.earlier')}>
            <ul className={classes.rows}>
              {tables.map((table) => (
                <Row key={table.id} table={table} />
              ))}
            </ul>
          </Panel>
        )
      }
    </QueryView>
  )
}

function Row({ table: { id, name, state, rows, created_at, planned_at } }: { table: TableRowView }) {
  const { t } = useTranslation()
  const fate = state === 'draft' ? 'draft' : state === 'paused' || state === 'cancelled' ? state : 'begun'
  return (
    <li>
      <Link href={`/tables/${id}`}>{name === '' ? t('tables.pasted') : name}</Link>
      <Text size="sm" c="dimmed">
        {t('tables.rows', { count: rows })} · {t(`tables.fate.${fate}`)} · <TimeAgo at={planned_at ?? created_at} />
      </Text>
    </li>
  )
}
