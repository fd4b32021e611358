import { Button } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconArrowLeft, IconPrinter } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import classes from './paper.module.css'

interface PaperProps {
  title: string
  /** Title of the browser's tab, which browsers use as the name of a PDF. Default: `title`. */
  tabTitle?: string
  back: string
  print: string
  children: ReactNode
}

/** A sheet to print, with the buttons "back" and "print" above. */
export function Paper({ title, tabTitle = title, back, print, children }: PaperProps) {
  const { t } = useTranslation()
  useDocumentTitle(`${tabTitle} · Kurir`)
  return (
    <>
      <div className={classes.bar}>
        <Button
          component={Link}
          href={back}
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden="true" />}
        >
          {t('actions.back')}
        </Button>
        <Button leftSection={<IconPrinter size={16} aria-hidden="true" />} onClick={() => window.print()}>
          {print}
        </Button>
      </div>
      <article className={classes.sheet} aria-label={title}>
        {children}
      </article>
    </>
  )
}

export const SmallPrint = ({ children }: { children: ReactNode }) => <p className={classes.small}>{children}</p>
