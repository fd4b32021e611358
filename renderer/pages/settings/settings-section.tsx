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

/** A group of settings, shown if the address names it. */
export function SettingsSection({ id, title, children }: SettingsSectionProps) {
  // Hidden, not unmounted, so that typed text stays while another section is shown.
  const shown = useShownSection() === id
  return (
    <div id={id} hidden={!shown}>
      <Panel title={title}>
        <div className={classes.settings}>{children}</div>
      </Panel>
    </div>
  )
}
