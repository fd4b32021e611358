import { WEBHOOK_PATH } from '../connections/official/inbox/listener.ts'
import type { WindowLink } from '../contract/access.ts'
import { CODE_FRAGMENT } from '../contract/page-token.ts'
import { createAuthentication } from '../http/auth.ts'
import { createApiKeys } from '../http/keys.ts'
import { createOwnerSessions, type OwnerSessions } from '../http/sessions.ts'
import { lanAddressesOf } from '../lib/addresses.ts'
import { isoTime } from '../lib/clock.ts'
import { createProver } from '../lib/proof.ts'
import { senderByCode } from '../senders/pick.ts'
import type { Core } from './core.ts'

/** Creates the access checks: callers' keys, the owner's token, logged-in browsers. */
export function createAccess({ deployment, ownerToken, store, settings, newId, clock, logger, disposer }: Core) {
  const keys = createApiKeys(store, (code) => senderByCode(store.senders, code).id, newId, clock, logger)
  disposer.defer('keys', keys.close)
  const instance = { id: deployment.instance, token: ownerToken }
  const sessions = createOwnerSessions(store.ownerSessions, newId, clock, logger)
  const authentication = createAuthentication(
    keys,
    sessions,
    clock.elapsed,
    ownerToken,
    () => settings.get().remote_administration,
  )
  const prover = createProver(instance, clock.elapsed)
  return { keys, sessions, authentication, instance, prover }
}

export function createAddresses({ config, settings, ports }: Core, sessions: OwnerSessions) {
  const host = config.host ?? settings.get().host
  const urls = () => ({
    api: localUrl(ports.api),
    lan: lanAddressesOf(host).map((ip) => `http://${ip}:${ports.api}`),
    webhook: `${localUrl(ports.webhook)}${WEBHOOK_PATH}`,
  })
  function newWindowLink(): WindowLink {
    const { code, expiresAt } = sessions.issueCode()
    const { api, lan } = urls()
    const [url = '', ...others] = [api, ...lan].map((each) => `${each}/${CODE_FRAGMENT}${code}`)
    return { url, lan_urls: settings.get().remote_administration ? others : [], expires_at: isoTime(expiresAt) }
  }
  return { host, urls, newWindowLink }
}

const localUrl = (port: number): string => `http://127.0.0.1:${port}`
