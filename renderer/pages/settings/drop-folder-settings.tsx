import { Alert, Anchor, NumberInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { type DropFolderView, type DroppedFile, TABLE_TEXT_MAX } from '../../../server/slices/drop-folder/contract.ts'
import { useDropFolder, useUpdateDropFolder } from '../../api/drop-folder.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { MessageStatus } from '../../components/message-status.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { useWords } from '../../hooks/use-words.ts'
import { Setting } from './setting.tsx'
import classes from './settings.module.css'
import { SettingsSection } from './settings-section.tsx'
import { useShownSection } from './use-shown-section.ts'

/** A folder whose files are sent to the numbers that they are named with. */
export function DropFolderSettings() {
  const { t } = useTranslation()
  const isShown = useShownSection() === 'folder'
  return (
    <SettingsSection id="folder" title={t('settings.folder.title')}>
      {isShown ? <Loaded /> : null}
    </SettingsSection>
  )
}

function Loaded() {
  const { t } = useTranslation()
  return (
    <QueryView query={useDropFolder()}>
      {(view) => (
        <>
          <Text size="sm" c="dimmed" mb="md">
            {t('settings.folder.lead')}
          </Text>
          <Form
            key={`${view.folder} ${view.sender_code} ${view.daily_limit} ${view.text} ${view.table_text}`}
            view={view}
          />
          <OnSetting view={view} />
          <Files files={view.files} />
        </>
      )}
    </QueryView>
  )
}

/** The owner's choices, kept when they are saved. */
function Form({ view }: { view: DropFolderView }) {
  const { t } = useTranslation()
  const before = {
    folder: view.folder ?? '',
    sender_code: view.sender_code,
    text: view.text,
    table_text: view.table_text,
    daily_limit: view.daily_limit,
  }
  const [values, setValues] = useState(before)
  const senders = (useSenders().data ?? []).filter(({ kind }) => kind !== 'official')
  const update = useUpdateDropFolder()
  const refusals = useRefusals()
  const refused = update.error === null ? {} : refusals(update.error)
  const edited = JSON.stringify(values) !== JSON.stringify(before)
  useLeaveGuard(edited, 'unsaved')

  function submit(event: FormEvent) {
    event.preventDefault()
    const folder = values.folder.trim()
    const { folder: _folder, ...rest } = values
    // The folder is looked at when it is named, so that only another one is.
    const body = folder === before.folder ? rest : { ...rest, folder: folder === '' ? null : folder }
    update.mutate(folder === '' ? { ...body, on: false } : body, {
      onSuccess: () => notifications.show({ message: t('actions.saved') }),
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" pb="md">
        <TextInput
          label={t('settings.folder.path')}
          description={t('settings.folder.pathHint')}
          placeholder={t('settings.folder.example')}
          maxLength={1024}
          value={values.folder}
          error={refused.folder}
          onChange={(event) => setValues({ ...values, folder: event.currentTarget.value })}
        />
        <Select
          label={t('settings.folder.sender')}
          data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
          value={values.sender_code}
          error={refused.sender_code}
          onChange={(sender_code) => setValues({ ...values, sender_code })}
        />
        <Textarea
          label={t('settings.folder.text')}
          description={t('settings.folder.textHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1024}
          value={values.text}
          error={refused.text}
          onChange={(event) => setValues({ ...values, text: event.currentTarget.value })}
        />
        <Textarea
          label={t('settings.folder.tableText')}
          description={t('settings.folder.tableTextHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={TABLE_TEXT_MAX}
          value={values.table_text}
          error={refused.table_text}
          onChange={(event) => setValues({ ...values, table_text: event.currentTarget.value })}
        />
        <NumberInput
          label={t('settings.folder.limit')}
          description={t('settings.folder.limitHint')}
          hideControls
          allowDecimal={false}
          allowNegative={false}
          styles={{ wrapper: { maxWidth: 160 } }}
          value={values.daily_limit}
          error={refused.daily_limit}
          onChange={(limit) => setValues({ ...values, daily_limit: Number(limit) })}
        />
        {update.error === null ? null : <ErrorState error={update.error} marked={values} />}
        <BusyButton type="submit" busy={update.isPending} disabled={!edited} style={{ alignSelf: 'flex-end' }}>
          {t('actions.save')}
        </BusyButton>
      </Stack>
    </form>
  )
}

function OnSetting({ view: { on, folder, sender_code, problem, waiting, failed } }: { view: DropFolderView }) {
  const { t } = useTranslation()
  const update = useUpdateDropFolder()
  const isReady = folder !== null && sender_code !== null
  return (
    <Setting
      label={t('settings.folder.on')}
      hint={isReady ? t('settings.folder.onHint') : t('settings.folder.first')}
      below={
        <Stack gap="xs">
          {update.error === null ? null : <ErrorState error={update.error} />}
          {problem === null ? null : (
            <Alert color="yellow" role="status" title={t('settings.folder.waits', { count: waiting })}>
              {t(`settings.folder.problems.${problem}`)}
            </Alert>
          )}
          {failed === 0 ? null : <Text size="sm">{t('settings.folder.failed', { count: failed })}</Text>}
        </Stack>
      }
    >
      {({ id, 'aria-describedby': describedBy }) => (
        <Switch
          id={id}
          aria-describedby={describedBy}
          checked={on}
          disabled={!isReady}
          onChange={(event) => update.mutate({ on: event.currentTarget.checked })}
        />
      )}
    </Setting>
  )
}

function Files({ files }: { files: DroppedFile[] }) {
  const { t } = useTranslation()
  if (files.length === 0) return null
  return (
    <Setting
      named
      label={t('settings.folder.last')}
      below={
        <ul className={classes.sessions}>
          {files.map((file) => (
            <li key={file.id}>
              <File file={file} />
            </li>
          ))}
        </ul>
      }
    >
      {() => null}
    </Setting>
  )
}

function File({ file: { name, at, status, reason, message_id, table_id } }: { file: DroppedFile }) {
  const { t } = useTranslation()
  const words = useWords()
  const address = table_id === null ? `/messages?sandbox=with&open=${message_id}` : `/tables/${table_id}`
  return (
    <Stack gap={4} py="xs">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {message_id === null && table_id === null ? (
          name
        ) : (
          <Anchor component={Link} href={address} underline="always" inherit>
            {name}
          </Anchor>
        )}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        <TimeAgo at={at} /> ·{' '}
        {status === 'refused' ? (
          `${t('settings.folder.refused')} ${reason === null ? '' : words.dropReasons[reason]}`
        ) : status === 'taken' ? (
          `${t('settings.folder.taken')}. ${reason === null ? '' : t('settings.folder.someRows')}`
        ) : (
          <MessageStatus status={status} />
        )}
      </Text>
    </Stack>
  )
}
