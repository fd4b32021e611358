import { randomUUID } from 'node:crypto'
import { createFailedLogins } from '../access/failed-logins.ts'
import { createApiKeys } from '../access/keys.ts'
import { createOwnerSessions } from '../access/sessions.ts'
import { ownerToken } from '../data-folder/folder.ts'
import { createAuthentication } from '../http/auth.ts'
import { createRefusedCalls } from '../http/refused-calls.ts'
import { createProver } from '../lib/proof.ts'
import type { Core } from './core.ts'
import type { Sending } from './sending.ts'

/** Who may call: keys of programs, the owner's token, the browsers that are logged in. */
export function createAccess({ config, store, settings, newId, clock, logger, disposer }: Core, sending: Sending) {
  const keys = createApiKeys({
    keys: store.keys,
    senderIdOf: (code) => sending.senders.get(code).id,
    codeOf: store.senders.codeOf,
    newId,
    clock,
    logger,
  })
  disposer.defer('keys', keys.close)
  const token = ownerToken(config.home, config.ownerToken)
  const instance = { id: store.nodes?.instance ?? randomUUID(), token }
  const sessions = createOwnerSessions({ store: store.ownerSessions, newId, clock, logger })
  const authentication = createAuthentication({
    keys,
    sessions,
    failures: createFailedLogins(clock.elapsed),
    ownerToken: token,
    remoteAdministration: () => settings.get().remote_administration,
  })
  const refusedCalls = createRefusedCalls({ store: store.refusedCalls, keys: store.keys, clock, logger })
  disposer.defer('refused calls', refusedCalls.close)
  const prover = createProver(instance, clock.elapsed)
  return { keys, sessions, authentication, refusedCalls, instance, prover }
}
