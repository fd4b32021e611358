import { Code } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { EmergencySheet as Sheet } from '../../../server/backup/contract.ts'
import { useEmergencySheet } from '../../api/backup-plan.ts'
import { Facts } from '../../components/facts.tsx'
import { Paper, SmallPrint } from '../../components/paper.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useFormat } from '../../hooks/use-format.ts'

const STEPS = ['install', 'choose', 'file', 'key', 'old', 'waiting'] as const

/** One sheet of paper for the day on which this PC is gone. */
export default function EmergencySheet() {
  const { t } = useTranslation()
  return (
    <Paper title={t('backup.sheet')} back="/settings#backup" print={t('backup.print')}>
      <QueryView query={useEmergencySheet()}>{(sheet) => <Steps sheet={sheet} />}</QueryView>
    </Paper>
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
