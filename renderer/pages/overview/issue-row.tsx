import { IconAlertTriangle } from '@tabler/icons-react'
import type { Issue } from '../../model/issues.ts'
import { IssueButton } from './issue-button.tsx'
import classes from './overview.module.css'
import { useIssueWords } from './use-issue-words.ts'

export function IssueRow({ issue }: { issue: Issue }) {
  const words = useIssueWords()(issue)
  return (
    <div className={classes.issue}>
      <IconAlertTriangle size={20} stroke={1.75} color="var(--status-warn)" aria-hidden="true" />
      <span>{words}</span>
      <IssueButton issue={issue} variant="default" />
    </div>
  )
}
