import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import { type MetaStore, PLACES } from '../../store/index.ts'
import { type AlarmKind, type AlarmSettings, alarmSettings, type UpdateAlarms } from './contract.ts'

/** Reads what is kept, and opens it again when it has changed. */
export function settingsReader(meta: MetaStore, vault: Vault, logger: Logger): () => AlarmSettings {
  let read: { sealed: string | undefined; settings: AlarmSettings } | undefined
  const opened = (sealed: string | undefined): AlarmSettings => {
    if (sealed === undefined) return alarmSettings.parse({})
    try {
      return alarmSettings.parse(JSON.parse(vault.open(Buffer.from(sealed, 'base64'), PLACES.alarms).toString()))
    } catch (error) {
      logger.error({ err: error }, 'the settings of alarms cannot be read: alarms are off')
      return alarmSettings.parse({})
    }
  }
  return () => {
    const sealed = meta.get('alarms')
    if (read === undefined || read.sealed !== sealed) read = { sealed, settings: opened(sealed) }
    return read.settings
  }
}

const withoutPassword = ({ password, ...rest }: NonNullable<AlarmSettings['email']>) => ({
  ...rest,
  password_set: password !== null,
})

export const shownSettings = ({ email, telegram, ntfy, ...rest }: AlarmSettings) => ({
  email: email && withoutPassword(email),
  telegram: telegram && { chat_id: telegram.chat_id, api_url: telegram.api_url },
  ntfy: ntfy && { url: ntfy.url, token_set: ntfy.token !== null },
  ...rest,
})

/**
 * A secret that is left out stays, but never goes to another server than the one that it was
 * entered for: a caller that may change the address must not learn it.
 */
export function withKeptSecrets(
  changes: UpdateAlarms,
  { email, telegram, ntfy }: AlarmSettings,
): Partial<Record<AlarmKind | 'daily_at', unknown>> {
  const { email: newEmail, telegram: newTelegram, ntfy: newNtfy } = changes
  const mailStays =
    newEmail?.host === email?.host && newEmail?.port === email?.port && newEmail?.security === email?.security
  const botStays = newTelegram?.api_url === telegram?.api_url
  const topicStays = originOf(newNtfy?.url) === originOf(ntfy?.url)
  return {
    ...changes,
    ...(newEmail && { email: { ...newEmail, password: kept(newEmail.password, mailStays, email?.password) } }),
    ...(newTelegram && {
      telegram: { ...newTelegram, token: newTelegram.token ?? (botStays ? telegram?.token : undefined) },
    }),
    ...(newNtfy && { ntfy: { ...newNtfy, token: kept(newNtfy.token, topicStays, ntfy?.token) } }),
  }
}

/** The secret that holds from now on; `null` as given takes it away. */
const kept = (given: string | null | undefined, stays: boolean, before: string | null | undefined): string | null =>
  given === undefined && stays ? (before ?? null) : (given ?? null)

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin)
