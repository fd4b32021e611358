export interface SingleInstanceApp {
  requestSingleInstanceLock(): boolean
  quit(): void
  on(event: 'second-instance', listener: () => void): unknown
  on(event: 'activate', listener: () => void): unknown
}

/**
 * Keeps one Kurir per user: two would fight for the port and the queue. Starting it again shows the
 * window of the first.
 * @returns false if another one runs; the caller then does nothing more
 */
export function setupSingleInstance(app: SingleInstanceApp, showWindow: () => void): boolean {
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return false
  }
  app.on('second-instance', showWindow)
  // macOS does not start a second instance, it activates the first (a click on its icon in the
  // Dock).
  app.on('activate', showWindow)
  return true
}
