import { Button, Code } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconArrowLeft, IconPrinter } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { EmergencySheet as Sheet } from '../../../server/backup/contract.ts'
import { useEmergencySheet } from '../../api/backup-plan.ts'
import { Facts } from '../../components/facts.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import classes from './emergency.module.css'

const STEPS = ['install', 'choose', 'file', 'key', 'old', 'waiting'] as const

/** One sheet of paper for the day on which this PC is gone. */
export default function EmergencySheet() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('backup.sheet')} · Kurir`)
  return (
    <>
      <div className={classes.bar}>
        <Button
          component={Link}
          href="/settings#backup"
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden="true" />}
        >
          {t('actions.back')}
        </Button>
        <Button leftSection={<IconPrinter size={16} aria-hidden="true" />} onClick={() => window.print()}>
          {t('backup.print')}
        </Button>
      </div>
      <QueryView query={useEmergencySheet()}>{(sheet) => <Paper sheet={sheet} />}</QueryView>
    </>
  )
}

function Paper({ sheet: { key, folder, file, made_at } }: { sheet: Sheet }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <article className={classes.sheet} aria-label={t('backup.sheet')}>
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
      <p className={classes.small}>{t('backup.keep')}</p>
    </article>
  )
}
