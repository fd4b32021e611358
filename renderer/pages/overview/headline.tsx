import { Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Overview } from '../../api/overview.ts'
import type { Issue } from '../../model/issues.ts'
import { IssueButton } from './issue-button.tsx'
import classes from './overview.module.css'
import { useIssueText } from './use-issue-text.ts'

interface HeadlineProps {
  /** The most harmful one; undefined when nothing needs the owner. */
  alarm: Issue | undefined
  today: Overview['today']
}

/** The one sentence that says whether everything is well, the button that helps if not, and the day in figures. */
export const Headline = ({ alarm, today }: HeadlineProps) => (
  <header className={classes.headline}>
    {alarm === undefined ? <Well /> : <NotWell alarm={alarm} />}
    <Today today={today} />
  </header>
)

function Well() {
  const { t } = useTranslation()
  return (
    <>
      <IconCircleCheck size={32} stroke={1.75} color="var(--status-good)" aria-hidden="true" />
      <Title order={1}>{t('home.well')}</Title>
    </>
  )
}

function NotWell({ alarm }: { alarm: Issue }) {
  const text = useIssueText()(alarm)
  return (
    <>
      <IconAlertTriangle size={32} stroke={1.75} color="var(--status-bad)" aria-hidden="true" />
      <Title order={1}>{text}</Title>
      <IssueButton issue={alarm} variant="filled" />
    </>
  )
}

/** Each figure leads to the messages that it counts. */
function Today({ today: { accepted, waiting, failed } }: { today: Overview['today'] }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.today}>
      <li>
        <Link href="/messages?days=1">{t('home.today', { count: accepted })}</Link>
      </li>
      <li>
        <Link href="/messages?status=queued">{t('home.waiting', { count: waiting })}</Link>
      </li>
      {failed === 0 ? null : (
        <li data-bad>
          <Link href="/messages?status=failed&days=1">{t('home.failedToday', { count: failed })}</Link>
        </li>
      )}
    </ul>
  )
}
