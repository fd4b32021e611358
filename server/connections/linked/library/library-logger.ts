import type { UserFacingSocketConfig } from 'baileys'
import type { Logger } from '../../../lib/logger.ts'

type LibraryLogger = NonNullable<UserFacingSocketConfig['logger']>

/**
 * Passes on the library's log at debug level and as text only: the objects that it logs hold keys,
 * whole messages and numbers.
 */
export function createLibraryLogger(logger: Logger): LibraryLogger {
  const say = (first: unknown, message?: string): void => {
    const text = message ?? first
    if (typeof text === 'string') logger.debug(`whatsapp library: ${text}`)
  }
  const nothing = (): void => {}
  const quiet: LibraryLogger = {
    // Below this level the library would build long texts for nothing.
    level: 'info',
    child: () => quiet,
    trace: nothing,
    debug: nothing,
    info: say,
    warn: say,
    error: say,
  }
  return quiet
}
