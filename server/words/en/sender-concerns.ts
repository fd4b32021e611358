import type { ConcernTexts } from '../text.ts'

export const NOTHING_LEAVES = 'Nothing can be sent through it until this is solved.'

/** Concerns of a linked number. */
export const linked = {
  banned: {
    title: 'WhatsApp has banned {name}.',
    meaning: NOTHING_LEAVES,
    advice:
      'Open WhatsApp on the phone and ask for a review there. Do not link the number again before WhatsApp has lifted the ban. Send urgent messages through another sender.',
  },
  locked: {
    title: 'WhatsApp has locked {name}.',
    meaning: NOTHING_LEAVES,
    advice:
      'Open WhatsApp on the phone and do what it asks for. Then press “It works on the phone again: connect” in the sender. Do not link the number again before that.',
  },
  temporarily_banned: {
    title: 'WhatsApp has blocked {name}[ until {until}].',
    meaning: 'Kurir does not connect before that, and then goes on by itself.',
    advice:
      'Wait. Do not link the number again and do not send with other programs: that makes the block longer. Afterwards send first messages to fewer people.',
  },
  removed_by_whatsapp: {
    title: 'WhatsApp has probably unlinked {name}.',
    meaning: 'It happened shortly after WhatsApp had limited this number.',
    advice:
      'Do not link it again today: that may lead to a ban. Open WhatsApp on the phone and see what it says, then wait for a day.',
  },
  restricted: {
    title: 'WhatsApp has blocked {name}.',
    meaning: NOTHING_LEAVES,
    advice:
      'Open WhatsApp on the phone: it says why and what helps. Do not link the number again before it works there.',
  },
  logged_out: {
    title: '{name} was unlinked on the phone.',
    meaning: 'Messages wait for up to seven days and leave when the number is linked again.',
    advice: 'Link it again with the same phone.',
  },
  session_unreadable: {
    title: 'The stored link of {name} cannot be read.',
    meaning:
      'The file is damaged, or was made with another key. Messages wait for up to seven days and leave when the number is linked again.',
    advice: 'Link it again with the same phone. Check the disk of this PC if it happens again.',
  },
  other_phone: {
    title: '{name} was linked with another phone number[: {detail}].',
    meaning: 'Its messages are held until you decide whether they may leave from that number.',
    advice: 'Compare the numbers. If it is the wrong phone, unlink it and link the right one.',
  },
  replaced: {
    title: '{name} is used by another program.',
    meaning: 'WhatsApp allows one connection for each link, and another program has taken it.',
    advice: 'Close the other program, often a second Kurir with the same data, then use the number here.',
  },
  passkey_required: {
    title: 'WhatsApp asks for a passkey before it links {name}.',
    meaning: 'The number is linked once you confirm with the passkey of its WhatsApp account, within ten minutes.',
    advice:
      'Open the page where the number is linked and follow it. Where the passkey cannot be used, take the official API or another number.',
  },
  pairing_code_refused: {
    title: 'WhatsApp refused the pairing code for {name}.',
    meaning: 'The number is not linked.',
    advice: 'Check the number, wait for a quarter of an hour, or link with the QR code.',
  },
  unlinked: {
    title: '{name} is not linked to a phone.',
    meaning: 'Messages that your programs send through it wait for up to seven days.',
    advice: 'Link it with WhatsApp on the phone.',
  },
  protocol_outdated: {
    title: 'WhatsApp no longer accepts this version of Kurir: {name} cannot connect.',
    meaning: 'Kurir tries once a day with the newest protocol that it knows.',
    advice: 'Update Kurir.',
  },
  refused_by_whatsapp: {
    title: 'WhatsApp refuses the connection of {name}.',
    meaning: 'Kurir tries again every hour.',
    advice: 'Wait. If it lasts longer than a day, update Kurir. Do not link the number again.',
  },
  untrusted_server: {
    title: '{name} cannot connect: something in the network answers in place of WhatsApp.',
    meaning: 'Kurir does not trust it and keeps trying.',
    advice: 'Look for a log-in page of the Wi-Fi, a proxy, or a virus scanner that opens encrypted connections.',
  },
  offline: {
    title: '{name} cannot reach WhatsApp[ since {since}]. Is this PC online?',
    meaning: 'Kurir keeps trying and goes on by itself.',
    advice: 'Check the internet connection of this PC.',
  },
  offline_alone: {
    title: 'WhatsApp does not let {name} in[ since {since}]. Other numbers of this PC are connected.',
    meaning: 'It is not the internet connection of this PC. Kurir keeps trying and goes on by itself.',
    advice: 'Wait. If it lasts for hours, open WhatsApp on the phone of this number.',
  },
  wrong_numbers: {
    title: 'Many numbers in a row are not on WhatsApp: first messages of {name} wait[ until {until}].',
    meaning: 'Asking for many wrong numbers looks like spam to WhatsApp. Known customers still get messages.',
    advice: 'Check the numbers in your program. Kurir goes on by itself.',
  },
  new_chats_capped: {
    title: '{name} has used up the new chats that WhatsApp allows[ until {until}].',
    meaning: 'Known customers still get messages. First messages wait and then leave.',
    advice: 'Nothing to do now. From here on, send first messages to fewer people.',
  },
  new_link: {
    title: '{name} was linked only minutes ago: first messages wait[ until {until}].',
    meaning: 'Kurir is still reading its chats. Before that WhatsApp takes old customers for strangers.',
    advice: 'Leave the phone on and connected to the internet. Kurir goes on by itself.',
  },
  reach_out_lock: {
    title: 'WhatsApp limits new chats of {name}[ until {until}].',
    meaning: 'Known customers still get messages. First messages wait and then leave.',
    advice: 'Nothing to do now. From here on, send first messages to fewer people.',
  },
  new_chats_nearly_used: {
    title: '{name} has nearly used up the new chats that WhatsApp allows[ ({detail})].',
    meaning: 'When they are used up, first messages wait.',
    advice: 'Send first messages to fewer people for now.',
  },
} as const satisfies ConcernTexts

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
    meaning: 'Nothing is sent. Kurir tries again[: {until}].',
    advice: 'Open Business Support Home at Meta: it says what has to be done.',
  },
  account_unpaid: {
    title: 'Meta cannot bill {name}.',
    meaning: 'Nothing is sent. Kurir tries again[: {until}].',
    advice: 'Check the payment method in WhatsApp Manager, under billing.',
  },
  account_reported: {
    title: 'Meta holds {name} back: too many people blocked or reported it.',
    meaning: 'Nothing is sent. Kurir tries again[: {until}].',
    advice: 'Write less, and only to people who expect it. WhatsApp Manager shows the quality of the number.',
  },
  category_violation: {
    title: 'Meta holds {name} back: its utility templates hold marketing content.',
    meaning: 'Nothing is sent. Kurir tries again[: {until}].',
    advice: 'Correct the category of these templates in WhatsApp Manager. Meta ends this by itself after some time.',
  },
  name_unapproved: {
    title: 'Meta has not approved the display name of {name}.',
    meaning: 'Nothing is sent. Kurir tries again[: {until}].',
    advice: 'Have the display name approved in WhatsApp Manager.',
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
    meaning: 'Whatever is not named here can still be sent.',
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
    title: 'Meta will change the category of {count} {count:template|templates} of {name}.',
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
