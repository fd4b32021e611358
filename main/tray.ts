import { join } from 'node:path'
import type { MenuItemConstructorOptions } from 'electron'
import type { UpdateState } from '../server/contract/desktop.ts'
import type { Words } from './words.ts'

/** The part of Electron's Tray that this module uses. `Menu` is the result of `buildMenu`. */
export interface ShellTray<Menu> {
  setImage(path: string): void
  setToolTip(text: string): void
  setContextMenu(menu: Menu): void
  on(event: 'click', listener: () => void): unknown
}

export interface TrayDeps<Menu> {
  createTray(image: string): ShellTray<Menu>
  buildMenu(template: MenuItemConstructorOptions[]): Menu
  iconFolder: string
  platform: NodeJS.Platform
  actions: { open(): void; pauseAll(): void; resumeAll(): void; installUpdate(): void; quit(): void }
}

export interface TrayPicture {
  words: Words
  paused: boolean
  /** Number of things that need the owner. */
  attention: number
  update: UpdateState
}

/** Creates the tray icon, which shows if something needs the owner, and its menu. */
export function setupTray<Menu>(deps: TrayDeps<Menu>) {
  const { actions } = deps
  // macOS colours a template image to fit the menu bar; a name that ends in Template marks one.
  const icon = (name: string) =>
    join(deps.iconFolder, deps.platform === 'darwin' ? `${name}Template.png` : `${name}.png`)
  const tray = deps.createTray(icon('normal'))
  // macOS opens the menu on a click; elsewhere a click opens the window.
  if (deps.platform !== 'darwin') tray.on('click', actions.open)

  return {
    show(picture: TrayPicture): void {
      tray.setImage(icon(stateOf(picture)))
      tray.setToolTip(toolTip(picture))
      tray.setContextMenu(deps.buildMenu(menu(picture, actions)))
    },
  }
}

/** Returns the state to show. A concern comes before a pause, which the owner chose. */
function stateOf({ attention, paused }: TrayPicture): 'attention' | 'paused' | 'normal' {
  if (attention > 0) return 'attention'
  return paused ? 'paused' : 'normal'
}

function toolTip({ words, attention, paused }: TrayPicture): string {
  if (attention > 0) return words.attention(attention)
  return paused ? words.paused : 'Kurir'
}

function menu({ words, paused, update }: TrayPicture, actions: TrayDeps<unknown>['actions']) {
  const template: MenuItemConstructorOptions[] = [
    { label: words.open, click: actions.open },
    { type: 'separator' },
    paused ? { label: words.resumeAll, click: actions.resumeAll } : { label: words.pauseAll, click: actions.pauseAll },
    { type: 'separator' },
  ]
  if (update.state === 'ready') {
    template.push({ label: words.installUpdate(update.version), click: actions.installUpdate })
  }
  template.push({ label: words.quit, click: actions.quit })
  return template
}
