import { Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconMessageOff } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatPhone } from '../../../server/contract/phone.ts'
import {
  SUPPRESSION_SCOPES,
  type SuppressionScope,
  type SuppressionView,
} from '../../../server/contract/suppressions.ts'
import { useSenders } from '../../api/senders.ts'
import { useAddSuppression, useRemoveSuppression, useSuppressions } from '../../api/suppressions.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { useFocusLeft } from '../../components/use-focus-left.ts'
import { useRefusalText } from '../../hooks/use-field-text.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useFromSender } from '../../hooks/use-from-sender.ts'
import { countryFor, customerPath, typedPhone } from '../../model/phone.ts'
import { ImportOptOuts } from './import.tsx'
import classes from './opt-outs.module.css'

/** The list of opt-outs, a form to add one, and import and export as a table. */
export default function OptOuts() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader
        title={t('optOuts.title')}
        tabs="customers"
        lead={t('optOuts.lead')}
        action={<DownloadButton path="/api/suppressions/export.csv" />}
      />
      <Stack gap="lg">
        <Panel title={t('optOuts.add')}>
          <Stack>
            <AddForm />
            <ImportOptOuts />
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

function Row({ row }: { row: SuppressionView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const remove = useRemoveSuppression()
  const fromSender = useFromSender()
  const part = useFocusLeft<HTMLLIElement>()
  const { phone, scope, source, sender_code, at } = row
  const number = formatPhone(phone)

  // Not as an option of mutate(): React Query drops those when the row is unmounted.
  const onRemove = () =>
    remove.mutateAsync({ phone, sender_code }).then(
      () => notifications.show({ message: t('optOuts.removed', { number }) }),
      () => undefined,
    )

  return (
    <li ref={part} className={classes.row}>
      <div>
        <Link href={customerPath(phone)}>{number}</Link>
        <Text size="sm" c="dimmed">
          {[
            t(`optOuts.scopes.${scope}`),
            ...fromSender(sender_code),
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
        onClick={() => void onRemove()}
      >
        {t('actions.remove')}
      </BusyButton>
    </li>
  )
}
