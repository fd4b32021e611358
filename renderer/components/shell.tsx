import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Connection } from '../api/stream.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { Rail } from './rail.tsx'
import classes from './shell.module.css'

interface ShellProps {
  connection: Connection
  children: ReactNode
}

/** The frame of every page: the rail at the left, the page beside it. */
export function Shell({ connection, children }: ShellProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.shell}>
      <a href="#page" className={classes.skip}>
        {t('rail.skip')}
      </a>
      <Rail />
      <div className={classes.beside}>
        <ConnectionBar connection={connection} />
        <main id="page" className={classes.page} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  )
}
