import { createApiKeys } from '../access/keys.ts'
import { createOwnerSessions } from '../access/sessions.ts'
import { createAuthentication, createFailedLogins } from '../http/auth.ts'
import { createProver } from '../lib/proof.ts'
import { senderByCode } from '../senders/pick.ts'
import type { Core } from './core.ts'

/** Lets callers in: keys of programs, the owner's token, browsers that are logged in. */
export function createAccess({ deployment, ownerToken, store, settings, newId, clock, logger, disposer }: Core) {
  const keys = createApiKeys(store, (code) => senderByCode(store.senders, code).id, newId, clock, logger)
  disposer.defer('keys', keys.close)
  const instance = { id: deployment.instance, token: ownerToken }
  const sessions = createOwnerSessions(store.ownerSessions, newId, clock, logger)
  const authentication = createAuthentication(
    keys,
    sessions,
    createFailedLogins(clock.elapsed),
    ownerToken,
    () => settings.get().remote_administration,
  )
  const prover = createProver(instance, clock.elapsed)
  return { keys, sessions, authentication, instance, prover }
}
