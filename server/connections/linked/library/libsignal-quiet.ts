const SENTENCES = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Migrating session to:',
  'V1 session storage migration error:',
  'Closing open session in favor of incoming prekey bundle',
  'Failed to decrypt message with any known session...',
  'Session error:',
  'Decrypted message with closed session.',
  'Unhandled bucket type (for naming):',
]

const isSession = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && value.constructor.name === 'SessionEntry'

const isLibsignals = (args: unknown[]): boolean =>
  args.some(isSession) || SENTENCES.some((sentence) => typeof args[0] === 'string' && args[0].startsWith(sentence))

let quiet = false

/**
 * libsignal prints whole sessions, private keys included, straight to the console, past every
 * logger. Its sentences and its sessions are dropped here; whatever else is printed goes through
 * untouched.
 */
export function quietLibsignal(): void {
  if (quiet) return
  quiet = true
  for (const level of ['info', 'warn', 'error'] as const) {
    const print = console[level].bind(console)
    console[level] = (...args: unknown[]) => {
      if (!isLibsignals(args)) print(...args)
    }
  }
}
