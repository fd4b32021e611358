import type { ConcernTexts } from '../concern-shape.ts'

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
