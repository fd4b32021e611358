import type { AuthenticationCreds } from 'baileys'
import { SessionUnreadable } from '../keys/auth-state.ts'
import type { SessionContext } from './dial.ts'

/** Credentials that a session connects with, and the writes of them that are under way. */
export function createIdentity({ auth, logger }: SessionContext) {
  let creds: AuthenticationCreds | undefined
  /** A read of the stored one that is still under way is outdated when this rises. */
  let changes = 0
  const saving = new Set<Promise<void>>()

  function saved(work: Promise<void>): void {
    const settled = work
      .catch((err: unknown) => logger.error({ err }, 'the credentials of a sender could not be stored'))
      .finally(() => saving.delete(settled))
    saving.add(settled)
  }

  return {
    /** Undefined while there is none. */
    creds: (): AuthenticationCreds | undefined => creds,
    /** True if it came or went since the start of the program. */
    isChanged: (): boolean => changes > 0,
    /** A phone has vouched for a new one. */
    take(own: AuthenticationCreds, store: () => Promise<void>): void {
      changes += 1
      creds = own
      saved(store())
    },
    /** It is worth nothing any more. */
    forget(): void {
      changes += 1
      creds = undefined
      saved(auth.wipe())
    },
    save: (own: AuthenticationCreds): void => saved(auth.save(own)),
    /** It was good enough to log in. */
    saveGood: (own: AuthenticationCreds): void => saved(auth.saveGood(own)),
    /** Reads the stored one. @throws StorageError: what is stored cannot be read now */
    async read(): Promise<'there' | 'missing' | 'unreadable'> {
      try {
        const before = changes
        const found = await auth.load()
        if (changes === before) creds = found
        return creds === undefined ? 'missing' : 'there'
      } catch (err) {
        logger.error({ err }, 'the stored session of a sender could not be read')
        if (err instanceof SessionUnreadable) return 'unreadable'
        throw err
      }
    },
    /** Resolves when nothing is under way. */
    stored: async (): Promise<void> => void (await Promise.all(saving)),
  }
}
