import type { MenuItemConstructorOptions } from 'electron'

/**
 * Returns the application menu; null: none. Only macOS needs one, because it takes copy, paste and
 * quit from the menu bar.
 */
export function applicationMenu(platform: NodeJS.Platform): MenuItemConstructorOptions[] | null {
  if (platform !== 'darwin') return null
  return [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]
}
