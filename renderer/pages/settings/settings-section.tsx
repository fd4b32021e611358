import type { ReactNode } from 'react'
import { Panel } from '../../components/panel.tsx'
import classes from './settings.module.css'

interface SettingsSectionProps {
  /** Names the section in the page, for the index. */
  id: string
  title: string
  children: ReactNode
}

/** One group of settings on its own sheet. */
export const SettingsSection = ({ id, title, children }: SettingsSectionProps) => (
  <div id={id} className={classes.section}>
    <Panel title={title}>
      <div className={classes.settings}>{children}</div>
    </Panel>
  </div>
)
