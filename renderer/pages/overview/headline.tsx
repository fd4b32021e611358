import { Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../api/overview.ts'
import type { Issue } from '../../model/issues.ts'
import { IssueButton } from './issue-button.tsx'
import classes from './overview.module.css'
import { useIssueWords } from './use-issue-words.ts'

interface HeadlineProps {
  issue: Issue | undefined
  today: Overview['today']
}

/** The one sentence that says whether everything is well, and the button that mends it if not. */
export const Headline = ({ issue, today }: HeadlineProps) => (
  <header className={classes.headline}>
    {issue === undefined ? <Well today={today} /> : <NotWell issue={issue} />}
  </header>
)

function Well({ today }: { today: Overview['today'] }) {
  const { t } = useTranslation()
  return (
    <>
      <IconCircleCheck size={32} stroke={1.75} color="var(--status-good)" aria-hidden="true" />
      <Title order={1}>{t('home.wellToday', { count: today.accepted, waiting: today.waiting })}</Title>
    </>
  )
}

function NotWell({ issue }: { issue: Issue }) {
  const words = useIssueWords()(issue)
  return (
    <>
      <IconAlertTriangle size={32} stroke={1.75} color="var(--status-bad)" aria-hidden="true" />
      <Title order={1}>{words}</Title>
      <IssueButton issue={issue} variant="filled" />
    </>
  )
}
