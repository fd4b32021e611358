import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { BackupPlanView } from '../../../server/slices/backup/contract.ts'
import { useBackupPlan, useRunBackup, useUpdateBackupPlan } from '../../api/backup-plan.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusalText } from '../../hooks/use-field-text.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { Setting } from './setting.tsx'

/** Backups that Kurir makes by itself, into a folder that the owner chose. */
export function BackupPlan() {
  return <QueryView query={useBackupPlan()}>{(plan) => <Plan plan={plan} />}</QueryView>
}

function Plan({ plan }: { plan: BackupPlanView }) {
  const { t } = useTranslation()
  return (
    <>
      <FolderSetting plan={plan} />
      {plan.folder === null ? null : (
        <>
          <RunSetting plan={plan} />
          <Setting named label={t('backup.sheet')} hint={t('backup.sheetHint')}>
            {() => (
              <Button component={Link} href="/emergency-sheet" variant="default">
                {t('backup.sheetOpen')}
              </Button>
            )}
          </Setting>
        </>
      )}
    </>
  )
}

function FolderSetting({ plan: { folder } }: { plan: BackupPlanView }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<{ text: string; over: string | null } | null>(null)
  const update = useUpdateBackupPlan()
  const refusalText = useRefusalText()
  const text = typed?.text ?? folder ?? ''
  const isNew = text.trim() !== '' && text.trim() !== folder
  const meanwhile = isNew && typed?.over !== folder ? t('errors.savedMeanwhile') : null
  useLeaveGuard(isNew, 'unsaved')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isNew)
      update.mutate({ folder: text.trim() }, { onSuccess: () => setTyped((now) => (now === typed ? null : now)) })
  }

  return (
    <Setting label={t('backup.auto')} hint={t('backup.autoHint')}>
      {({ id, 'aria-describedby': describedBy }) => (
        <form onSubmit={submit} data-wide>
          <Stack gap="sm">
            <TextInput
              id={id}
              aria-describedby={describedBy}
              placeholder={t('backup.example')}
              maxLength={1024}
              value={text}
              error={update.error === null ? meanwhile : refusalText(update.error, 'folder')}
              onChange={(event) =>
                setTyped({ text: event.currentTarget.value, over: isNew && typed !== null ? typed.over : folder })
              }
            />
            <Group gap="sm" justify="flex-end">
              {folder === null ? null : (
                <BusyButton
                  variant="subtle"
                  busy={update.isPending}
                  onClick={() => update.mutate({ folder: null }, { onSuccess: () => setTyped(null) })}
                >
                  {t('backup.off')}
                </BusyButton>
              )}
              {folder !== null && !isNew ? null : (
                <BusyButton type="submit" disabled={!isNew} busy={update.isPending}>
                  {t('backup.choose')}
                </BusyButton>
              )}
            </Group>
          </Stack>
        </form>
      )}
    </Setting>
  )
}

function RunSetting({ plan: { last, failed, running } }: { plan: BackupPlanView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const run = useRunBackup()
  const busy = running || run.isPending
  return (
    <Setting
      named
      label={t('backup.now')}
      {...(last === null ? { hint: t('backup.none') } : {})}
      below={
        <Stack gap="xs">
          {last === null ? null : (
            <Text size="sm">
              {t('backup.last')} <TimeAgo at={last.at} /> · {format.bytes(last.bytes)} · {last.file}
            </Text>
          )}
          {busy ? (
            <Text size="sm" role="status">
              {t('backup.running')}
            </Text>
          ) : null}
          {failed === null || busy ? null : (
            <Alert color="yellow" role="status" title={t('backup.failed')}>
              {t(`backup.fault.${failed.reason}`)}
            </Alert>
          )}
          {run.error === null || failed !== null ? null : <ErrorState error={run.error} />}
        </Stack>
      }
    >
      {() => (
        <BusyButton variant="default" busy={busy} onClick={() => run.mutate(undefined)}>
          {t('backup.now')}
        </BusyButton>
      )}
    </Setting>
  )
}
