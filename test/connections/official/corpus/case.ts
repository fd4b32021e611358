import type { ReceivedMessage } from '../../../../server/connections/official/inbox/callback.ts'
import type { Update } from '../../../../server/connections/official/inbox/updates.ts'

/**
 * A callback body in a form that Meta documents, with the expected result. Values are invented. Everything that a
 * customer wrote, said, named or chose contains `Rahasia`, so that a test can search for it.
 */
export interface Case {
  name: string
  /** Document that describes the form. */
  source: string
  body: unknown
  /** Relevant members of each update, in order, without further updates. */
  updates: Partial<Update>[]
  received?: Partial<ReceivedMessage>[]
  ignored?: string[]
}

export const WABA = '102290129340398'
export const NUMBER = '106540352242922'
/** A customer whose number is in nothing that is kept of a message. */
export const CUSTOMER = '6289912345678'
export const CUSTOMER_ID = 'ID.13491208655302741918'
/** When it happened, and when Meta sent it. */
export const SECONDS = 1_795_248_000
export const AT = SECONDS * 1000

export const entry = (changes: object[], id: string = WABA): object => ({ id, time: SECONDS, changes })
export const bodyOf = (...entries: object[]): object => ({ object: 'whatsapp_business_account', entry: entries })
export const change = (field: string, value: unknown): object => bodyOf(entry([{ value, field }]))

const metadata = { display_phone_number: '622155501234', phone_number_id: NUMBER }
const contacts = [{ profile: { name: 'Rahasia Wijaya' }, wa_id: CUSTOMER, user_id: CUSTOMER_ID }]

/** The value of a `messages` change with statuses. */
export const statuses = (...list: object[]): object =>
  change('messages', { messaging_product: 'whatsapp', metadata, statuses: list })

/** The value of a `messages` change with one message of the customer. */
export const inbound = (message: object, more: object = {}): object =>
  change('messages', {
    ...{ messaging_product: 'whatsapp', metadata, contacts },
    messages: [{ from: CUSTOMER, id: 'wamid.customer', timestamp: String(SECONDS), ...message }],
    ...more,
  })
