import { Alert, Button, FileButton, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconMessageOff, IconUpload } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatPhone } from '../../../server/contract/phone.ts'
import {
  SUPPRESSION_SCOPES,
  type SuppressionScope,
  type SuppressionView,
} from '../../../server/contract/suppressions.ts'
import { download } from '../../api/download.ts'
import { useSenders } from '../../api/senders.ts'
import {
  useAddSuppression,
  useCheckSuppressions,
  useImportSuppressions,
  useRemoveSuppression,
  useSuppressions,
} from '../../api/suppressions.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { useProblemText, useRefusalText } from '../../hooks/use-field-text.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { countryFor, customerPath, typedPhone } from '../../model/phone.ts'
import classes from './opt-outs.module.css'

/** Numbers that do not want messages: the list, a number by hand, tables in and out. */
export default function OptOuts() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader
        title={t('optOuts.title')}
        tabs="customers"
        lead={t('optOuts.lead')}
        action={
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() =>
              download('/api/suppressions/export.csv').catch(() =>
                notifications.show({ color: 'red', message: t('errors.connection') }),
              )
            }
          >
            {t('messages.export')}
          </Button>
        }
      />
      <Stack gap="lg">
        <Panel title={t('optOuts.add')}>
          <Stack>
            <AddForm />
            <Import />
          </Stack>
        </Panel>
        <Panel title={t('optOuts.list')}>
          <Rows />
        </Panel>
      </Stack>
    </>
  )
}

function AddForm() {
  const { t, i18n } = useTranslation()
  const senders = useSenders().data ?? []
  const [typed, setTyped] = useState('')
  const [scope, setScope] = useState<SuppressionScope>('marketing')
  const add = useAddSuppression()
  const refusalText = useRefusalText()

  function submit(event: FormEvent) {
    event.preventDefault()
    const phone = typedPhone(typed, countryFor(undefined, senders, i18n.language))
    add.mutate(
      { phone, scope },
      {
        onSuccess: () => {
          setTyped('')
          notifications.show({ message: t(`optOuts.added.${scope}`) })
        },
      },
    )
  }

  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm" className={classes.add ?? ''}>
        <TextInput
          type="tel"
          label={t('optOuts.number')}
          value={typed}
          error={add.error === null ? null : refusalText(add.error, 'phone')}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Select
          label={t('optOuts.scope')}
          allowDeselect={false}
          data={SUPPRESSION_SCOPES.map((value) => ({ value, label: t(`optOuts.scopes.${value}`) }))}
          value={scope}
          onChange={(value) => setScope(value === 'all' ? 'all' : 'marketing')}
        />
        <BusyButton type="submit" busy={add.isPending} disabled={typed.trim() === ''}>
          {t('actions.add')}
        </BusyButton>
      </Group>
    </form>
  )
}

function Import() {
  const { t } = useTranslation()
  const check = useCheckSuppressions()
  const take = useImportSuppressions()
  const error = check.error ?? take.error

  function look(file: File | null) {
    if (file === null) return
    take.reset()
    check.mutate(file)
  }

  return (
    <>
      <Group gap="sm">
        <FileButton accept=".csv,.xlsx" onChange={look}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} />} aria-busy={check.isPending}>
              {t('optOuts.import')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          {t('optOuts.importHint')}
        </Text>
      </Group>
      {error === null ? null : <ErrorState error={error} />}
      {check.data === undefined ? null : (
        <Preview
          found={check.data}
          isBusy={take.isPending}
          take={() => take.mutate(check.variables, { onSuccess: check.reset })}
          leave={check.reset}
        />
      )}
      {take.data === undefined ? null : (
        <Alert
          role="status"
          color={take.data.refused_count === 0 ? 'blue' : 'yellow'}
          title={t('optOuts.imported', { count: take.data.added })}
        >
          <Refused {...take.data} />
        </Alert>
      )}
    </>
  )
}

type Found = NonNullable<ReturnType<typeof useCheckSuppressions>['data']>

