import { Stack, Text } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { type Overview as OverviewData, useOverview } from '../../api/overview.ts'
import { useSenders } from '../../api/senders.ts'
import { Panel } from '../../components/panel.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useIssues } from '../../hooks/use-issues.ts'
import { isAlarm, issueKey } from '../../model/issues.ts'
import { troubledFirst } from '../../model/sender-order.ts'
import { DaysChart } from './days-chart.tsx'
import { Headline } from './headline.tsx'
import { IssueRow } from './issue-row.tsx'
import classes from './overview.module.css'
import { SenderCard } from './sender-card.tsx'

/** Is everything well, and if not, what has to be pressed? */
export default function Overview() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('home.title')} · Kurir`)
  const overview = useOverview()
  const senders = useSenders()
  const issues = useIssues()
  const first = issues.find(isAlarm)
  const others = issues.filter((issue) => issue !== first)
  return (
    <QueryView query={senders}>
      {(all) => (
        <QueryView query={overview}>
          {(data) => (
            <Stack gap="lg">
              <Headline alarm={first} today={data.today} />
              {others.length === 0 ? null : (
                <Panel title={others.some(isAlarm) ? t('home.alsoNeeds') : t('home.pausedByYou')}>
                  <ul className={classes.issues}>
                    {others.map((issue) => (
                      <IssueRow key={issueKey(issue)} issue={issue} />
                    ))}
                  </ul>
                </Panel>
              )}
              <section className={classes.cards} aria-label={t('home.senders')}>
                {troubledFirst(all, issues).map((sender) => (
                  <SenderCard key={sender.sender_code} sender={sender} />
                ))}
              </section>
              <Panel title={t('home.chart')}>
                <DaysChart days={data.days} />
              </Panel>
              <Foot overview={data} />
            </Stack>
          )}
        </QueryView>
      )}
    </QueryView>
  )
}

function Foot({ overview: { version, disk } }: { overview: OverviewData }) {
  const { t } = useTranslation()
  const format = useFormat()
  const used = format.bytes(disk.database_bytes)
  return (
    <Text size="xs" c="dimmed" component="footer">
      {disk.free_bytes === null
        ? t('home.footShort', { version, used })
        : t('home.foot', { version, used, free: format.bytes(disk.free_bytes) })}
    </Text>
  )
}
