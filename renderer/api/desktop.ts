import type { DesktopBridge } from '../../server/contract/desktop.ts'

declare global {
  interface Window {
    kurirDesktop?: DesktopBridge
  }
}

/** Functions of the desktop shell. Undefined in a browser. */
export const desktop = window.kurirDesktop
