import type { AlarmKind, AlarmsView } from '../../server/slices/alarms/contract.ts'

/** One input of an alarm road. `name` is the contract's. */
export interface AlarmField {
  name: string
  label:
    | 'host'
    | 'port'
    | 'security'
    | 'user'
    | 'password'
    | 'from'
    | 'to'
    | 'botToken'
    | 'chat'
    | 'url'
    | 'token'
    | 'sender'
    | 'phone'
  input: 'text' | 'secret' | 'security' | 'sender' | 'phone'
  optional?: true
  placeholder?: string
}

export const FIELDS_OF: Record<AlarmKind, readonly AlarmField[]> = {
  email: [
    { name: 'host', label: 'host', input: 'text', placeholder: 'smtp.gmail.com' },
    { name: 'port', label: 'port', input: 'text', placeholder: '465' },
    { name: 'security', label: 'security', input: 'security' },
    { name: 'user', label: 'user', input: 'text', optional: true },
    { name: 'password', label: 'password', input: 'secret', optional: true },
    { name: 'from', label: 'from', input: 'text' },
    { name: 'to', label: 'to', input: 'text' },
  ],
  telegram: [
    { name: 'token', label: 'botToken', input: 'secret' },
    { name: 'chat_id', label: 'chat', input: 'text' },
  ],
  ntfy: [
    { name: 'url', label: 'url', input: 'text', placeholder: 'https://ntfy.sh/…' },
    { name: 'token', label: 'token', input: 'secret', optional: true },
  ],
  whatsapp: [
    { name: 'sender_code', label: 'sender', input: 'sender' },
    { name: 'phone', label: 'phone', input: 'phone' },
  ],
}

export type AlarmValues = Record<string, string>

const BEGIN: Partial<Record<AlarmKind, AlarmValues>> = { email: { port: '465', security: 'tls' } }

/** Returns the values of the inputs. Secrets are empty, because the server never returns them. */
export function valuesOf(kind: AlarmKind, saved: AlarmsView[AlarmKind]): AlarmValues {
  const kept: Record<string, unknown> = saved === null ? { ...BEGIN[kind] } : { ...saved }
  return Object.fromEntries(FIELDS_OF[kind].map(({ name }) => [name, String(kept[name] ?? '')]))
}

/** Builds the request. An empty secret is left out and stays; an empty optional field is null. */
export function requestOf(kind: AlarmKind, values: AlarmValues): Record<string, unknown> {
  const entries = FIELDS_OF[kind].flatMap(({ name, input, optional }): [string, unknown][] => {
    const value = values[name]?.trim() ?? ''
    if (input === 'secret') return value === '' ? [] : [[name, value]]
    if (value === '') return [[name, optional === true ? null : '']]
    return [[name, name === 'port' ? Number(value) : value]]
  })
  return Object.fromEntries(entries)
}
