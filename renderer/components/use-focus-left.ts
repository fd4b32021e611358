import { useLayoutEffect, useRef } from 'react'
import { PAGE_ID } from './shell-ids.ts'

/** A part of a list that goes away with the button pressed in it leaves the focus to the page. */
export function useFocusLeft<Part extends HTMLElement>() {
  const part = useRef<Part>(null)
  // Before it is taken away, and the focus with it.
  useLayoutEffect(() => {
    const { current } = part
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById(PAGE_ID)?.focus()
    }
  }, [])
  return part
}
