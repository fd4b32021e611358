import type { MenuItemConstructorOptions } from 'electron'

/**
 * macOS takes copy, paste and quit from the menu bar; elsewhere the pages bring all that is needed.
 * @returns null for no menu
 */
export function applicationMenu(platform: NodeJS.Platform): MenuItemConstructorOptions[] | null {
  if (platform !== 'darwin') return null
  return [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]
}
