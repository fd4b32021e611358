import type { ReactNode } from 'react'
import { Panel } from '../../components/panel.tsx'
import type { Section } from '../../model/settings-sections.ts'
import classes from './settings.module.css'
import { useShownSection } from './use-shown-section.ts'

interface SettingsSectionProps {
  id: Section
  title: string
  children: ReactNode
}

/** One group of settings on its own sheet, seen when the address names it. */
export function SettingsSection({ id, title, children }: SettingsSectionProps) {
  // Hidden, not gone: what is typed in one section stays while another is looked at.
  const shown = useShownSection() === id
  return (
    <div id={id} hidden={!shown}>
      <Panel title={title}>
        <div className={classes.settings}>{children}</div>
      </Panel>
    </div>
  )
}
