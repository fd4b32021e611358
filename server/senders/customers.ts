/** The content of a customer's message. */
export interface ReceivedContent {
  /** WhatsApp's id of it; null where it gave none. */
  id: string | null
  /** `text`, `button`, `image`, …, as WhatsApp or Meta names it. */
  type: string
  /** The text, the caption of a file, or the chosen button or row; null for everything else. */
  text: string | null
  /** WhatsApp's id of the message that it answers. */
  replyTo: string | null
  /** Milliseconds since 1970, by WhatsApp's clock. */
  occurredAt: number
}

/**
 * A message that a customer wrote to a sender. It is passed on and forgotten: nothing of it is
 * stored or logged here.
 */
export interface ReceivedMessage extends ReceivedContent {
  senderId: number
  /** Digits; null where Meta gives only its user ID. */
  from: string | null
  /** Meta's business-scoped user ID, such as `US.13491208655302741918`; null on linked numbers. */
  fromUserId: string | null
}

/**
 * A person's wish about a sender's marketing messages, from WhatsApp's settings or its refusal
 * (131050).
 */
export interface MarketingPreference {
  senderId: number
  /** Digits; Meta's user ID where it gives no number. */
  recipient: string
  wants: boolean
  at: number
}

/** Listens to customers. */
export interface CustomersPort {
  /** May be called again for the same message. When it rejects, Meta sends the message again. */
  received(message: ReceivedMessage): Promise<void>
  /** May be called again for the same news. */
  preference(preference: MarketingPreference): Promise<void>
}
