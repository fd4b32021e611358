import { Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { type Concern, isAlarm } from '../../../server/contract/concerns.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { fetched } from '../../api/fetched.ts'
import { type Figures, type Overview as OverviewData, useOverview } from '../../api/overview.ts'
import { useSenders } from '../../api/senders.ts'
import { CustomerSearch } from '../../components/customer-search.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useAfterFirstPaint } from '../../hooks/use-after-first-paint.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { troubledFirst } from '../../model/sender-order.ts'
import { ConcernRow } from './concern-row.tsx'
import { DaysChart, DaysSentence } from './days-chart.tsx'
import { Headline } from './headline.tsx'
import classes from './overview.module.css'
import { SenderCard } from './sender-card.tsx'

const ProgramDrawer = lazy(() => fetched(() => import('./program-drawer.tsx')))

/** Most concerns shown at once. Our choice: more would push the senders off the screen. */
const MOST_SHOWN = 3

/** Home: says whether all is well and, if not, which button helps. */
export default function Overview() {
  const { t } = useTranslation()
  usePageTitle(t('home.title'))
  const overview = useOverview()
  const senders = useSenders()
  const [get, set] = useUrlState()
  const program = get('program')
  return (
    <QueryView query={overview}>
      {(data) => (
        <Stack gap="md">
          <Headline worst={worstOf(data.concerns)} isCurrent={overview.error === null} today={data.figures?.today} />
          <Rest overview={data} senders={senders} />
          {program === undefined ? null : (
            <Suspense>
              <ProgramDrawer key={program} name={program} onClose={() => set({ program: undefined })} />
            </Suspense>
          )}
        </Stack>
      )}
    </QueryView>
  )
}

/**
 * Returns the concern for the headline, undefined if the headline stays green. The server sorts the
 * worst first. Notes stay below, except failed messages and a caller that became silent.
 */
function worstOf([first]: Concern[]): Concern | undefined {
  return first?.weight === 'note' && first.failed === 0 && first.code !== 'silent' ? undefined : first
}

/** True if the owner should act. Waiting messages count even if the owner chose the wait. */
const needsHand = (concern: Concern): boolean => isAlarm(concern) || concern.waiting > 0

/** Returns the senders for Home. The sandbox is shown only until there is another sender. */
const shownOnHome = (senders: SenderView[]): SenderView[] =>
  senders.some(({ kind }) => kind !== 'sandbox') ? senders.filter(({ kind }) => kind !== 'sandbox') : senders

/** Parts below the headline, drawn after the first paint. */
function Rest({ overview, senders }: { overview: OverviewData; senders: ReturnType<typeof useSenders> }) {
  const { t } = useTranslation()
  if (!useAfterFirstPaint()) return null
  const { concerns, figures } = overview
  const others = concerns.filter((concern) => concern !== worstOf(concerns))
  return (
    <>
      <ConcernList title={t('home.alsoNeeds')} concerns={others.filter(needsHand)} />
      <ConcernList title={t('home.goodToKnow')} concerns={others.filter((concern) => !needsHand(concern))} />
      {figures === null ? null : (
        <>
          <CustomerSearch />
          <QueryView query={senders}>
            {(all) => (
              <section className={classes.cards} aria-label={t('home.senders')}>
                {troubledFirst(shownOnHome(all), concerns).map((sender) => (
                  <SenderCard key={sender.sender_code} sender={sender} />
                ))}
              </section>
            )}
          </QueryView>
          <Panel title={t('home.chart')} aside={<DaysSentence days={figures.days} />} compact>
            <DaysChart days={figures.days} />
          </Panel>
          <Foot overview={overview} figures={figures} />
        </>
      )}
    </>
  )
}

/** The worst concerns, which the server puts first. The others are one click away. */
function ConcernList({ title, concerns }: { title: string; concerns: Concern[] }) {
  const { t } = useTranslation()
  if (concerns.length === 0) return null
  // A single row is not folded away, because the fold is as high as a row.
  const shown = concerns.length > MOST_SHOWN + 1 ? MOST_SHOWN : concerns.length
  const more = concerns.slice(shown)
  return (
    <Panel title={title} compact>
      <ConcernRows concerns={concerns.slice(0, shown)} />
      {more.length === 0 ? null : (
        <details className={classes.more}>
          <summary>{t('home.more', { count: more.length })}</summary>
          <ConcernRows concerns={more} />
        </details>
      )}
    </Panel>
  )
}

const ConcernRows = ({ concerns }: { concerns: Concern[] }) => (
  <ul className={classes.concerns}>
    {concerns.map((concern) => (
      <ConcernRow key={concern.id} concern={concern} />
    ))}
  </ul>
)

function Foot({ overview: { version, free_bytes }, figures }: { overview: OverviewData; figures: Figures }) {
  const { t } = useTranslation()
  const format = useFormat()
  const used = format.bytes(figures.database_bytes)
  return (
    <Text size="xs" c="dimmed" component="footer">
      {free_bytes === null
        ? t('home.footShort', { version, used })
        : t('home.foot', { version, used, free: format.bytes(free_bytes) })}
    </Text>
  )
}
