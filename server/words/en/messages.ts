import type { FailureCode } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'

export const statuses = {
  queued: 'Waiting',
  accepted: 'At Meta',
  sending: 'Sending',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const satisfies Record<Status, string>

/** Titles of the columns of a table for people. */
export const columns = {
  accepted: 'Accepted',
  sender: 'Sender',
  number: 'Number',
  status: 'Status',
  since: 'Status since',
  message: 'Message',
  file: 'File',
  reference: 'Reference',
  why: 'Why it failed',
} as const

/** Reasons why a row of a table does not become a message. */
export const tableProblems = {
  no_number: 'The row has no number.',
  shortened: 'The spreadsheet shortened this number to {value}. Format the column as text and copy it again.',
  zero_lost: '{value} has neither its first 0 nor a country code.',
  no_country_code: '{value} has no country code, and this sender has no country set.',
  not_a_phone: '{value} is no phone number and no group of this sender.',
  group_no_marketing: '{value} is a group. Advertising does not go to groups.',
  twice: '{value} has the same message in a row above.',
  opted_out: '{value} does not want these messages.',
  empty_field: 'The column “{value}” is empty, and the message needs it.',
  empty_message: 'The message is empty, and there is no file.',
  too_long: 'The message has {value} characters. WhatsApp takes 4096.',
  file_missing: 'There is no file named {value}.',
  file_gone: 'Its file is not kept any more. Choose the files again in a new table.',
  refused: 'Kurir could not take it: {value}',
} as const

/** Results of a row, besides the status of its message. */
export const tableKinds = {
  refused: 'Not sent',
  waiting: 'Not in the queue',
  stopped: 'Stopped',
  removed: 'Removed by now',
} as const

/** Entry in the list of rows that are not sent. */
export const tableLine = 'Line {line}: {problem}'

/** Reasons why a file in the drop folder is not sent. */
export const dropReasons = {
  no_number: 'The name does not begin with a phone number. It should look like this: 0812-3456-7890 INV-1001.pdf',
  several_numbers:
    'Kurir cannot tell where the phone number ends. Write it without spaces, then one space: 081234567890 1001.pdf',
  bad_number: 'The number at the beginning of the name is no phone number. Correct it.',
  no_country_code:
    'The number has no country code, and the sender has no country set. Begin the name with the code, such as 6281234567890.',
  no_reference:
    'The text for the customer names a reference, and the name of this file has none. Put it after the number.',
  bad_name: 'The name has letters that Kurir cannot use. Give the file another name.',
  not_this_kind:
    'From this folder Kurir sends PDF files, pictures (JPG, PNG, WebP) and the rows of tables (CSV, XLSX).',
  link: 'This is a link, or a file with a second name somewhere else. Put a copy here.',
  empty: 'The file is empty.',
  too_large: 'The file is larger than WhatsApp takes: 100 MB for a PDF, 16 MB for a picture.',
  sent_before: 'This file was taken before, with the same name. To send it once more, give it another name.',
  refused: 'Kurir could not make a message of it.',
  message_failed: 'The message failed. See the reason on the page Messages of Kurir.',
  table_unreadable: 'This is no table that Kurir can read, or it has no rows. Save it as CSV or XLSX.',
  table_too_large: 'The table is too large: at most 8 MiB, 5,000 rows and 60 columns. Split it.',
  table_no_number: 'Kurir finds no column with phone numbers. Name it “Nomor” or “Phone”.',
  table_no_text: 'There is no column “Text” or “Pesan”, and no text for tables in Settings.',
  table_no_column: 'The text for tables in Settings names columns that this table does not have:',
  table_no_row: 'No row of this table can be sent:',
  table_too_slow: 'The last message would leave later than in 30 days. Split the table, or send faster.',
  table_for_one:
    'The name begins with a phone number, as that of a file for one customer does. A table is not sent as a file. Give it another name if each of its rows is a message.',
  table_over_limit: 'The table has more rows than the limit of a day in Settings. Split it, or raise the limit.',
  some_rows:
    'The other rows are being sent: see Write in Kurir. These rows are not. Correct them in a table of their own, not in this one:',
} as const

/** Reasons why the folder for drops or backups cannot be used, as the end of a sentence. */
export const folderFaults = {
  not_writable: 'writing to the folder is not allowed',
  no_sender: 'its sender is gone',
  full: 'there is no room',
  tables_full: 'there are too many tables',
  stuck: 'a file cannot be opened or moved',
  failed: 'it could not be made or did not open',
} as const

/** Reasons why a message failed, with advice. */
export const failures = {
  recipient_not_on_whatsapp: {
    message: 'This number is not on WhatsApp.',
    hint: 'Check the number with the customer.',
  },
  account_restricted: {
    message: 'WhatsApp is limiting new chats from this number.',
    hint: 'Known customers still get messages. Wait until the limit ends before you write to new ones.',
  },
  not_acknowledged: {
    message: 'WhatsApp never confirmed this message.',
    hint: 'It may or may not have arrived. Check the chat on the phone before you send it again.',
  },
  expired: {
    message: 'The message waited longer than it was allowed to.',
    hint: 'Look why it waited: a sender that is not connected is the usual reason. Then send it again.',
  },
  refused_by_whatsapp: {
    message: 'WhatsApp refused this message.',
    hint: 'Try again later; the code says why it was refused.',
  },
  send_failed: {
    message: 'The message could not be prepared for sending.',
    hint: 'Look at the attempts of this message for the reason.',
  },
  recipient_opted_out: {
    message: 'The customer does not want this kind of message.',
    hint: 'Write again only when the customer asks for it.',
  },
  not_in_group: {
    message: 'This sender is not in the group.',
    hint: 'Somebody in the group adds its number on the phone; then send again.',
  },
  group_closed: {
    message: 'Only admins may write in this group, or it has more than 1,024 members.',
    hint: 'Make this sender an admin of the group on the phone, or let all members write.',
  },
  group_unknown: {
    message: 'WhatsApp knows no such group.',
    hint: 'Look up the id of the group at its sender; groups that were deleted are gone.',
  },
  sender_deleted: { message: 'The sender of this message was deleted.', hint: 'Send it through another sender.' },
  media_unreachable: {
    message: 'The file could not be downloaded.',
    hint: 'Open its address in a browser on this PC to check it.',
  },
  media_too_large: {
    message: 'The file is too large for WhatsApp.',
    hint: 'Images and audio may have 16 MB, videos 64 MB, other files 100 MB.',
  },
  media_blocked: {
    message: 'The file is on an address that Kurir may not open.',
    hint: 'If it is your own server, allow its address in Settings.',
  },
  media_invalid: {
    message: 'The address did not answer with a usable file.',
    hint: 'Check the link: it must lead to the file itself.',
  },
  media_gone: {
    message: 'The file that was sent along is no longer on this PC.',
    hint: 'Send the message again from your program, with its file.',
  },
  template_not_sendable: {
    message: 'The template cannot be sent like this.',
    hint: 'Check its status, language and variables.',
  },
  provider_auth_failed: { message: 'Meta refused the access token.', hint: 'Enter a valid token for this sender.' },
  provider_rate_limited: {
    message: 'Meta limits how fast this number may send.',
    hint: 'Send more slowly, or again after the time given.',
  },
  provider_unavailable: { message: 'Meta cannot be reached or has a problem.', hint: 'Send again in a few minutes.' },
  provider_rejected: {
    message: 'Meta refused this message.',
    hint: 'The details say what is wrong with the request or the template.',
  },
  delivery_failed: { message: 'WhatsApp could not deliver this message.', hint: 'The details say why.' },
  outcome_unknown: {
    message: 'Meta never answered, and no status came.',
    hint: 'It may or may not have arrived. Ask the customer before you send it again.',
  },
  no_final_status: { message: 'No final status came within 30 days.', hint: 'The customer was probably never online.' },
} as const satisfies Record<FailureCode, { message: string; hint: string }>

/** Short reasons why messages failed, for a list within a sentence. */
export const reasons = {
  recipient_not_on_whatsapp: 'not on WhatsApp',
  account_restricted: 'WhatsApp limits new chats',
  not_acknowledged: 'never confirmed by WhatsApp',
  expired: 'waited too long',
  refused_by_whatsapp: 'refused by WhatsApp',
  send_failed: 'could not be prepared',
  recipient_opted_out: 'customer opted out',
  not_in_group: 'not in the group',
  group_closed: 'only admins write there',
  group_unknown: 'no such group',
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
} as const satisfies Record<FailureCode, string>
