import type { BinaryNode } from 'baileys'
import type { Account } from './account.ts'
import { attribute, child, result, stanza } from './stanza.ts'

/** Props that the clients read, with WhatsApp's defaults. A real answer has about two thousand. */
const DEFAULTS: ReadonlyMap<number, string> = new Map([
  [865, '604800'],
  [909, '4'],
  [996, '604800'],
  [997, '4'],
  [9435, '0'],
  [10518, '1'],
  [14303, '0'],
  [24941, '0'],
])

const propOf = ({ props }: Account, code: number): string => props.get(code) ?? DEFAULTS.get(code) ?? ''

/** Sets a prop, which outdates what clients have. */
export function setProp(account: Account, code: number, value: string): void {
  for (const change of account.propsChanges) change.codes.add(code)
  account.propsChanges.push({ hash: account.propsHash, codes: new Set([code]) })
  account.props.set(code, value)
  account.propsHash = `props-${account.propsChanges.length}`
}

const props = (account: Account, codes: Iterable<number>, delta: boolean): BinaryNode =>
  stanza(
    'props',
    {
      protocol: '1',
      ab_key: 'ab-key',
      hash: account.propsHash,
      refresh: '86400',
      refresh_id: String(account.propsChanges.length),
      delta_update: delta ? 'true' : undefined,
    },
    [...codes].map((code) => stanza('prop', { config_code: String(code), config_value: propOf(account, code) })),
  )

/**
 * Answers with the changes since the client's hash, or with all props if the hash is missing or
 * unknown.
 */
export function answerProps(query: BinaryNode, account: Account): BinaryNode {
  const hash = attribute(child(query, 'props') ?? query, 'hash')
  const all = new Set([...DEFAULTS.keys(), ...account.props.keys()])
  if (hash === account.propsHash) return result(query, [props(account, [], true)])
  const since = account.propsChanges.find((change) => change.hash === hash)
  return result(query, [since === undefined ? props(account, all, false) : props(account, since.codes, true)])
}
