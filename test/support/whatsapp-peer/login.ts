import { closingStanza, failure } from './closing.ts'
import { type Companion, type Directory, jidOf } from './directory.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Hello, Link } from './link.ts'
import { seconds, stanza } from './stanza.ts'
import type { Versions } from './versions.ts'

export interface LoginDeps {
  directory: Directory
  faults: Faults
  journal: Journal
  versions: Versions
  now(): number
}

export const buildOf = ({ payload }: Hello): number => payload.userAgent?.appVersion?.tertiary ?? 0

/** Returns the attributes of the failure for a login that is refused; undefined: it may log in. */
function refusalOf(
  hello: Hello,
  companion: Companion | undefined,
  deps: LoginDeps,
): Record<string, string> | undefined {
  const { payload, noiseKey } = hello
  const number = String(payload.username)
  const { primary, secondary, tertiary } = payload.userAgent?.appVersion ?? {}
  const version = [primary ?? 0, secondary ?? 0, tertiary ?? 0] as const
  const asked = deps.faults.refuseLogin?.({ number, device: payload.device ?? 0, version })
  if (asked !== undefined) return typeof asked === 'number' ? { reason: String(asked) } : asked
  if (!deps.versions.internal.takes(version[2])) return { reason: '405' }
  const refusal = deps.directory.contact(number).account.refusal?.()
  if (refusal !== undefined) return refusal
  return companion?.noiseKey.equals(noiseKey) ? undefined : { reason: '401' }
}

/** Logs a linked device in, or refuses it with a reason. Returns the device if it was let in. */
export function logIn(link: Link, hello: Hello, deps: LoginDeps): Companion | undefined {
  const number = String(hello.payload.username)
  const device = hello.payload.device ?? 0
  const build = buildOf(hello)
  const companion = deps.directory.contact(number).companions.find((one) => one.device === device)
  const refusal = refusalOf(hello, companion, deps)
  const outcome = refusal?.reason ?? 'success'
  deps.journal.addLogin({ at: deps.now(), account: number, device, build, outcome })
  if (refusal !== undefined || companion === undefined) {
    link.end(failure(refusal ?? { reason: '401' }))
    return undefined
  }

  const replaced = closingStanza(440)
  if (companion.link && replaced) companion.link.end(replaced)
  companion.outbox.disconnect()
  companion.link = link
  companion.build = build
  const { welcomeAs = jidOf(companion.contact, true, device) } = deps.faults
  link.send(stanza('success', { t: seconds(deps.now()), lid: welcomeAs ?? undefined }))
  const announcement = deps.versions.internal.announcement(build)
  if (announcement) link.send(announcement)
  return companion
}
