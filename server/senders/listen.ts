import type { SuppressionSource } from '../contract/suppressions.ts'
import type { ReplyStore } from '../store/index.ts'
import type { CustomersPort, ReceivedMessage } from './customers.ts'
import { type Keywords, keywordIn } from './opt-out-keywords.ts'
import type { OptOuts } from './opt-outs.ts'

/** Their times are WhatsApp's. What a program noted has the time of this PC, which may be wrong. */
const SAID_BY_CUSTOMER: ReadonlySet<SuppressionSource> = new Set(['keyword', 'provider'])

export interface ListenDeps {
  optOuts: OptOuts
  passOn: (message: ReceivedMessage) => Promise<void>
  seen: ReplyStore
  keywords: () => Keywords
}

/** Notes opt-outs and passes replies on, on both routes. */
export function createCustomers({ optOuts, passOn, seen, keywords }: ListenDeps): CustomersPort {
  /** Does not undo what the customer said later: Meta repeats news, and some of it comes late. */
  async function optOut(senderId: number, phone: string, source: 'keyword' | 'provider', at: number): Promise<void> {
    if (await seen.optedInAfter(senderId, phone, at)) return
    await optOuts.add({ phone, senderId, scope: 'marketing', source, at })
  }

  /** Undoes neither what the owner entered nor what the customer said later. */
  async function optIn(senderId: number, phone: string, source: 'keyword' | 'provider', at: number): Promise<void> {
    await seen.markOptedIn(senderId, phone, at)
    const entries = await optOuts.list({ phone, senderId, limit: 2 })
    const own = entries.find((entry) => entry.senderId === senderId)
    if (own === undefined || own.source === 'owner' || (SAID_BY_CUSTOMER.has(own.source) && own.at > at)) return
    await optOuts.remove({ phone, senderId }, { source, at })
  }

  async function obey({ senderId, id, from, fromUserId, text, occurredAt: at }: ReceivedMessage): Promise<void> {
    const asked = keywordIn(text, keywords())
    // Messages are sent to an ID of Meta's as they are to a number.
    const phone = from ?? fromUserId
    if (phone === null || asked === null) return
    // An old STOP that is repeated must not undo a START that came after it.
    if (id !== null && (await seen.isHeard(senderId, id))) return
    if (asked === 'out') await optOut(senderId, phone, 'keyword', at)
    else await optIn(senderId, phone, 'keyword', at)
    if (id !== null) await seen.markHeard(senderId, id, at)
  }

  return {
    async received(message) {
      await obey(message)
      await passOn(message)
    },
    async preference({ senderId, recipient: phone, wants, at }) {
      if (wants) await optIn(senderId, phone, 'provider', at)
      else await optOut(senderId, phone, 'provider', at)
    },
  }
}
