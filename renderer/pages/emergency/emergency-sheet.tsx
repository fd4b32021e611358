import { Button, Code } from '@mantine/core'
import { IconFolder } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { ApiError } from '../../../server/contract/errors.ts'
import type { EmergencySheet as Sheet } from '../../../server/slices/backup/contract.ts'
import { useEmergencySheet } from '../../api/backup-plan.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { Paper, SmallPrint } from '../../components/paper.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useFormat } from '../../hooks/use-format.ts'

const STEPS = ['install', 'choose', 'file', 'key', 'old', 'waiting'] as const

/** A sheet to print, with the steps to take if this PC is lost. */
export default function EmergencySheet() {
  const { t } = useTranslation()
  const query = useEmergencySheet()
  if (query.error instanceof ApiError && query.error.code === 'conflict') return <NoSheet />
  return (
    <Paper title={t('backup.sheet')} back="/settings#backup" print={t('backup.print')}>
      <QueryView query={query}>{(sheet) => <Steps sheet={sheet} />}</QueryView>
    </Paper>
  )
}

/** Shown if no backup folder is set: without backups there is nothing to print. */
function NoSheet() {
  const { t } = useTranslation()
  return (
    <EmptyState
      wholePage
      icon={<IconFolder size={40} stroke={1.5} />}
      title={t('backup.noSheet')}
      hint={t('backup.noSheetHint')}
      action={
        <Button component={Link} href="/settings#backup">
          {t('backup.toFolder')}
        </Button>
      }
    />
  )
}

function Steps({ sheet: { key, folder, file, made_at } }: { sheet: Sheet }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <>
      <h1>{t('backup.sheetTitle')}</h1>
      <p>{t('backup.sheetWhy')}</p>
      <Facts
        facts={[
          [t('backup.key'), <Code key="key">{key}</Code>],
          [t('backup.where'), folder],
          [t('backup.newest'), file],
          [t('backup.made'), made_at === null ? null : format.exactWithZone(made_at)],
        ]}
      />
      <h2>{t('backup.howTo')}</h2>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>{t(`backup.steps.${step}`)}</li>
        ))}
      </ol>
      <SmallPrint>{t('backup.keep')}</SmallPrint>
    </>
  )
}
