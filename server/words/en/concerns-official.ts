import type { ConcernTexts } from '../concern-shape.ts'
import { NOTHING_LEAVES } from './concerns-linked.ts'

const STATUS_UNKNOWN = 'Messages are sent, but Kurir does not learn whether they arrive: they stay “At Meta”.'

/** Concerns of an official number. */
export const official = {
  token_refused: {
    title: 'Meta refuses the access token of {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Create a new access token for the system user in Meta Business Settings and save it in this sender.',
  },
  secrets_unreadable: {
    title: 'The secrets of {name} cannot be opened on this PC.',
    meaning: `The data folder came from another PC, or its key was replaced. ${NOTHING_LEAVES}`,
    advice: 'Enter the access token, the app secret and the verify token again.',
  },
  missing_permissions: {
    title: 'The access token of {name} lacks permissions.',
    meaning: NOTHING_LEAVES,
    advice:
      'Give the system user whatsapp_business_messaging and whatsapp_business_management, create a new token and save it in this sender.',
  },
  wrong_ids: {
    title: 'Meta does not know the IDs of {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Compare the phone number ID and the account ID with WhatsApp Manager.',
  },
  not_registered: {
    title: 'The number of {name} is not registered at Meta.',
    meaning: NOTHING_LEAVES,
    advice: 'Register it with its six-digit PIN.',
  },
  account_deleted: {
    title: 'The account of {name} was deleted at Meta.',
    meaning: NOTHING_LEAVES,
    advice: 'Create another account at Meta, or send through another sender.',
  },
  account_offboarded: {
    title: 'The account of {name} was disconnected from the Cloud API.',
    meaning: NOTHING_LEAVES,
    advice: 'Connect it again in Meta Business Settings.',
  },
  account_disabled: {
    title: 'Meta has disabled the account of {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Open Business Support Home at Meta and ask for a review.',
  },
  account_locked: {
    title: 'Meta has locked the account of {name}.',
    meaning: NOTHING_LEAVES,
    advice: 'Open Business Support Home at Meta: it says what has to be done.',
  },
  account_restricted: {
    title: 'Meta has restricted the account of {name}[ until {until}].',
    meaning: 'Meanwhile invoices, reminders and everything else that is no answer to a customer cannot be sent.',
    advice: 'Open Business Support Home at Meta: it says why, and where to ask for a review.',
  },
  number_blocked: {
    title: 'Meta does not let {name} send.',
    meaning: NOTHING_LEAVES,
    advice: 'Open the number in WhatsApp Manager: it says why.',
  },
  wrong_app_secret: {
    title: 'The app secret of {name} is wrong.',
    meaning: STATUS_UNKNOWN,
    advice: 'Copy the app secret from the app dashboard at Meta and save it in this sender.',
  },
  callbacks_refused: {
    title: '{count} {count:callback|callbacks} of Meta for {name} {count:was|were} refused: wrong signature.',
    meaning: STATUS_UNKNOWN,
    advice: 'Enter the app secret of the app that calls back. If none of your apps does, somebody else tries.',
  },
  statuses_cannot_arrive: {
    title: 'Meta cannot report to {name} whether messages arrive.',
    meaning: STATUS_UNKNOWN,
    advice: 'Set up the public address: a tunnel to the webhook port, entered in Settings and at Meta.',
  },
  no_status_heard: {
    title: 'Meta has reported no status to {name} since {since}, although messages went out.',
    meaning: STATUS_UNKNOWN,
    advice: 'Check that the tunnel runs and that the app is subscribed to “messages”.',
  },
  account_disable_scheduled: {
    title: 'Meta will disable the account of {name}[ on {until}].',
    meaning: 'Sending works until then.',
    advice: 'Open Business Support Home at Meta and ask for a review.',
  },
  token_expires: {
    title: 'The access token of {name} ends[ on {until}].',
    meaning: 'Nothing can be sent after that.',
    advice:
      'Create a token that never expires for the system user in Meta Business Settings and save it in this sender.',
  },
  account_violation: {
    title: 'Meta reports that {name} broke a rule[: {detail}].',
    meaning: 'Sending still works. Repeated violations lead to a restriction.',
    advice: 'Read the rule in Business Support Home at Meta and change the messages.',
  },
  account_limited: {
    title: 'Meta has limited a part of the account of {name}[: {detail}].',
    meaning: 'Template messages can still be sent.',
    advice: 'Open Business Support Home at Meta: it says why.',
  },
  account_alert: {
    title: 'Meta has a message about the account of {name}[: {detail}].',
    meaning: 'Sending still works.',
    advice: 'Open WhatsApp Manager: it says what to do.',
  },
  security_event: {
    title: 'The security settings of {name} were changed at Meta[: {detail}].',
    meaning: 'Sending still works.',
    advice: 'If it was not you, change the PIN of the number in WhatsApp Manager at once.',
  },
  quality_red: {
    title: 'The quality of {name} is low at Meta.',
    meaning: 'Too many people block or report its messages. Meta may lower its limit or block the number.',
    advice: 'Write less, and only to people who expect it, until the quality recovers.',
  },
  template_paused: {
    title: '{count} {count:template|templates} of {name} can no longer be sent.',
    meaning: 'Meta has paused, disabled or rejected {count:it|them}. Messages with {count:it|them} are refused.',
    advice: 'Open WhatsApp Manager: it says why. Use another template meanwhile.',
  },
  template_quality_low: {
    title: '{count} {count:template|templates} of {name} {count:has|have} a low quality[: {detail}].',
    meaning: 'Meta pauses a template when its quality stays low.',
    advice: 'Change the text in WhatsApp Manager, or send it to fewer people.',
  },
  checks_failing: {
    title: '{name}: the check “{check}” fails.',
    meaning: '{risk}',
    advice: 'Open the sender: it says what to do, step by step.',
  },
  messaging_limit_near: {
    title: '{name} has nearly used up the people that it may write to first[ ({detail})].',
    meaning:
      'Meta refuses further ones until some of the last 24 hours are over. All numbers of your business share this limit.',
    advice: 'Send less urgent messages tomorrow.',
  },
  graph_version_ends: {
    title: 'Meta switches off the interface that Kurir uses[ on {until}].',
    meaning: 'After that official messages may fail.',
    advice: 'Update Kurir before that.',
  },
  template_category_changed: {
    title: 'Meta has changed the category of {count} {count:template|templates} of {name}.',
    meaning: 'The price of a message depends on the category.',
    advice: 'Look at the templates in WhatsApp Manager.',
  },
  messaging_limit_changed: {
    title: 'Meta has changed how many people {name} may write to first[: {detail}].',
    meaning: 'All numbers of your business share this limit.',
    advice: 'Nothing needs to be done.',
  },
  name_approved: {
    title: 'Meta has approved the display name of {name}[: {detail}].',
    meaning: 'Customers see it after the number is registered again.',
    advice: 'Register the number again with its six-digit PIN.',
  },
} as const satisfies ConcernTexts
