import { Alert, Anchor, NumberInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
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
import { useRecordForm } from '../../hooks/use-record-form.ts'
import { useWords } from '../../hooks/use-words.ts'
import { Setting } from './setting.tsx'
import classes from './settings.module.css'
import { SettingsSection } from './settings-section.tsx'

/** A folder whose files are sent to the numbers in their names. */
export function DropFolderSettings() {
  const { t } = useTranslation()
  return (
    <SettingsSection id="folder" title={t('settings.folder.title')}>
      <QueryView query={useDropFolder()}>
        {(view) => (
          <>
            <Text size="sm" c="dimmed" mb="md">
              {t('settings.folder.lead')}
            </Text>
            <Form view={view} />
            <OnSetting view={view} />
            <Files files={view.files} />
          </>
        )}
      </QueryView>
    </SettingsSection>
  )
}

/** The settings of the folder. */
function Form({ view }: { view: DropFolderView }) {
  const { t } = useTranslation()
  const saved = {
    folder: view.folder ?? '',
    sender_code: view.sender_code,
    text: view.text,
    table_text: view.table_text,
    daily_limit: view.daily_limit,
  }
  const senders = (useSenders().data ?? []).filter(({ kind }) => kind !== 'official')
  const update = useUpdateDropFolder()
  // No schema: the server's refusals are more exact than the texts of the fields.
  const { form, edited, onSave } = useRecordForm({ saved })

  const submit = onSave(({ folder: typed = saved.folder, ...rest }, then) => {
    const folder = typed.trim()
    // The server checks a folder whenever a request names it, so an unchanged one is left out.
    if (folder === saved.folder) update.mutate(rest, then)
    else update.mutate(folder === '' ? { ...rest, folder: null, on: false } : { ...rest, folder }, then)
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" pb="md">
        <TextInput
          label={t('settings.folder.path')}
          description={t('settings.folder.pathHint')}
          placeholder={t('settings.folder.example')}
          maxLength={1024}
          {...form.getInputProps('folder')}
        />
        <Select
          label={t('settings.folder.sender')}
          data={senders.map(({ sender_code, name }) => ({ value: sender_code, label: name }))}
          {...form.getInputProps('sender_code')}
        />
        <Textarea
          label={t('settings.folder.text')}
          description={t('settings.folder.textHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1024}
          {...form.getInputProps('text')}
        />
        <Textarea
          label={t('settings.folder.tableText')}
          description={t('settings.folder.tableTextHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={TABLE_TEXT_MAX}
          {...form.getInputProps('table_text')}
        />
        <NumberInput
          label={t('settings.folder.limit')}
          description={t('settings.folder.limitHint')}
          hideControls
          allowDecimal={false}
          allowNegative={false}
          styles={{ wrapper: { maxWidth: 160 } }}
          {...form.getInputProps('daily_limit')}
          onChange={(limit) => form.setFieldValue('daily_limit', Number(limit))}
        />
        {update.error === null ? null : <ErrorState error={update.error} marked={form.values} />}
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
