import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react'
import { type Issue, isAlarm } from '../../model/issues.ts'
import { IssueButton } from './issue-button.tsx'
import classes from './overview.module.css'
import { useIssueText } from './use-issue-text.ts'

export function IssueRow({ issue }: { issue: Issue }) {
  const text = useIssueText()(issue)
  return (
    <li className={classes.issue}>
      {isAlarm(issue) ? (
        <IconAlertTriangle size={20} stroke={1.75} color="var(--status-warn)" aria-hidden="true" />
      ) : (
        <IconPlayerPause size={20} stroke={1.75} color="var(--status-wait)" aria-hidden="true" />
      )}
      <span>{text}</span>
      <IssueButton issue={issue} variant="default" />
    </li>
  )
}
