/**
 * How an account addresses people: by LID or by phone number, never mixed in one stanza
 * (docs/decisions/0014-contacts.md). Pure.
 */
export type Form = 'lid' | 'pn'

/** Form of an account, as it is kept. */
export interface AccountForm {
  form: Form
  /** Proof of the form; an account begins with `assumed`. */
  proof: 'assumed' | 'client_props' | 'prop' | 'history' | 'acknowledged'
}

/**
 * Form of a contact whose messages were once refused with 463, valid while the account's form is
 * the same.
 */
export interface ContactForm {
  form: Form
  whileAccountUses: Form
}

/**
 * Form of an account that has said nothing yet. A LID from one that is not migrated is refused as a
 * whole (400), which counts nowhere; a number to somebody who has moved gets a 463, which counts as
 * a message to a stranger (OpenWA PR 717). whatsmeow writes LIDs always.
 */
export const ASSUMED_FORM: AccountForm = { form: 'lid', proof: 'assumed' }

export type Evidence =
  /** `client-props` in pair-success; undefined: missing or unreadable, which says nothing. */
  | { from: 'client_props'; migrated: boolean | undefined }
  /** Server prop 9435. Its absence says nothing. */
  | { from: 'prop'; migrated: boolean }
  /** chatDbLidMigrationTimestamp of the history's global settings, in seconds; 0: none. */
  | { from: 'history'; migratedAt: number }

/**
 * Applies what an account says of itself. A migration is never taken back by less evidence: a new
 * link of the same account that says nothing of it gives an old answer, not a new fact. That it is
 * not migrated counts only as long as nothing else is known.
 */
export function learn(account: AccountForm, evidence: Evidence): AccountForm {
  const migrated = evidence.from === 'history' ? evidence.migratedAt > 0 : evidence.migrated === true
  if (account.proof === 'assumed' && evidence.from === 'client_props' && evidence.migrated === false) {
    return { form: 'pn', proof: evidence.from }
  }
  const isNews = account.form !== 'lid' || account.proof === 'assumed'
  return migrated && isNews ? { form: 'lid', proof: evidence.from } : account
}

/** The form for the first stanza of a message. */
export const formFor = (account: AccountForm, contact: ContactForm | null): Form =>
  contact?.whileAccountUses === account.form ? contact.form : account.form

/** A stanza and how WhatsApp acknowledged it. */
export interface Attempted {
  account: AccountForm
  contact: ContactForm | null
  form: Form
  /**
   * The error for which this message is written in its second form; undefined: this is its first.
   */
  turnedBy: '400' | '463' | undefined
  /** The error of the acknowledgement; undefined: accepted. */
  error: string | undefined
  /** True if the contact is known: a 463 to a stranger says nothing about the form. */
  known: boolean
  /** True while a lock is on, which explains a 463 by itself. */
  locked: boolean
}

export interface AfterAttempt {
  account: AccountForm
  contact: ContactForm | null
  /** Write the message once more under the same id, in this form: nothing was delivered. */
  again: { form: Form; turnedBy: '400' | '463' } | undefined
}

const other = (form: Form): Form => (form === 'lid' ? 'pn' : 'lid')

/**
 * Applies an acknowledgement. 400 refuses the whole stanza: the other form once, and the account's
 * form follows when that is accepted. 463 to a known contact without a lock: the other form once
 * for this contact, whatever comes of it. Everything else says nothing about the form.
 */
export function afterAttempt({ account, contact, form, turnedBy, error, known, locked }: Attempted): AfterAttempt {
  const remember = (chosen: Form): ContactForm => ({ form: chosen, whileAccountUses: account.form })
  const same = { account, contact, again: undefined }

  if (turnedBy === '400') return error === undefined ? { ...same, account: { form, proof: 'acknowledged' } } : same
  if (turnedBy === '463') return { ...same, contact: remember(error === undefined ? form : other(form)) }
  if (error === '400') return { ...same, again: { form: other(form), turnedBy: error } }
  const turnedBefore = contact?.whileAccountUses === account.form
  if (error === '463' && known && !locked && !turnedBefore) {
    return { ...same, again: { form: other(form), turnedBy: error } }
  }
  return same
}
