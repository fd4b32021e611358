import type { ConcernTexts } from './texts.ts'

const KEPT = 'What was accepted before is kept and is sent.'
const IN_DATABASE = 'What was accepted before is in the database, and is sent when it works again.'
const NOTHING_LEAVES = 'Nothing can be sent through it until this is solved.'
const STATUS_UNKNOWN = 'Messages are sent, but Kurir does not learn whether they arrive: they stay “At Meta”.'

export const en: ConcernTexts = {
  concerns: {
    storage_full: {
      title: 'The disk is full: Kurir refuses new messages.',
      meaning: KEPT,
      advice: 'Free some space on this PC. Kurir goes on by itself.',
    },
    storage_gone: {
      title: 'The database file is gone: Kurir refuses new messages.',
      meaning: 'It was deleted, moved or replaced while Kurir was running.',
      advice: 'Put the file back and restart Kurir, or restore a backup.',
    },
    storage_read_only: {
      title: 'Kurir may not write to its data folder: it refuses new messages.',
      meaning: KEPT,
      advice: 'Give the user that runs Kurir the right to write to the data folder. Kurir goes on by itself.',
    },
    storage_unavailable: {
      title: 'Kurir cannot save messages: it refuses new ones.',
      meaning: `Another program may hold the database, or the disk has a fault. ${KEPT}`,
      advice:
        'Close backup programs and virus scanners that use the data folder. If that does not help, restart this PC.',
    },
    storage_server_away: {
      title: 'The database server does not answer: Kurir refuses new messages.',
      meaning: `Nothing is sent meanwhile, and senders and figures cannot be shown. ${IN_DATABASE}`,
      advice:
        'Start the database server, or restore the network between it and this computer. Kurir goes on by itself.',
    },
    storage_server_refuses: {
      title: 'The database server takes no writes from Kurir: new messages are refused.',
      meaning: `It is a standby that only answers questions, or it refuses the login of Kurir. ${IN_DATABASE}`,
      advice:
        'Promote the standby if the main server is gone. Otherwise check KURIR_DATABASE_URL and the rights of its role; the log says what the server answers.',
    },
    storage_server_newer: {
      title: 'This computer runs a version of Kurir that is too old for the database: it refuses new messages.',
      meaning:
        'Another computer has changed the database for a newer version. The others go on, and send what was accepted here.',
      advice: 'Install the version of the other computers here.',
    },
    storage_server_full: {
      title: 'The disk of the database server is full: Kurir refuses new messages.',
      meaning: IN_DATABASE,
      advice: 'Free some space on the database server. Kurir goes on by itself.',
    },
    files_unavailable: {
      title: 'Files cannot be stored or fetched: messages with files wait, and new ones are refused.',
      meaning: 'The object store does not work, or refuses Kurir. Messages without files leave as always.',
      advice: 'Check the object store and its settings; the log says what it answers. Kurir goes on by itself.',
    },

    banned: {
      title: 'WhatsApp has banned {name}.',
      meaning: NOTHING_LEAVES,
      advice:
        'Open WhatsApp on the phone and ask for a review there. Do not link the number again before WhatsApp has lifted the ban. Send what is urgent through another sender.',
    },
    locked: {
      title: 'WhatsApp has locked {name}.',
      meaning: NOTHING_LEAVES,
      advice:
        'Open WhatsApp on the phone and do what it asks for. Then press “Try again” in the sender. Do not link the number again before that.',
    },
    temporarily_banned: {
      title: 'WhatsApp has blocked {name}[ until {until}].',
      meaning: 'Kurir does not connect before that, and then goes on by itself.',
      advice:
        'Wait. Do not link the number again and do not send with other programs: that makes the block longer. Write to fewer new numbers afterwards.',
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
      meaning:
        'Kurir cannot answer that yet. A number that is linked stays linked, but may be asked when it is linked again.',
      advice:
        'Use the official API or another number: WhatsApp asks more and more accounts. A few are no longer asked some days later.',
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
      title: '{name} cannot reach WhatsApp. Is this PC online?',
      meaning: 'Kurir keeps trying and goes on by itself.',
      advice: 'Check the internet connection of this PC.',
    },
    offline_alone: {
      title: 'WhatsApp does not let {name} in[ since {since}]. Other numbers of this PC are connected.',
      meaning: 'It is not the internet connection of this PC. Kurir keeps trying and goes on by itself.',
      advice: 'Wait. If it lasts for hours, open WhatsApp on the phone of this number.',
    },

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
      meaning: 'Meanwhile messages that you begin cannot be sent.',
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
    not_moving: {
      title: '{name} is connected, but its messages do not leave.',
      meaning: 'Nothing was sent for a quarter of an hour, although messages are due.',
      advice: 'Restart Kurir. If it happens again, save the diagnostics in Settings for the person who helps you.',
    },
    messages_failing: {
      title: '{failed} of {total} {total:message|messages} failed {span}: {reasons}.',
      meaning: 'As far as Kurir knows, none of them arrived.',
      advice: 'Look at the reasons and correct what is wrong before you send them again.',
    },
    wrong_numbers: {
      title: 'Many numbers in a row are not on WhatsApp: first messages of {name} wait[ until {until}].',
      meaning: 'Asking for many wrong numbers looks like spam to WhatsApp. Known customers still get messages.',
      advice: 'Check the numbers in your program. Kurir goes on by itself.',
    },
    new_chats_capped: {
      title: '{name} has used up the new chats that WhatsApp allows[ until {until}].',
      meaning: 'Known customers still get messages. First messages wait and leave by themselves.',
      advice: 'Wait. Write to fewer new numbers from now on.',
    },
    reach_out_lock: {
      title: 'WhatsApp limits new chats of {name}[ until {until}].',
      meaning: 'Known customers still get messages. First messages wait and leave by themselves.',
      advice: 'Wait. Write to fewer new numbers from now on.',
    },

    sending_long: {
      title: '{count} {count:message|messages} of {name} {count:has|have} been sending since {since}.',
      meaning: 'It is not known yet whether {count:it has|they have} left.',
      advice: 'Look in Messages at what the last attempt says. Ask the customer before you write it again.',
    },
    disk_nearly_full: {
      title: 'The disk is nearly full[: {size} are left].',
      meaning: 'When it is full, Kurir refuses new messages.',
      advice: 'Free some space on this PC.',
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
      meaning: 'Sending may work only in part.',
      advice: 'Open the sender: it says what to do.',
    },
    endpoint_failing: {
      title: '{host} does not accept callbacks.[ {count} {count:is|are} waiting.]',
      meaning: 'Your program does not learn what became of its messages. Kurir keeps trying for three days.',
      advice: 'See what it answers, correct it, and send a test.',
    },
    endpoint_gone: {
      title: 'Callbacks to {host} are switched off: it answered “Gone”.[ {count} {count:is|are} waiting.]',
      meaning: 'Your program does not learn what becomes of its messages.',
      advice: 'Correct the address and switch the webhook on again, or delete it.',
    },
    callbacks_dead: {
      title: '{count} {count:callback|callbacks} to {host} could not be delivered.',
      meaning: 'Your program has not learned what became of these messages. Kurir has stopped trying.',
      advice: 'Send them again now that the webhook works, or discard them.',
    },
    new_chats_nearly_used: {
      title: '{name} has nearly used up the new chats that WhatsApp allows[ ({detail})].',
      meaning: 'When they are used up, first messages wait.',
      advice: 'Write to fewer new numbers for now.',
    },
    messaging_limit_near: {
      title: '{name} has nearly used up the people that it may write to first[ ({detail})].',
      meaning:
        'Meta refuses further ones until some of the last 24 hours are over. All numbers of your business share this limit.',
      advice: 'Send what is less urgent tomorrow.',
    },
    node_gone: {
      title: 'Node[ {detail}] was not heard of since {since}.',
      meaning: 'It ended without saying so, or cannot reach the database. The other nodes have taken its senders over.',
      advice: 'Start it again. If it is gone for good, take it out of the list of nodes.',
    },
    clock_off: {
      title: 'The clock of this PC was wrong.',
      meaning: 'What waits still waits as long as it was meant to, but the times in the log may be wrong.',
      advice: 'Let the system set the time automatically.',
    },
    graph_version_ends: {
      title: 'Meta switches off the interface that Kurir uses[ on {until}].',
      meaning: 'After that official messages may fail.',
      advice: 'Update Kurir before that.',
    },

    all_paused: {
      title: 'You have paused all sending.',
      meaning: 'New messages are accepted and wait.',
      advice: 'Resume when you want to go on.',
    },
    paused: {
      title: 'You have paused {name}.',
      meaning: 'New messages are accepted and wait.',
      advice: 'Resume when you want to go on.',
    },
    daily_cap: {
      title: '{name} has reached the daily limit that you set[ and goes on {until}].',
      meaning: 'Messages wait and leave by themselves.',
      advice: 'Raise the limit in the sender if more should leave today.',
    },
    quiet_hours: {
      title: '{name} keeps its quiet hours[ until {until}].',
      meaning: 'Messages wait and leave by themselves.',
      advice: 'Change the quiet hours in the sender if they do not fit.',
    },
    nothing_linked: {
      title: 'No number is linked yet.',
      meaning: 'Until then only the sandbox works, for trying things out.',
      advice: 'Link the number of your shop with a QR code.',
    },

    owner_pages_open: {
      title: 'The owner’s pages are open to other devices in your network, without encryption.',
      meaning: 'Whatever they transmit can be read along in that network.',
      advice: 'Close them in Settings if only this PC needs them.',
    },
    lan_open: {
      title: 'Programs in your network can send through Kurir.',
      meaning: 'They need an API key.',
      advice: 'Close it in Settings if all your programs run on this PC.',
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
    update_available: {
      title: 'Kurir {detail} is ready.',
      meaning: 'It is installed when Kurir quits.',
      advice: 'Restart and update at a quiet moment.',
    },
    backup_never: {
      title: 'There is no backup of Kurir yet.',
      meaning: 'If this PC breaks, links, keys and the log are lost.',
      advice: 'Make a backup in Settings and keep it somewhere else.',
    },
    backup_old: {
      title: 'The last backup is {count} days old ({since}).',
      meaning: 'What has changed since then would be lost if this PC broke.',
      advice: 'Make a new backup in Settings.',
    },
    retention_never: {
      title: 'Messages are kept for ever.',
      meaning: 'The database grows with every message.',
      advice: 'Choose in Settings how long to keep them.',
    },
  },
  actions: {
    link: 'Link',
    link_again: 'Link again',
    add_number: 'Link a number',
    resume: 'Resume',
    use_here: 'Use it here',
    try_again: 'Try again',
    resume_all: 'Resume all',
    what_to_do: 'What to do',
    decide: 'Decide',
    enter_token: 'Enter a new token',
    enter_secret: 'Enter the secrets',
    correct_ids: 'Correct the IDs',
    register: 'Register the number',
    see_why: 'See why',
    see_messages: 'See them',
    see_callbacks: 'See them',
    open_settings: 'Settings',
    back_up: 'Back up',
    update: 'Update',
  },
  reasons: {
    recipient_not_on_whatsapp: 'not on WhatsApp',
    account_restricted: 'WhatsApp limits new chats',
    not_acknowledged: 'never confirmed by WhatsApp',
    expired: 'waited too long',
    refused_by_whatsapp: 'refused by WhatsApp',
    send_failed: 'could not be prepared',
    recipient_opted_out: 'customer opted out',
    sender_deleted: 'sender deleted',
    media_unreachable: 'file could not be downloaded',
    media_too_large: 'file too large',
    media_blocked: 'file at an address that is not allowed',
    media_invalid: 'no usable file',
    media_gone: 'file no longer on this PC',
    template_not_sendable: 'template does not fit',
    provider_auth_failed: 'access refused by Meta',
    provider_rate_limited: 'too fast for Meta',
    provider_unavailable: 'Meta out of reach',
    provider_rejected: 'refused by Meta',
    delivery_failed: 'not delivered by WhatsApp',
    outcome_unknown: 'no answer from Meta',
    no_final_status: 'no status for 30 days',
  },
  otherReasons: 'for other reasons',
  waiting: '{waiting} {waiting:message is|messages are} waiting.',
  failed: '{failed} {failed:message|messages} failed today.',
  today: 'today',
  sinceTime: 'since {time}',
  aNumber: 'a number',
  numbers: '{count} {count:number|numbers}',
  aWebhook: 'a webhook',
  checks: {
    token: 'Access token',
    permissions: 'Permissions',
    app_secret: 'App secret',
    number: 'Number',
    templates: 'Templates',
    subscription: 'Subscription',
    public_address: 'Public address',
    statuses: 'Status reports',
  },
}
