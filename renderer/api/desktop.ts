import type { DesktopBridge } from '../../server/contract/desktop.ts'

declare global {
  interface Window {
    kurirDesktop?: DesktopBridge
  }
}

/** The desktop around the window; undefined in a browser. */
export const desktop = window.kurirDesktop
