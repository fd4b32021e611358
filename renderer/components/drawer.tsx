import { ActionIcon, Title } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconLink, IconX } from '@tabler/icons-react'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { openedDrawer, useNarrow } from '../hooks/use-narrow.ts'
import { CopyButton } from './copy-button.tsx'
import classes from './drawer.module.css'
import { PAGE_ID, SHELL_ID } from './shell-ids.ts'
import { focusRow } from './table/link-row.tsx'

/** Props that a list gives to the drawer of one of its rows. */
export interface DrawerFrame {
  /** The row's id; without one the drawer belongs to no row, as the form for a new thing. */
  of?: string
  onClose: () => void
  /** Open the neighbours in the list; undefined where it ends. */
  previous?: (() => void) | undefined
  next?: (() => void) | undefined
}

interface DrawerProps extends DrawerFrame {
  title: ReactNode
  children: ReactNode
}

/**
 * A detail at the right of its list, which stays usable; in a narrow window it covers the page.
 * Which detail is open is in the address. Arrow keys lead to the neighbours, Escape closes it, the
 * focus returns to its row.
 */
export function Drawer({ title, of, onClose, previous, next, children }: DrawerProps) {
  const { t } = useTranslation()
  const titleId = useId()
  const panel = useRef<HTMLDialogElement>(null)
  const narrow = useNarrow()
  usePageBehind(narrow)
  // Before anything is painted: the list is drawn once.
  useLayoutEffect(openedDrawer, [])
  useFocus(panel, of)
  useKeys(panel, { Escape: onClose, ArrowUp: previous, ArrowDown: next })
  return createPortal(
    <dialog
      ref={panel}
      open
      aria-labelledby={titleId}
      aria-modal={narrow || undefined}
      tabIndex={-1}
      className={classes.drawer}
    >
      <div className={classes.head}>
        <Title order={2} id={titleId} className={classes.title ?? ''}>
          {title}
        </Title>
        {of === undefined ? null : (
          <>
            <HeadButton icon={IconChevronUp} label={t('actions.previousRow')} onClick={previous} />
            <HeadButton icon={IconChevronDown} label={t('actions.nextRow')} onClick={next} />
            <span className={classes.wide}>
              <CopyButton compact value={location.href} label={t('actions.copyAddress')} icon={IconLink} />
            </span>
          </>
        )}
        <HeadButton icon={IconX} label={t('actions.close')} onClick={onClose} />
      </div>
      <div key={of} className={classes.body}>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}

interface HeadButtonProps {
  icon: typeof IconX
  label: string
  onClick: (() => void) | undefined
}

/** Not disabled at the end of a list, which would take the focus away from it. */
const HeadButton = ({ icon: Icon, label, onClick }: HeadButtonProps) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={label}
    title={label}
    aria-disabled={onClick === undefined || undefined}
    onClick={onClick}
  >
    <Icon size={18} />
  </ActionIcon>
)

/**
 * A drawer that covers the page keeps the keyboard and screen readers out of it; a very wide page
 * makes room for it.
 */
function usePageBehind(covered: boolean): void {
  useEffect(() => {
    const shell = document.getElementById(SHELL_ID)
    shell?.toggleAttribute('inert', covered)
    shell?.setAttribute('data-drawer', '')
    return () => {
      shell?.removeAttribute('inert')
      shell?.removeAttribute('data-drawer')
    }
  }, [covered])
}

/**
 * Into the drawer when it opens; back to its row, or to what opened it, when it closes. Never to
 * nowhere.
 */
function useFocus(panel: RefObject<HTMLDialogElement | null>, of: string | undefined): void {
  const opener = useRef(document.activeElement)
  const row = useRef(of)

  useEffect(() => {
    row.current = of
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus()
  }, [of, panel])

  useEffect(
    () => () => {
      // Those who went elsewhere, such as to another page, stay there.
      if (document.activeElement !== null && document.activeElement !== document.body) return
      if (row.current !== undefined && focusRow(row.current)) return
      const from = opener.current
      if (from instanceof HTMLElement && from.isConnected && from !== document.body) from.focus()
      else document.getElementById(PAGE_ID)?.focus()
    },
    [],
  )
}

/**
 * Keys of the drawer, wherever the focus is. What lies above it (a question, a menu) gets them
 * first.
 */
function useKeys(panel: RefObject<HTMLDialogElement | null>, keys: Record<string, (() => void) | undefined>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key]
    if (act === undefined || event.isComposing || event.defaultPrevented || hasLayerAbove(panel.current)) return
    if (event.key !== 'Escape' && !takesArrows(event.target, panel.current)) return
    event.preventDefault()
    // A question that this opens must not be closed by the same key.
    event.stopImmediatePropagation()
    act()
  })

  useEffect(() => {
    // Before the key reaches what lies above: that may be gone once it has taken the key.
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener, { capture: true })
    return () => window.removeEventListener('keydown', listener, { capture: true })
  }, [])
}

const hasLayerAbove = (panel: HTMLElement | null): boolean =>
  [...document.querySelectorAll('[aria-modal="true"], [role="listbox"], [role="menu"]')].some(
    (layer) => layer !== panel && layer.checkVisibility(),
  )

/**
 * In fields, tabs and scrolling texts the arrow keys have a meaning of their own; outside, rows
 * step by themselves.
 */
const takesArrows = (target: EventTarget | null, panel: HTMLElement | null): boolean =>
  target instanceof HTMLElement &&
  (target === document.body || panel?.contains(target) === true) &&
  target.closest('input, textarea, select, pre, [role="tab"], [role="radio"], [role="combobox"]') === null
