import type { ToServer } from '../server/contract/desktop.ts'

export interface PowerEvents {
  on(event: 'suspend' | 'resume', listener: () => void): unknown
  /** The event is always there; Electron's types leave it out. */
  on(event: 'shutdown', listener: (event?: { preventDefault(): void }) => void): unknown
}

/**
 * Reports suspend and resume to the server, because a socket does not notice that it died
 * meanwhile. A computer that shuts down (macOS, Linux) waits until the orderly quit is done.
 */
export function setupPower(power: PowerEvents, sendToServer: (message: ToServer) => void, quit: () => void): void {
  power.on('suspend', () => sendToServer({ type: 'suspend' }))
  power.on('resume', () => sendToServer({ type: 'resume' }))
  power.on('shutdown', (event) => {
    event?.preventDefault()
    quit()
  })
}
