import { ApiError } from '../../contract/errors.ts'
import type { OfficialFields } from '../../contract/senders.ts'
import type { Vault } from '../../lib/vault.ts'
import type { SenderRow, Senders } from '../../store/sqlite/senders.ts'
import type { Account } from './graph-client.ts'

/** An official sender, its secrets open. It stays inside this channel: no answer and no log line is made of it. */
export interface OfficialAccount extends Account {
  senderId: number
  code: string
  appSecret: string
  verifyToken: string
}

export type OfficialIds = Pick<OfficialFields, 'phone_number_id' | 'waba_id'>
type Secrets = Pick<OfficialFields, 'access_token' | 'app_secret' | 'verify_token'>

type Given = { [K in keyof OfficialFields]?: OfficialFields[K] | undefined }

// A sealed secret is bound to its row: copied to another sender, it does not open.
const context = (senderId: number) => `sender ${senderId}`

export const idsOf = (sender: SenderRow): OfficialIds => JSON.parse(sender.official ?? '{}') as OfficialIds

export type Accounts = ReturnType<typeof createAccounts>

/** What the owner entered of each official sender: ids in the clear, secrets sealed. */
export function createAccounts({ senders, vault }: { senders: Pick<Senders, 'list'>; vault: Vault }) {
  const opened = new WeakMap<Buffer, OfficialAccount>()

  function secretsOf(sender: SenderRow): Secrets {
    try {
      if (sender.secrets === null) throw new Error('no secrets')
      return JSON.parse(vault.open(sender.secrets, context(sender.id)).toString()) as Secrets
    } catch {
      // Nothing of the cause is told: it could hold what was sealed.
      throw new ApiError(
        'conflict',
        `The secrets of ${sender.code} cannot be read with the key of this PC. Enter its access token, app secret and verify token again.`,
      )
    }
  }

  /** @throws ApiError `conflict` when they were sealed with another key, as after a restore on another PC */
  function of(sender: SenderRow): OfficialAccount {
    const known = sender.secrets === null ? undefined : opened.get(sender.secrets)
    if (known !== undefined) return known
    const { access_token, app_secret, verify_token } = secretsOf(sender)
    const { phone_number_id, waba_id } = idsOf(sender)
    const account = {
      senderId: sender.id,
      code: sender.code,
      phoneNumberId: phone_number_id,
      wabaId: waba_id,
      accessToken: access_token,
      appSecret: app_secret,
      verifyToken: verify_token,
    }
    if (sender.secrets !== null) opened.set(sender.secrets, account)
    return account
  }

  function readable(sender: SenderRow): OfficialAccount | null {
    try {
      return of(sender)
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  const officials = () => senders.list().filter((sender) => sender.kind === 'official')

  return {
    of,
    /** Those whose secrets can be read. */
    list: (): OfficialAccount[] => officials().flatMap((sender) => readable(sender) ?? []),
    /** Codes of those whose secrets cannot be read. */
    unreadable: (): string[] => officials().flatMap((sender) => (readable(sender) === null ? [sender.code] : [])),
    /** The columns of a new sender (`old` null), or of one whose owner entered some of the members anew. */
    columns(id: number, old: SenderRow | null, given: Given): { official: string; secrets: Buffer } {
      const { phone_number_id, waba_id, access_token, app_secret, verify_token } = given
      const complete = access_token !== undefined && app_secret !== undefined && verify_token !== undefined
      const before = old === null || complete ? {} : secretsOf(old)
      const secrets = defined({ access_token, app_secret, verify_token }, before)
      const ids = defined({ phone_number_id, waba_id }, old === null ? {} : idsOf(old))
      return { official: JSON.stringify(ids), secrets: vault.seal(JSON.stringify(secrets), context(id)) }
    },
  }
}

function defined(given: object, before: object): object {
  return { ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}
