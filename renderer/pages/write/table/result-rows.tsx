import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatPhone } from '../../../../server/contract/phone.ts'
import {
  KINDS_SHOWN,
  SHOWN_ROWS,
  type ShownRows,
  type TableLineView,
  type TableView,
} from '../../../../server/slices/tables/contract.ts'
import { say } from '../../../../server/words/say.ts'
import { useTableRows } from '../../../api/tables.ts'
import { BusyButton } from '../../../components/busy-button.tsx'
import { InARow } from '../../../components/in-a-row.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { useUrlState } from '../../../hooks/use-url-state.ts'
import { useWords } from '../../../hooks/use-words.ts'
import { RowKind } from './row-kind.tsx'
import classes from './table.module.css'

/** The rows with their outcomes. Rows that became messages link to them. */
export function ResultRows({ table }: { table: TableView }) {
  const { t } = useTranslation()
  const [get, set] = useUrlState()
  const show = SHOWN_ROWS.find((one) => one === get('show'))
  const list = useTableRows(table, show)
  const { counts } = table
  const has = (one: ShownRows) => one === show || KINDS_SHOWN[one].some((kind) => (counts[kind] ?? 0) > 0)
  return (
    <Stack gap="sm">
      <Group gap="xs" role="group" aria-label={t('tables.show.label')}>
        {[undefined, ...SHOWN_ROWS.filter(has)].map((one) => (
          <Button
            key={one ?? 'all'}
            size="xs"
            radius="xl"
            variant={one === show ? 'light' : 'default'}
            aria-pressed={one === show}
            onClick={() => set({ show: one })}
          >
            {t(`tables.show.${one ?? 'all'}`)}
          </Button>
        ))}
      </Group>
      <QueryView query={list}>
        {({ pages }) => (
          <ul className={classes.rows}>
            {pages
              .flatMap(({ data }) => data)
              .map((row) => (
                <ResultRow key={row.line} row={row} />
              ))}
          </ul>
        )}
      </QueryView>
      {list.hasNextPage ? (
        <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('tables.more')}
        </BusyButton>
      ) : null}
    </Stack>
  )
}

function ResultRow({ row }: { row: TableLineView }) {
  const { t } = useTranslation()
  const words = useWords()
  const { line, cells, recipient, message_id, status, refusal, error_code } = row
  const texts = recipient === null ? cells.filter((cell) => cell.trim() !== '') : [nameOf(recipient)]
  const known = words.failures[error_code as keyof typeof words.failures]
  const why = refusal === null ? known?.message : say(words, `tableProblems.${refusal.code}`, { value: refusal.value })
  return (
    <li>
      <div className={classes.line}>
        <span>
          {t('tables.row', { line: String(line) })}{' '}
          {message_id === null || status === 'removed' ? (
            <span className={classes.cell}>
              <InARow texts={texts} />
            </span>
          ) : (
            <Link href={`/messages?open=${message_id}&sandbox=with`}>
              <InARow texts={texts} />
            </Link>
          )}
        </span>
        <RowKind kind={status} />
      </div>
      {why === undefined ? null : (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {why}
        </Text>
      )}
    </li>
  )
}

const nameOf = (recipient: string) => (/^\d+$/.test(recipient) ? formatPhone(recipient) : recipient)