/** A table as it is understood, before anything of it is taken. */
function Preview({
  found,
  isBusy,
  take,
  leave,
}: {
  found: Found
  isBusy: boolean
  take: () => void
  leave: () => void
}) {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  const { count, first } = found
  return (
    <Alert
      role="status"
      color={found.refused_count === 0 ? 'blue' : 'yellow'}
      title={t('optOuts.understood', { count })}
    >
      <Stack gap="sm">
        {first.length === 0 ? null : (
          <List size="sm">
            {first.map(({ phone, scope, sender_code }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a number may stand in the table twice
              <List.Item key={at}>
                {[
                  formatPhone(phone),
                  t(`optOuts.scopes.${scope}`),
                  ...(sender_code === null ? [] : [t('optOuts.fromSender', { name: nameOf(sender_code, senders) })]),
                ].join(' · ')}
              </List.Item>
            ))}
            {count > first.length ? (
              <List.Item>{t('optOuts.others', { count: count - first.length })}</List.Item>
            ) : null}
          </List>
        )}
        <Refused {...found} />
        <Group gap="sm">
          {count === 0 ? null : (
            <BusyButton busy={isBusy} onClick={take}>
              {t('optOuts.take', { count })}
            </BusyButton>
          )}
          <Button variant="default" onClick={leave}>
            {t('actions.cancel')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

/** Lines of a table that are not taken, each with its fault. */
function Refused({ refused, refused_count }: Pick<Found, 'refused' | 'refused_count'>) {
  const { t } = useTranslation()
  const problemText = useProblemText()
  const names: Record<string, string> = {
    phone: t('optOuts.number'),
    scope: t('optOuts.scope'),
    sender_code: t('messages.sender'),
  }
  if (refused_count === 0) return null
  return (
    <div>
      <Text size="sm">{t('optOuts.refused', { count: refused_count })}</Text>
      <List size="sm">
        {refused.map(({ line, ...wrong }) => (
          <List.Item key={line}>
            {t('optOuts.line', {
              line: String(line),
              field: names[wrong.field] ?? wrong.field,
              problem: problemText(wrong),
            })}
          </List.Item>
        ))}
      </List>
    </div>
  )
}

function Rows() {
  const { t } = useTranslation()
  const list = useSuppressions()
  const rows = list.data?.pages.flatMap(({ data }) => data)
  if (list.error !== null) return <ErrorState error={list.error} retry={() => void list.refetch()} />
  if (rows === undefined) return <Loading />
  if (rows.length === 0) {
    return (
      <EmptyState
        icon={<IconMessageOff size={40} stroke={1.5} />}
        title={t('optOuts.empty')}
        hint={t('optOuts.emptyHint')}
      />
    )
  }
  return (
    <Stack gap="sm">
      <ul className={classes.rows}>
        {rows.map((row) => (
          <Row key={`${row.phone} ${row.sender_code}`} row={row} />
        ))}
      </ul>
      {list.hasNextPage ? (
        <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('optOuts.more')}
        </BusyButton>
      ) : null}
    </Stack>
  )
}

const nameOf = (code: string, senders: readonly { sender_code: string; name: string }[]): string =>
  senders.find(({ sender_code }) => sender_code === code)?.name ?? code

function Row({ row }: { row: SuppressionView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const remove = useRemoveSuppression()
  const senders = useSenders().data ?? []
  const { phone, scope, source, sender_code, at } = row
  const number = formatPhone(phone)
  const from = sender_code === null ? null : nameOf(sender_code, senders)
  return (
    <li className={classes.row}>
      <div>
        <Link href={customerPath(phone)}>{number}</Link>
        <Text size="sm" c="dimmed">
          {[
            t(`optOuts.scopes.${scope}`),
            ...(from === null ? [] : [t('optOuts.fromSender', { name: from })]),
            t(`optOuts.sources.${source}`),
            format.exact(at),
          ].join(' · ')}
        </Text>
        {remove.error === null ? null : <ErrorState error={remove.error} />}
      </div>
      <BusyButton
        size="xs"
        variant="default"
        busy={remove.isPending}
        aria-label={`${t('actions.remove')}: ${number}`}
        onClick={() => remove.mutate({ phone, sender_code })}
      >
        {t('actions.remove')}
      </BusyButton>
    </li>
  )
}
