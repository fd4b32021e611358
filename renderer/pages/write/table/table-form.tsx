import { Alert, Group, Select, Stack, Text } from '@mantine/core'
import { IconFlask, IconSend } from '@tabler/icons-react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../../server/contract/errors.ts'
import { formatPhone } from '../../../../server/contract/phone.ts'
import type { CheckView, TableView } from '../../../../server/slices/tables/contract.ts'
import { useCheckTable, useSendTable } from '../../../api/tables.ts'
import { BusyButton } from '../../../components/busy-button.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { ChatText } from '../../../components/phone/chat-text.tsx'
import { Media } from '../../../components/phone/media.tsx'
import { Phone } from '../../../components/phone/phone.tsx'
import classes from '../write.module.css'
import { CheckResult } from './check-result.tsx'
import { FirstRows } from './first-rows.tsx'
import own from './table.module.css'
import { TableFiles } from './table-files.tsx'
import { TableMessage } from './table-message.tsx'
import type { TableDraft } from './use-table-draft.ts'

interface TableFormProps {
  table: TableView
  draft: TableDraft
}

/** The columns, the message and the check at the left, a preview of the messages at the right. */
export function TableForm({ table, draft }: TableFormProps) {
  const { t } = useTranslation()
  const check = useCheckTable(table.id)
  const send = useSendTable(table.id)
  const { plan } = draft
  // Only a checked table can be sent. Any change makes the check void.
  const isChecked = JSON.stringify(check.variables) === JSON.stringify(plan)
  const checked = isChecked ? check.data : undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (plan === null) return
    send.reset()
    check.mutate(plan)
  }

  function restoreZero(restore_zero: boolean) {
    draft.set({ restore_zero })
    if (plan !== null) check.mutate({ ...plan, restore_zero })
  }

  return (
    <div className={classes.sides}>
      <form noValidate onSubmit={submit}>
        <Stack gap="lg">
          <Panel title={t('tables.columns')}>
            <Columns table={table} draft={draft} />
          </Panel>
          <Panel title={t('tables.message')}>
            <TableMessage columns={table.columns} draft={draft} />
          </Panel>
          <Panel title={t('tables.check')}>
            <Stack>
              <Group gap="sm">
                <BusyButton
                  type="submit"
                  variant={checked === undefined ? 'filled' : 'default'}
                  busy={check.isPending}
                  disabled={plan === null}
                >
                  {t('tables.checkRows', { count: table.rows })}
                </BusyButton>
                {draft.isIncomplete ? (
                  <Text size="sm" c="dimmed">
                    {t('tables.checkNeeds')}
                  </Text>
                ) : null}
              </Group>
              {check.error === null || !isChecked ? null : <ErrorState error={check.error} />}
              <div role="status">
                {checked === undefined ? null : (
                  <CheckResult checked={checked} rows={table.rows} sender={draft.sender} restoreZero={restoreZero} />
                )}
              </div>
              {checked === undefined || plan === null || checked.count === 0 || checked.ends_at === null ? null : (
                <Send
                  count={checked.count}
                  sandbox={draft.sender?.kind === 'sandbox'}
                  busy={send.isPending}
                  send={() => send.mutate({ ...plan, count: checked.count })}
                />
              )}
              {send.error === null ? null : <NotSent error={send.error} />}
            </Stack>
          </Panel>
        </Stack>
      </form>
      <div className={classes.phone}>
        <Phone
          from={draft.sender?.name ?? 'Kurir'}
          messages={[]}
          draft={<Preview table={table} draft={draft} checked={checked} />}
        />
      </div>
    </div>
  )
}

function Columns({ table: { columns, first_rows }, draft }: TableFormProps) {
  const { t } = useTranslation()
  const { phone_column, file_column, set } = draft
  return (
    <Stack>
      <FirstRows columns={columns} rows={first_rows} chosen={phone_column} />
      <Select
        label={t('tables.phoneColumn')}
        description={phone_column === null ? t('tables.phoneColumnMissing') : t('tables.phoneColumnHint')}
        placeholder={t('tables.chooseColumn')}
        required
        allowDeselect={false}
        data={columns}
        value={phone_column}
        onChange={(name) => set({ phone_column: name })}
      />
      <Select
        label={t('tables.fileColumn')}
        description={t('tables.fileColumnHint')}
        placeholder={t('tables.noFiles')}
        clearable
        clearButtonProps={{ 'aria-label': t('tables.noFiles') }}
        data={columns}
        value={file_column}
        onChange={(name) => set({ file_column: name })}
      />
      {file_column === null ? null : <TableFiles draft={draft} />}
    </Stack>
  )
}

interface PreviewProps extends TableFormProps {
  checked: CheckView | undefined
}

/** Messages as customers will see them. Before the check, only that of the first row. */
function Preview({ table, draft, checked }: PreviewProps) {
  const { t } = useTranslation()
  const [first] = table.first_rows
  if (checked === undefined) {
    const written = first === undefined ? '' : draft.written(first)
    if (written.trim() === '') return null
    return (
      <section className={classes.draft} aria-label={t('write.preview')}>
        <ChatText text={written} />
      </section>
    )
  }
  return (
    <section className={own.preview} aria-label={t('write.preview')}>
      {checked.previews.map(({ line, recipient, message, file }) => (
        <div key={line}>
          <Text size="xs" c="dimmed">
            {t('tables.previewOf', { line: String(line), to: nameOf(recipient) })}
          </Text>
          <div className={classes.draft}>
            {file === null ? null : <Media address={file} />}
            <ChatText text={message} />
          </div>
        </div>
      ))}
    </section>
  )
}

const nameOf = (recipient: string) => (/^\d+$/.test(recipient) ? formatPhone(recipient) : recipient)

interface SendProps {
  count: number
  sandbox: boolean
  busy: boolean
  send: () => void
}

function Send({ count, sandbox, busy, send }: SendProps) {
  const { t } = useTranslation()
  return (
    <>
      {sandbox ? (
        <Alert color="yellow" icon={<IconFlask size={20} />} role="note">
          {t('write.sandbox')}
        </Alert>
      ) : null}
      <Group gap="sm">
        <BusyButton leftSection={<IconSend size={16} />} busy={busy} onClick={send}>
          {t('tables.send', { count })}
        </BusyButton>
        <Text size="sm" c="dimmed">
          {t('tables.sendHint')}
        </Text>
      </Group>
    </>
  )
}

/** Says that the check is void because something changed, or shows another error. */
function NotSent({ error }: { error: Error }) {
  const { t } = useTranslation()
  if (!(error instanceof ApiError && error.code === 'conflict')) return <ErrorState error={error} />
  return (
    <Alert color="red" role="alert" title={t('tables.changed')}>
      {t('tables.changedHint')}
    </Alert>
  )
}
