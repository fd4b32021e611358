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
  /** The row's id. Absent: the drawer belongs to no row, such as the form for a new key. */
  of?: string
  onClose: () => void
  /** Open the neighbours in the list. Undefined: the list ends. */
  previous?: (() => void) | undefined
  next?: (() => void) | undefined
}

interface DrawerProps extends DrawerFrame {
  title: ReactNode
  children: ReactNode
}

/**
 * A panel at the right of a list, which stays usable. In a narrow window the panel covers the page.
 * The address says which panel is open. Arrow keys open the neighbours. Escape closes the panel,
 * and the focus returns to its row.
 */
export function Drawer({ title, of, onClose, previous, next, children }: DrawerProps) {
  const { t } = useTranslation()
  const titleId = useId()
  const panel = useRef<HTMLDialogElement>(null)
  const narrow = useNarrow()
  usePageBehind(narrow)
  // A layout effect runs before the first paint, so the list is painted with its final columns.
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

/** Uses aria-disabled at the end of a list, because `disabled` would take the focus away. */
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
 * Keeps the keyboard and screen readers out of a page that the drawer covers. The style sheet makes
 * room for the drawer in a very wide page.
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
 * Moves the focus into the drawer when it opens. When it closes, moves the focus to its row, to the
 * element that opened it, or to the page.
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
      // The focus stays if it is elsewhere already, such as on another page.
      if (document.activeElement !== null && document.activeElement !== document.body) return
      if (row.current !== undefined && focusRow(row.current)) return
      const from = opener.current
      if (from instanceof HTMLElement && from.isConnected && from !== document.body) from.focus()
      else document.getElementById(PAGE_ID)?.focus()
    },
    [],
  )
}

/** Handles the drawer's keys wherever the focus is, except while a question or menu is above it. */
function useKeys(panel: RefObject<HTMLDialogElement | null>, keys: Record<string, (() => void) | undefined>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key]
    if (act === undefined || event.isComposing || event.defaultPrevented || hasLayerAbove(panel.current)) return
    if (event.key !== 'Escape' && !takesArrows(event.target, panel.current)) return
    event.preventDefault()
    // The same key must not close a question that act() opens.
    event.stopImmediatePropagation()
    act()
  })

  useEffect(() => {
    // Capture, so that a layer above the drawer is still there when hasLayerAbove() looks for it.
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
 * True if arrow keys open the neighbours. They have their own meaning in fields, tabs and scrolling
 * texts, and outside of the drawer the rows handle them.
 */
const takesArrows = (target: EventTarget | null, panel: HTMLElement | null): boolean =>
  target instanceof HTMLElement &&
  (target === document.body || panel?.contains(target) === true) &&
  target.closest('input, textarea, select, pre, [role="tab"], [role="radio"], [role="combobox"]') === null
