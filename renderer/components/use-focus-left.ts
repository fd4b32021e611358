import { useLayoutEffect, useRef } from 'react'
import { PAGE_ID } from './shell-ids.ts'

/** Gives the focus to the page if a part of a list goes away with the button pressed in it. */
export function useFocusLeft<Part extends HTMLElement>() {
  const part = useRef<Part>(null)
  // The cleanup of a layout effect runs before the part, and with it the focus, is removed.
  useLayoutEffect(() => {
    const { current } = part
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById(PAGE_ID)?.focus()
    }
  }, [])
  return part
}
