import { lazy, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { fetched } from '../api/fetched.ts'
import type { Connection } from '../api/stream.ts'
import { useNarrow } from '../hooks/use-narrow.ts'
import { AfterFirstPaint } from './after-first-paint.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { Rail } from './navigation/rail.tsx'
import { TabBar } from './navigation/tab-bar.tsx'
import type { Layer } from './palette/palette.tsx'
import { useKeys } from './palette/use-keys.ts'
import classes from './shell.module.css'
import { PAGE_ID, SHELL_ID } from './shell-ids.ts'

const Palette = lazy(() => fetched(() => import('./palette/palette.tsx')))

interface ShellProps {
  connection: Connection
  children: ReactNode
}

/** The frame of every page, with the menu at the left, or at the foot of a narrow window. */
export function Shell({ connection, children }: ShellProps) {
  const { t } = useTranslation()
  const narrow = useNarrow()
  // The introduction has no menu: only its own buttons lead on.
  const isWelcome = useLocation()[0] === '/welcome'
  const [layer, setLayer] = useState<Layer | null>(null)
  useKeys(setLayer)
  useFocusOnNewPage()
  return (
    <div id={SHELL_ID} className={classes.shell}>
      <a href={`#${PAGE_ID}`} className={classes.skip}>
        {t('nav.skip')}
      </a>
      {narrow || isWelcome ? null : <Rail onFind={() => setLayer('find')} />}
      <div className={classes.beside}>
        <ConnectionBar connection={connection} />
        <main id={PAGE_ID} className={classes.page} tabIndex={-1}>
          {children}
        </main>
      </div>
      {narrow && !isWelcome ? <TabBar /> : null}
      {isWelcome ? null : (
        <AfterFirstPaint>
          <Palette layer={layer} onLayer={setLayer} />
        </AfterFirstPaint>
      )}
    </div>
  )
}

/**
 * Moves the focus to the new page if the link that was followed went away with the old page. The
 * focus would otherwise begin at the top of the window.
 */
function useFocusOnNewPage(): void {
  const [path] = useLocation()
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    const page = document.getElementById(PAGE_ID)
    page?.scrollTo({ top: 0 })
    if (document.activeElement === document.body) page?.focus()
  }, [path])
}
