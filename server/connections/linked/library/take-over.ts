import type { WASocket } from 'baileys'

/**
 * Puts a listener in the place of the library's own.
 * @param listener gets `theirs`, which passes the event on to the library
 */
export function takeOver<T>(
  { ws }: WASocket,
  event: string,
  listener: (value: T, theirs: (value: T) => Promise<unknown>) => unknown,
): void {
  const listeners = ws.listeners(event)
  if (listeners.length === 0) throw new Error(`the library does not listen to ${event}`)
  const theirs = (value: T) => Promise.all(listeners.map((each) => each(value)))
  ws.removeAllListeners(event)
  ws.on(event, (value: T) => listener(value, theirs))
}
