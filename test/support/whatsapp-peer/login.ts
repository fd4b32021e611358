import type { BinaryNode } from 'baileys'
import { closingStanza } from './closing.ts'
import { type Companion, type Directory, jidOf } from './directory.ts'
import type { Faults } from './faults.ts'
import type { Hello, Link } from './link.ts'
import { seconds, stanza } from './stanza.ts'

export interface LoginDeps {
  directory: Directory
  faults: Faults
  now(): number
}

const failure = (code: number): BinaryNode => stanza('failure', { reason: String(code) })

/** Lets a linked device in, or tells it why not; resolves who it is. */
export function logIn(link: Link, { payload, noiseKey }: Hello, deps: LoginDeps): Companion | undefined {
  const number = String(payload.username)
  const device = payload.device ?? 0
  const { primary, secondary, tertiary } = payload.userAgent?.appVersion ?? {}
  const version = [primary ?? 0, secondary ?? 0, tertiary ?? 0] as const

  const refused = deps.faults.refuseLogin?.({ number, device, version })
  if (refused !== undefined) {
    link.end(failure(refused))
    return undefined
  }
  const companion = deps.directory.contact(number).companions.find((one) => one.device === device)
  if (!companion?.noiseKey.equals(noiseKey)) {
    link.end(failure(401))
    return undefined
  }

  const replaced = closingStanza(440)
  if (companion.link && replaced) companion.link.end(replaced)
  companion.outbox.disconnect()
  companion.link = link
  link.send(stanza('success', { t: seconds(deps.now()), lid: jidOf(companion.contact, true, device) }))
  return companion
}
