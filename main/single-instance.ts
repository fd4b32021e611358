export interface SingleInstanceApp {
  requestSingleInstanceLock(): boolean
  quit(): void
  on(event: 'second-instance', listener: () => void): unknown
  on(event: 'activate', listener: () => void): unknown
}

/**
 * Keeps one Kurir per user, because two would fight for the port and the queue. A second start
 * shows the window of the first.
 * @returns false if Kurir runs already; the caller must do nothing more then
 */
export function setupSingleInstance(app: SingleInstanceApp, showWindow: () => void): boolean {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return false
  }
  app.on('second-instance', showWindow)
  // macOS starts no second instance, but activates the first (a click on the icon in the Dock).
  app.on('activate', showWindow)
  return true
}
