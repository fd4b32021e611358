import { useEffect, useEffectEvent } from 'react'
import type { Layer } from './palette.tsx'

/** Handles `Ctrl K` unless a dialog is open, and `?` and `/` unless a field has the focus. */
export function useKeys(onLayer: (layer: Layer) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || hasLayer()) return
    const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
    if (!isFind && (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))) return
    if (isFind) onLayer('find')
    else if (event.key === '?') onLayer('keys')
    else if (event.key === '/') {
      const search = document.querySelector<HTMLElement>('main input[type="search"]')
      if (search === null) onLayer('find')
      else search.focus()
    } else return
    event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

const hasLayer = () => [...document.querySelectorAll('[aria-modal="true"]')].some((one) => one.checkVisibility())

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role="menu"]') !== null
