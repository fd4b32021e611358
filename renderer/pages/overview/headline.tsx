import { Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Concern } from '../../../server/contract/concerns.ts'
import type { Figures } from '../../api/overview.ts'
import { ConcernButton } from '../../components/concern-button.tsx'
import { useConcernWords } from '../../hooks/use-concerns.ts'
import { ConcernIcon } from './concern-icon.tsx'
import classes from './overview.module.css'
import { SeenButton } from './seen-button.tsx'

interface HeadlineProps {
  /** The concern to show. Undefined: all is well. */
  worst: Concern | undefined
  /** False if the last read failed. Then nothing says that all is well. */
  isCurrent: boolean
  /** Undefined while the database cannot be read. */
  today: Figures['today'] | undefined
}

/** A sentence that says whether all is well, the button that helps if not, and today's figures. */
export const Headline = ({ worst, isCurrent, today }: HeadlineProps) => (
  <header className={classes.headline}>
    {worst === undefined ? isCurrent && <Well /> : <NotWell concern={worst} />}
    {today === undefined ? null : <Today today={today} />}
  </header>
)

function Well() {
  const { t } = useTranslation()
  return (
    <>
      <IconCircleCheck size={32} stroke={1.75} color="var(--status-good)" aria-hidden="true" />
      <Title order={1} className={classes.sentence ?? ''}>
        {t('home.well')}
      </Title>
    </>
  )
}

function NotWell({ concern }: { concern: Concern }) {
  const { title, meaning, advice } = useConcernWords()(concern)
  return (
    <>
      <ConcernIcon weight={concern.weight} size={32} />
      <div className={classes.sentence}>
        <Title order={1}>{title}</Title>
        <Text mt={4}>
          {meaning} {advice}
        </Text>
      </div>
      <ConcernButton concern={concern} variant="filled" />
      <SeenButton concern={concern} />
    </>
  )
}

/** Midnight in the browser's time zone, as ISO time. */
const startOfDay = () => new Date(new Date().setHours(0, 0, 0, 0)).toISOString()

/** Today's figures. Each links to the messages that it counts. */
function Today({ today: { accepted, waiting, failed } }: Pick<Figures, 'today'>) {
  const { t } = useTranslation()
  return (
    <ul className={classes.today}>
      <li>
        <Link href="/messages?period=1">{t('home.today', { count: accepted })}</Link>
      </li>
      <li>
        <Link href="/messages?status=queued">{t('home.waiting', { count: waiting })}</Link>
      </li>
      {failed === 0 ? null : (
        <li data-bad>
          <Link href={`/messages?status=failed&failed_from=${startOfDay()}`}>
            {t('home.failedToday', { count: failed })}
          </Link>
        </li>
      )}
    </ul>
  )
}
