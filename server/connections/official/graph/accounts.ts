import type { z } from 'zod'
import { ApiError } from '../../../contract/errors.ts'
import { type OfficialIds, officialFields, officialIds } from '../../../contract/official-senders.ts'
import type { Vault } from '../../../lib/vault.ts'
import type { OfficialInput } from '../../../senders/ports.ts'
import { PLACES, type SenderRow, type SenderStore } from '../../../store/index.ts'
import type { Account } from './graph-client.ts'

/**
 * An official sender with decrypted secrets. Used only inside `official/`: nothing of it may get
 * into an answer or a log line.
 */
export interface OfficialAccount extends Account {
  senderId: number
  code: string
  appSecret: string
  verifyToken: string
}

const secretFields = officialFields.pick({ access_token: true, app_secret: true, verify_token: true })
type Secrets = z.infer<typeof secretFields>

/** @throws Error if the row is not an official sender */
export function idsOf(sender: SenderRow): OfficialIds {
  if (sender.official === null) throw new Error(`${sender.code} has no ids of Meta`)
  return sender.official
}

export type Accounts = ReturnType<typeof createAccounts>

/** Reads and seals the owner's entries of official senders: ids in the clear, secrets sealed. */
export function createAccounts({ senders, vault }: { senders: SenderStore; vault: Vault }) {
  const opened = new WeakMap<Buffer, OfficialAccount>()

  function secretsOf(sender: SenderRow): Secrets {
    try {
      if (sender.secrets === null) throw new Error('no secrets')
      return secretFields.parse(JSON.parse(vault.open(sender.secrets, PLACES.sender(sender.id)).toString()))
    } catch {
      // Without a `cause`, because its message could quote the secrets.
      throw new ApiError(
        'conflict',
        `The secrets of ${sender.code} cannot be read with the key of this PC. Enter its access token, app secret and verify token again.`,
      )
    }
  }

  /**
   * Returns the account of a sender.
   * @throws ApiError `conflict` if the secrets were sealed with another key, for example before a
   *   restore on another PC
   */
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
    /** Returns all official senders whose secrets can be read. */
    list: (): OfficialAccount[] => officials().flatMap((sender) => readable(sender) ?? []),
    /** Returns the codes of official senders whose secrets cannot be read. */
    unreadable: (): string[] => officials().flatMap((sender) => (readable(sender) === null ? [sender.code] : [])),
    /** Returns the ids of a new sender (`old` null), or the old ids with the changes in `input`. */
    ids: (old: SenderRow | null, input: OfficialInput): OfficialIds =>
      officialIds.parse(merged(old === null ? {} : idsOf(old), input)),
    /** Returns the secrets, old ones with the changes in `input`, sealed for the row `id`. */
    seal(id: number, old: SenderRow | null, input: OfficialInput): Buffer {
      const isComplete = secretFields.safeParse(input).success
      const before = old === null || isComplete ? {} : secretsOf(old)
      return vault.seal(JSON.stringify(secretFields.parse(merged(before, input))), PLACES.sender(id))
    },
  }
}

/** Returns `before` with the members of `input` that are not undefined. The schema drops others. */
const merged = (before: object, input: object): object => ({
  ...before,
  ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
})
