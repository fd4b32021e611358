import { Button, Paper } from '@mantine/core'
import { IconPlus, type IconProps } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { useUrlState } from '../hooks/use-url-state.ts'
import { neighbours } from '../model/neighbours.ts'
import type { DrawerFrame } from './drawer.tsx'
import { EmptyState } from './empty-state.tsx'
import type { TabGroup } from './navigation/places.ts'
import { PageHeader } from './page-header.tsx'
import { QueryView } from './query-view.tsx'

/** `?open=new` opens the form for a new row. */
const NEW = 'new'

interface ListPageProps<Row extends object> {
  title: string
  lead: string
  addLabel: string
  /** The rows, in the order in which the list shows them. */
  query: Pick<UseQueryResult<Row[]>, 'data' | 'error' | 'refetch'>
  /** Id of a row, as after `?open=` in the address. */
  idOf: (row: Row) => string
  empty: { icon: ComponentType<IconProps>; title: string; hint: string }
  tabs?: TabGroup
  list: (rows: Row[], openId: string | undefined) => ReactNode
  drawer: (row: Row, frame: DrawerFrame) => ReactNode
  form: (frame: DrawerFrame) => ReactNode
}

/** A page with a list, a drawer for each row, and a form for a new row. */
export function ListPage<Row extends object>(props: ListPageProps<Row>) {
  const { title, lead, addLabel, query, idOf, empty, list, drawer, form } = props
  const [get, set] = useUrlState()
  const openId = get('open')
  const rows = query.data ?? []
  const at = rows.findIndex((row) => idOf(row) === openId)
  const opened = rows[at]
  const onClose = () => set({ open: undefined })
  // Adds to the history, because on a phone the form covers the list and Back closes it.
  const add = () => set({ open: NEW, delivery: undefined }, { replace: openId === NEW })
  return (
    <>
      <PageHeader
        title={title}
        tabs={props.tabs}
        lead={lead}
        action={
          <Button leftSection={<IconPlus size={16} />} onClick={add}>
            {addLabel}
          </Button>
        }
      />
      <QueryView query={query}>
        {(loaded) =>
          loaded.length === 0 ? (
            <Paper withBorder>
              <EmptyState icon={<empty.icon size={40} stroke={1.5} />} title={empty.title} hint={empty.hint} />
            </Paper>
          ) : (
            list(loaded, openId)
          )
        }
      </QueryView>
      {openId === NEW ? form({ onClose }) : null}
      {opened === undefined
        ? null
        : drawer(opened, {
            of: idOf(opened),
            onClose,
            ...neighbours(rows, at, (row) => set({ open: idOf(row) })),
          })}
    </>
  )
}
