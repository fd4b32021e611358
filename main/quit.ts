export interface QuitApp {
  quit(): void
  on(event: 'before-quit', listener: (event: { preventDefault(): void }) => void): unknown
}

export type Quit = ReturnType<typeof setupQuit>

/**
 * Makes every exit wait until the server has finished the send in progress.
 * @param stopServer settles when the server is gone; has a time limit, so quitting cannot hang
 */
export function setupQuit(app: QuitApp, stopServer: () => Promise<void>) {
  let leaving: Promise<void> | undefined
  let released = false

  /**
   * Stops the server, then runs the last step, by default quitting. A second call changes nothing.
   */
  function leave(lastStep: () => void = () => app.quit()): Promise<void> {
    leaving ??= stopServer().then(() => {
      released = true
      lastStep()
    })
    return leaving
  }

  app.on('before-quit', (event) => {
    if (released) return
    event.preventDefault()
    void leave()
  })

  return { leave, isLeaving: () => leaving !== undefined }
}
