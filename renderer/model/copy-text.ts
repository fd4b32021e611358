/**
 * Puts a text on the clipboard. Browsers have `navigator.clipboard` on https and localhost only, so
 * a window on another PC of the network copies a selection instead.
 * @throws {Error} if the browser refuses
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  // Inside an open dialog: it would take the focus back from an element outside.
  const place = document.activeElement?.closest('dialog, [role="dialog"]') ?? document.body
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.cssText = 'position: fixed; opacity: 0'
  place.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!copied) throw new Error('the browser copies nothing from this page')
}
