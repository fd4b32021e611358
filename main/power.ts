import type { ToServer } from '../server/contract/desktop.ts'

export interface PowerEvents {
  on(event: 'suspend' | 'resume', listener: () => void): unknown
  /** Electron always passes the event, though its types leave it out. */
  on(event: 'shutdown', listener: (event?: { preventDefault(): void }) => void): unknown
}

/**
 * Reports sleep and wake-up to the server, because a socket does not notice that it died in
 * between. A shutdown (macOS, Linux) waits until Kurir has quit in good order.
 */
export function setupPower(power: PowerEvents, sendToServer: (message: ToServer) => void, quit: () => void): void {
  power.on('suspend', () => sendToServer({ type: 'suspend' }))
  power.on('resume', () => sendToServer({ type: 'resume' }))
  power.on('shutdown', (event) => {
    event?.preventDefault()
    quit()
  })
}
