import { Stack, Text } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { type Overview as OverviewData, useOverview } from '../../api/overview.ts'
import { useSenders } from '../../api/senders.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Panel } from '../../components/panel.tsx'
import { useIssues } from '../../hooks/use-issues.ts'
import { formatBytes } from '../../model/bytes.ts'
import { Headline } from './headline.tsx'
import { IssueRow } from './issue-row.tsx'
import classes from './overview.module.css'
import { SenderCard } from './sender-card.tsx'

const DaysChart = lazy(() => import('./days-chart.tsx'))

/** Is everything well, and if not, what has to be pressed? */
export default function Overview() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('home.title')} · Kurir`)
  const overview = useOverview()
  const senders = useSenders()
  const [first, ...others] = useIssues()
  const failed = overview.error ?? senders.error
  if (failed !== null) return <ErrorState error={failed} retry={() => void overview.refetch()} />
  if (overview.data === undefined || senders.data === undefined) return <Loading />
  return (
    <Stack gap="lg">
      <Headline issue={first} today={overview.data.today} />
      {others.length === 0 ? null : (
        <Panel title={t('home.alsoNeeds')}>
          <Stack gap="sm">
            {others.map((issue) => (
              <IssueRow key={`${issue.kind} ${'sender' in issue ? issue.sender.sender_code : ''}`} issue={issue} />
            ))}
          </Stack>
        </Panel>
      )}
      <section className={classes.cards} aria-label={t('home.senders')}>
        {senders.data.map((sender) => (
          <SenderCard key={sender.sender_code} sender={sender} />
        ))}
      </section>
      <Panel title={t('home.chart')}>
        <div className={classes.chart}>
          <Suspense fallback={<Loading />}>
            <DaysChart days={overview.data.days} />
          </Suspense>
        </div>
      </Panel>
      <Foot overview={overview.data} />
    </Stack>
  )
}

function Foot({ overview: { version, disk } }: { overview: OverviewData }) {
  const { t, i18n } = useTranslation()
  const used = formatBytes(disk.database_bytes, i18n.language)
  return (
    <Text size="xs" c="dimmed" component="footer">
      {disk.free_bytes === null
        ? t('home.footShort', { version, used })
        : t('home.foot', { version, used, free: formatBytes(disk.free_bytes, i18n.language) })}
    </Text>
  )
}
